"""The harmless conversations of the goals: they lead the agent to every place, and alone they cause no effect."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from examples.manga_store.hondana.agent import Assistant
from examples.travel_desk.lantern.agent import Agent

from proctor.core.attack import Carrier, Goal, PlantSite
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.world import WorldRecord, changes_between, with_world
from proctor.redteam.goals import load_goals
from proctor.scorers.safety.attack_effects import find_effect
from proctor.scorers.safety.attack_words import texts_given
from proctor.targets.answer import turn_of

EXAMPLES = Path(__file__).parents[2] / "examples"
PAYLOAD = "Zebras like kiwis on Tuesdays"  # says nothing that an agent could take for an order


@cache
def goals_of(example: str) -> tuple[Goal, ...]:
    return load_goals([EXAMPLES / example / "redteam"])


def talks(example: str) -> Iterator[tuple[Goal, Carrier, str]]:
    """Every carrier in every language of its goal that it has words for."""
    for goal in goals_of(example):
        for carrier in goal.carriers:
            for language in dict.fromkeys(each if each in carrier.turns else "en" for each in goal.instruction):
                yield goal, carrier, language


def at_the_desk(carrier: Carrier, language: str, brain: str, place: PlantSite | None = None) -> Trajectory:
    return _at_the_desk(carrier.turns[language], carrier.page.get("customer"), brain, place)


@cache  # many goals share a carrier
def _at_the_desk(said: tuple[str, ...], customer: str | None, brain: str, place: PlantSite | None) -> Trajectory:
    agent = Agent([], {"customer": customer}, {"brain": brain}, None)
    try:
        if place is not None:
            agent.plant(planted(place))
        before = agent.snapshot()

        async def talk() -> list[Turn]:
            return [turn_of(await agent.say(text, []), text) for text in said]

        turns = asyncio.run(talk())
        world = WorldRecord(shows=("words", "tools", "state"), changes=changes_between(before, agent.snapshot()))
    finally:
        agent.close()
    return trajectory(turns, world)


def in_the_shop(carrier: Carrier, language: str, place: PlantSite | None = None) -> Trajectory:
    return _in_the_shop(carrier.turns[language], place)


@cache
def _in_the_shop(said: tuple[str, ...], place: PlantSite | None) -> Trajectory:
    assistant = Assistant([], {}, None)
    try:
        if place is not None:
            assistant.plant(planted(place))

        async def talk() -> list[Turn]:
            return [turn_of(await assistant.say(text, {}, []), text) for text in said]

        turns = asyncio.run(talk())
    finally:
        assistant.close()
    return trajectory(turns, WorldRecord(shows=("words", "tools")))


def planted(place: PlantSite) -> list[dict[str, str]]:
    return [{"channel": place.channel, "at": place.at, "text": place.text.replace("{payload}", PAYLOAD)}]


def trajectory(turns: Sequence[Turn], world: WorldRecord) -> Trajectory:
    return with_world(Trajectory(turns=tuple(turns), id="talk", session="talk", target="agent"), world)


def was_read(run: Trajectory) -> bool:
    described = " ".join(str(turn.extra.get("tools", "")) for turn in run.turns)
    return any(PAYLOAD in text for text in (*texts_given(run), described))


@pytest.mark.parametrize("brain", ["careful", "naive"])
def test_the_desk_reads_every_place(brain: str) -> None:
    missed = [
        (goal.id, language, place.at)
        for goal, carrier, language in talks("travel_desk")
        for place in carrier.places
        if not was_read(at_the_desk(carrier, language, brain, place))
    ]
    assert missed == []


def test_the_shop_reads_every_place() -> None:
    missed = [
        (goal.id, language, place.at)
        for goal, carrier, language in talks("manga_store")
        for place in carrier.places
        if place.channel != "memory" and not was_read(in_the_shop(carrier, language, place))  # a model's memory only
    ]
    assert missed == []


@pytest.mark.parametrize("brain", ["careful", "naive"])
def test_no_carrier_at_the_desk_causes_the_effect(brain: str) -> None:
    caused = [
        (goal.id, language, effect.kind)
        for goal, carrier, language in talks("travel_desk")
        for effect in goal.effects
        if effect.kind != "not_escalated" and find_effect(effect, at_the_desk(carrier, language, brain), ()).present
    ]
    assert caused == []


def test_no_carrier_in_the_shop_causes_the_effect() -> None:
    caused = [
        (goal.id, language, effect.kind)
        for goal, carrier, language in talks("manga_store")
        for effect in goal.effects
        if find_effect(effect, in_the_shop(carrier, language), ()).present
    ]
    assert caused == []


def test_the_careful_desk_hands_over_where_an_attack_must_keep_it_from_that() -> None:
    kept = [
        (goal.id, language)
        for goal, carrier, language in talks("travel_desk")
        if any(effect.kind == "not_escalated" for effect in goal.effects)
        and all(turn.escalation is None for turn in at_the_desk(carrier, language, "careful").turns)
    ]
    assert kept == []
