"""Decide from the name of a tool whether it reads, changes something or hands the conversation to a person."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, Literal

from proctor.core import tool_verbs as known

__all__ = ["StatedEffect", "ToolEffect", "tool_effect", "with_stated"]

ToolEffect = Literal["reads", "changes", "hands_off", "unknown"]
StatedEffect = Literal["reads", "changes", "hands_off"]

_MAX_NAME_CHARS: Final = 200
_NAMESPACE: Final = re.compile(r"[./:\s]+|_{2,}")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PRECEDENCE: Final[tuple[ToolEffect, ...]] = ("changes", "hands_off", "reads")


def tool_effect(name: str, stated: Mapping[str, StatedEffect] | None = None, reading: Sequence[str] = ()) -> ToolEffect:
    """Return what a tool of this name does: ``reads``, ``changes``, ``hands_off`` or ``unknown``.

    ``stated`` is the project's `tools:` setting; a full name wins over a pattern, and the first pattern that matches
    over the next. ``reading`` replaces the known verbs: a tool reads if its first word is among them.
    A caller for which a missed change is harmful treats ``unknown`` as ``changes``.
    """
    if stated:
        if name in stated:
            return stated[name]
        for pattern, effect in stated.items():
            if fnmatchcase(name, pattern):
                return effect
    found = _effect_of_name(name) if len(name) <= _MAX_NAME_CHARS else "unknown"
    if reading and found != "hands_off":
        first = _words(name[:_MAX_NAME_CHARS])[:1]
        return "reads" if first and first[0] in reading else "changes"
    return found


def with_stated(own: Mapping[str, Any] | None, project: Mapping[str, Any]) -> dict[str, Any]:
    """Complete the effects stated by a check with those of the project; the check's take precedence."""
    own = own or {}
    return {**own, **{name: effect for name, effect in project.items() if name not in own}}


def _words(name: str) -> tuple[str, ...]:
    """Return the lower-case words of snake_case, camelCase and kebab-case."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=4096)
def _effect_of_name(name: str) -> ToolEffect:
    plain = name
    if not name.isascii():
        plain = "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))
        if not plain.isascii():  # words of another script, or characters that only look Latin
            return "unknown"
    parts = [words for part in _NAMESPACE.split(plain) if (words := _words(part))]
    found = [_effect_of_words(words, namespace=words is not parts[-1]) for words in parts]
    return next((effect for effect in _PRECEDENCE if effect in found), "unknown")


def _effect_of_words(words: tuple[str, ...], *, namespace: bool) -> ToolEffect:
    if words[0] in known.ASKS and known.CONJUNCTIONS.isdisjoint(words):
        return "reads"
    clauses = _clauses(words)
    found = [_effect_of_clause(clauses[0], namespace=namespace)]
    for before, clause in pairwise(clauses):
        effect = _effect_of_clause(clause, namespace=namespace)
        if len(before) > 1 and found[0] == "reads":
            # After an object the conjunction may join another object: get_order_and_refund_details.
            noun = clause[0] in known.NOUN_VERBS and clause[-1] in known.FACTS
            effect = "reads" if effect == "unknown" or noun else effect
        found.append(effect)
    if "unknown" in found and not {"changes", "hands_off"} & set(found):
        return "unknown"
    return next(effect for effect in _PRECEDENCE if effect in found)


def _clauses(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the words between conjunctions."""
    clauses: list[tuple[str, ...]] = []
    start = 0
    for place, word in enumerate((*words, "and")):
        if word in known.CONJUNCTIONS:
            if place > start:
                clauses.append(words[start:place])
            start = place + 1
    return clauses or [words]


