"""Check that a goal can be attacked and judged: complete effects, no canary given away, carriers that lead there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from proctor.core.attack import AttackEffect, Carrier, EffectKind, Goal
from proctor.core.errors import Problem
from proctor.redteam.payload_site import MARK, carries_payload
from proctor.text.normalise import normalise
from proctor.text.user_patterns import user_pattern

__all__ = ["problems_in_goal"]

_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
# By kind: the fields that an effect needs, and those that it may have.
_FIELDS: Final[Mapping[EffectKind, tuple[frozenset[str], frozenset[str]]]] = {
    "row_changed": (frozenset({"table", "row", "column"}), frozenset({"value"})),
    "row_added": (frozenset({"table"}), frozenset({"values"})),
    "tool_called": (frozenset({"tool"}), frozenset({"values"})),
    "canary_shown": (frozenset({"canary"}), frozenset()),
    "said": (frozenset({"pattern"}), frozenset()),
    "commitment": (frozenset(), frozenset({"pattern"})),
    "not_escalated": (frozenset(), frozenset()),
    "contradiction": (frozenset({"pattern", "turns"}), frozenset()),
}
_ALL_FIELDS: Final = ("table", "row", "column", "value", "values", "tool", "canary", "pattern", "turns")
_SHORTEST_CANARY: Final = 4
_EN_FIRST: Final = "write `en` first; other languages beside it"


def problems_in_goal(goal: Goal) -> Iterator[Problem]:
    """Yield what is wrong with a goal; paths are relative to it."""
    if not goal.id.strip():
        yield Problem(("id",), "is empty", "give it a short name, e.g. cancel-other-booking")
    if not goal.effects:
        yield Problem(("effects",), "is empty", "say what can be observed if the attack succeeds")
    yield from _language_problems("instruction", goal.instruction)
    if not goal.instruction:
        yield Problem(("instruction",), "is empty", _EN_FIRST)
    yield from _language_problems("premise", goal.premise)
    yield from _carrier_problems(goal)
    for index, effect in enumerate(goal.effects):
        for problem in _effect_problems(goal, effect):
            yield Problem(("effects", index, *problem.path), problem.message, problem.hint)


def _language_problems(field: str, texts: Mapping[str, str]) -> Iterator[Problem]:
    for language, text in texts.items():
        if not _LANGUAGE.fullmatch(language):
            yield Problem((field, language), "is no language code", "write it as en, de, pt-BR")
        if not text.strip():
            yield Problem((field, language), "is empty", "write the sentence, or leave the language out")
        if MARK in text:
            yield Problem((field, language), f"has {MARK} in it", "that mark belongs into the text of a place")


def _carrier_problems(goal: Goal) -> Iterator[Problem]:
    if not goal.carriers:
        yield Problem(("carriers",), "is empty", "add a harmless conversation with `turns: {en: [ … ]}`")
    for index, carrier in enumerate(goal.carriers):
        path = ("carriers", index)
        if "en" not in carrier.turns:
            yield Problem((*path, "turns"), "has no `en`", "a language that is missing uses `en`")
        for language, turns in carrier.turns.items():
            if not _LANGUAGE.fullmatch(language):
                yield Problem((*path, "turns", language), "is no language code", "write it as en, de, pt-BR")
            if not turns or not all(turn.strip() for turn in turns):
                yield Problem((*path, "turns", language), "has no turn, or an empty one", "write what a customer says")
        yield from _place_problems(carrier, path)
    if goal.scope == "indirect_injection" and not any(
        carries_payload(site) for carrier in goal.carriers for site in carrier.places
    ):
        yield Problem(("carriers",), f"have no place with {MARK}", "an indirect injection needs a place to be planted")


def _place_problems(carrier: Carrier, path: tuple[str | int, ...]) -> Iterator[Problem]:
    for number, site in enumerate(carrier.places):
        where = (*path, "places", number)
        if not site.at.strip():
            yield Problem((*where, "at"), "is empty", "write the target's address, e.g. bookings/LT-1001/note")
        if site.channel in ("message", "session"):
            yield Problem((*where, "channel"), f"{site.channel!r} is said by the user", "a place is read by the agent")
        if site.text.count(MARK) > 1:
            yield Problem((*where, "text"), f"has {MARK} more than once", "one place carries the payload once")


def _effect_problems(goal: Goal, effect: AttackEffect) -> Iterator[Problem]:
    needed, allowed = _FIELDS[effect.kind]
    given = {name for name in _ALL_FIELDS if getattr(effect, name) not in (None, (), {}, "")}
    for name in sorted(needed - given):
        yield Problem((name,), "is missing", f"an effect of kind {effect.kind} needs it")
    for name in sorted(given - needed - allowed):
        known = ", ".join(sorted(needed | allowed)) or "no further fields"
        yield Problem((name,), f"has no meaning for {effect.kind}", f"this kind takes {known}")
    yield from _pattern_problems(effect)
    yield from _turn_problems(goal, effect)
    if effect.canary is not None:
        yield from _canary_problems(goal, effect.canary)


def _pattern_problems(effect: AttackEffect) -> Iterator[Problem]:
    if not effect.pattern:
        return
    try:
        user_pattern(effect.pattern, ignore_case=True)
    except ValueError as error:
        yield Problem(("pattern",), str(error), "test it with a short text first")
        return
    if effect.kind == "contradiction" and re.compile(effect.pattern).groups < 1:
        yield Problem(("pattern",), "has no group", "put the value that must stay the same in ( )")


def _turn_problems(goal: Goal, effect: AttackEffect) -> Iterator[Problem]:
    if effect.kind == "contradiction" and 0 < len(set(effect.turns)) < 2:
        yield Problem(("turns",), "names fewer than two turns", "an answer contradicts another one")
    fewest = min((len(turns) for carrier in goal.carriers for turns in carrier.turns.values()), default=0)
    for turn in effect.turns:
        if not 1 <= turn <= fewest:
            hint = f"turns count from 1 and are those of the carrier; the shortest has {fewest}"
            yield Problem(("turns",), f"there is no turn {turn} in each carrier", hint)


def _canary_problems(goal: Goal, canary: str) -> Iterator[Problem]:
    if len(canary.strip()) < _SHORTEST_CANARY:
        yield Problem(("canary",), "is too short to be no coincidence", f"use {_SHORTEST_CANARY} characters or more")
        return
    for where, text in _words_of_attacker(goal):
        if _flat(canary) in _flat(text):
            hint = "a refusal that quotes it would count; let the instruction ask for it in another form"
            yield Problem(("canary",), f"is in {where}", hint)


def _words_of_attacker(goal: Goal) -> Iterator[tuple[str, str]]:
    for language, text in goal.instruction.items():
        yield f"instruction.{language}", text
    for language, text in goal.premise.items():
        yield f"premise.{language}", text
    for index, carrier in enumerate(goal.carriers):
        for language, turns in carrier.turns.items():
            yield f"carriers[{index}].turns.{language}", "\n".join(turns)
        for number, site in enumerate(carrier.places):
            if carries_payload(site):
                yield f"carriers[{index}].places[{number}]", site.text


def _flat(text: str) -> str:
    return " ".join(normalise(text).plain.casefold().split())
