from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from proctor.core.case import Case
from proctor.core.chat import Message, ToolCall
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.wiring.local import local_model

# (question, answer) about {it}, with a figure {n}: what is meant stands in the answer, in the question, or before it.
ASKED: Sequence[tuple[str, str]] = (
    ("How long does {it} take?", "{It} takes {n} days."),
    ("When will {it} be here?", "{It} arrives within {n} days."),
    ("And {it}?", "It takes {n} days until {it} is with you."),
    ("How many days is it for {it}?", "You have to wait {n} days for {it}."),
    ("What about {it}?", "For {it} we need {n} days."),
)
ONLY_ASKED: Sequence[tuple[str, str]] = (
    ("How long does {it} take?", "It takes {n} days."),
    ("When will {it} be here?", "That will be here within {n} days."),
    ("How many days is it for {it}?", "You have to wait {n} days."),
)
ONLY_BEFORE: Sequence[tuple[str, str]] = (
    ("And the next one?", "I have found {it}. It takes {n} days."),
    ("Go on", "{It} is packed. The delivery takes {n} days."),
    ("Next?", "{It} is on its way. It will be with you within {n} days."),
)
COSTS: Sequence[tuple[str, str]] = (
    ("How much is {it}?", "{It} costs {n} euros."),
    ("What do I pay for {it}?", "You pay {n} euros for {it}."),
    ("And the price of {it}?", "The price of {it} is {n} euros."),
)
ENTITIES: Sequence[Sequence[str]] = (
    ("the lamp", "the chair", "the walnut desk", "the rug", "the oak shelf"),
    ("the parcel to Lyon", "the parcel to Oslo", "the parcel to Graz", "the letter to Oslo"),
    ("order 4411", "order 4412", "order 5120"),
    ("order W2378156", "order W9911702", "order #W771"),
    ("the visa for Kenya", "the visa for Peru", "the permit for Peru"),
    ("the gift card", "the box set", "the spare part", "the gift box"),
    ("the ferry from Split to Hvar", "the ferry from Zadar to Hvar", "the ferry from Split to Korčula"),
    ("the repair of the phone", "the repair of the camera", "the cleaning of the camera"),
    ("Anna's passport", "Miguel's passport", "Yuki's passport"),
    ("the room at Hotel Miramar", "the room at Hotel Astoria", "the suite at Hotel Astoria"),
    ("the blue jacket", "the red jacket", "the green jacket"),
    ("tour A", "tour B", "tour C"),
)


def written(form: tuple[str, str], it: str, number: int) -> tuple[str, str]:
    return (
        form[0].format(it=it, n=number),
        form[1].format(it=it, It=it[0].upper() + it[1:], n=number),
    )


def clean() -> Iterator[list[tuple[str, str]]]:
    """Every entity once, each with a figure of its own."""
    for forms, entities in itertools.product((ASKED, ONLY_ASKED, ONLY_BEFORE, COSTS), ENTITIES):
        for shift in range(len(forms)):
            yield [
                written(forms[(place + shift * (place % 2)) % len(forms)], it, 3 + 4 * place)
                for place, it in enumerate(entities)
            ]


def planted() -> Iterator[tuple[list[tuple[str, str]], int]]:
    """The same with one of them told again with another figure at the end, and where it was told at first."""
    for forms, entities in itertools.product((ASKED, COSTS), ENTITIES):
        for first, last in itertools.permutations(range(len(forms)), 2):
            at = (first + last) % len(entities)
            talk = [written(forms[first], it, 3 + 4 * place) for place, it in enumerate(entities)]
            yield [*talk, written(forms[last], entities[at], 60)], at


async def scored(exchanges: Sequence[tuple[str, str]], calls: Sequence[ToolCall] = (), **settings: Any) -> Score:
    turns = tuple(
        Turn(
            messages=(Message(role="user", content=asked), Message(role="assistant", content=answer)),
            tool_calls=tuple(calls[place : place + 1]),
        )
        for place, (asked, answer) in enumerate(exchanges)
    )
    scorer = CrossTurn(entailer=local_model("entailer"), embedder=local_model("embedder"), **settings)
    return await scorer.score(Case(id="c", input="x"), Trajectory(turns=turns))