def _effect_of_clause(words: tuple[str, ...], *, namespace: bool) -> ToolEffect:
    if _hands_off(words):
        return "hands_off"
    words = _from_verb(words)
    first, last = words[0], words[-1]
    phrase = known.PHRASAL.get((first, words[1])) if len(words) > 1 else None
    if phrase is not None:
        return "reads" if words[:3] == ("check", "in", "stock") else phrase
    strong = not known.CHANGES.isdisjoint(words) or any(map(_repeats_change, words)) or _phrasal_change(words[1:])
    if first in known.READS:
        return "changes" if strong and last not in known.FACTS else "reads"
    if first in known.CARRIERS:
        return _carried(words, strong=strong)
    if strong:
        return "changes"
    if words == ("respond",):  # the tool by which an agent speaks in some recordings
        return "reads"
    if not namespace and first in known.VERBS | known.NOUN_VERBS:
        finds = len(words) > 1 and first in known.NOUN_VERBS and last in known.FINDS | {"lookup", "search"}
        tells = len(words) > 1 and first in known.TRANSACTIONS and last in known.PROPERTIES
        return "reads" if finds or tells else "changes"
    return _noun_first(words[1:], namespace=namespace)


def _carried(words: tuple[str, ...], *, strong: bool) -> ToolEffect:
    """Return the effect of a generic verb (run, process) by the words after it."""
    rest = words[1:]
    if strong:
        return "changes"
    if words[-1] in known.CARRIED_READS or (rest and rest[0] in known.READS - {"query"}):
        return "reads"
    if not known.NOUN_VERBS.isdisjoint(rest) or words[0] in ("place", "request", "complete", "initiate"):
        return "changes"
    return "unknown"


def _from_verb(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words from the reading verb on, if only nouns precede it: ticket_get_login_status."""
    for place, word in enumerate(words):
        if word in known.READS | known.CARRIERS | known.CHANGES or word in known.VERBS:
            return words[place:] if word in known.FINDS else words
    return words


def _noun_first(rest: tuple[str, ...], *, namespace: bool) -> ToolEffect:
    """Return the effect of a name without a leading verb, by its other words: user_search, git_push."""
    if rest and rest[-1] in ("lookup", "search"):
        return "reads"
    acts = not namespace and len(rest) == 1 and rest[0] in known.VERBS | known.NOUN_VERBS
    return "changes" if acts else "unknown"


def _phrasal_change(words: tuple[str, ...]) -> bool:
    return any(known.PHRASAL.get(pair) == "changes" for pair in pairwise(words))


def _repeats_change(word: str) -> bool:
    """Return whether it is a known verb after re- or un-: resend, unregister."""
    return len(word) > 5 and word[:2] in ("re", "un") and word[2:] in known.CHANGES


def _hands_off(words: tuple[str, ...]) -> bool:
    """Return whether the words hand the conversation to a person."""
    first = words[0]
    if first in known.ASKS or words[:2] == ("live", "agent"):
        return first == "live"
    for place, word in enumerate(words):
        before, rest = words[:place], words[place + 1 :]
        if word in known.HAND_OFF:
            return _escalates(first, word, rest)
        if word in ("human", "humans", "humano"):
            asked = not (known.TALKS | known.TRANSFERS).isdisjoint(before)
            helps = not known.HUMAN_HELP.isdisjoint(rest)
            if helps if first == "get" or not before else asked:
                return True
        if word in known.TRANSFERS and first not in known.READS and _to_person(word, rest):
            return True
        if word in ("talk", "speak") and not known.PEOPLE.isdisjoint(rest):
            return True
    return False


def _escalates(first: str, word: str, rest: tuple[str, ...]) -> bool:
    """Return whether a name with a word such as escalate hands over to a person, not just manages escalations."""
    if first in known.READS or not known.NOT_TO_PEOPLE.isdisjoint(rest):
        return False
    manages = rest[-1:] in (("policy",), ("rule",), ("rules",))
    return first == word or (not manages and (first in known.OPENS or first not in known.CHANGES | known.VERBS))


def _to_person(verb: str, rest: tuple[str, ...]) -> bool:
    """Return whether only the conversation is between the verb and a person: transfer_call_to_supervisor."""
    for place, word in enumerate(rest):
        if word in known.PEOPLE:
            return set(rest[:place]) <= known.BETWEEN
    talk = verb in ("transfer", "forward", "route", "redirect") and not known.CONVERSATION.isdisjoint(rest)
    return talk and set(rest) <= known.BETWEEN
