"""Locate a rule in its prompt, and edit the prompt at that place."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from proctor.core.rule import Rule
from proctor.prompts.prompt import Prompt

__all__ = ["Stretch", "edited", "own_stretch", "without"]

Stretch = tuple[int, int]

_BETWEEN_MESSAGES = len("\n\n")
_JOINT = re.compile(r"\s*[,;]\s*(?:and\s+|or\s+|but\s+|then\s+)?|\s+(?:and|but|then|while)\s+|(?<=[.!?])\s+", re.I)
_BEFORE = re.compile(r"[ \t]*[,;]?[ \t]*(?:\b(?:and|or|but|then|ensuring|while)\b[ \t]*)?$", re.I)
_AFTER = re.compile(r"[ \t]*[,;]?[ \t]*(?:\b(?:and|or|but|then)\b[ \t]+)?", re.I)
_BULLET = re.compile(r"(?:^|(?<=\n))[ \t]*(?:[-*•]|\d+[.)])[ \t]*$")
_ENDS = ".!?;:\n"
_COMMON = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "and",
        "or",
        "for",
        "is",
        "are",
        "be",
        "it",
        "with",
        "each",
        "your",
        "you",
        "this",
        "that",
        "as",
        "on",
        "by",
        "not",
        "no",
    ]
)


def own_stretch(text: str, rule: Rule, others: Sequence[Rule]) -> Stretch | None:
    """Return the span of the rule, or the part of it that no other rule of the same sentence needs.

    If the span no longer matches its quote, the quote is searched; None if it is gone.
    """
    place = _place(text, rule)
    if place is None:
        return None
    start, end = place
    around = {each.id: _place(text, each) for each in others if each.id != rule.id}
    sharing = [each for each in others if _shares(around.get(each.id), place)]
    if not sharing:
        return place
    taken = _words(" ".join(each.text for each in sharing))
    mine = _words(rule.text) - taken
    best = max(_clauses(text, start, end), key=lambda part: _claim(text[slice(*part)], mine, taken), default=place)
    return best if _claim(text[slice(*best)], mine, taken) > 0 else place


def without(text: str, start: int, end: int) -> Stretch:
    """Return the span to cut so that the rest stays readable: with its bullet, line break, or conjunction."""
    before, after = text[:start], text[end:]
    if bullet := _BULLET.search(before):
        return bullet.start(), end + len(after) - len(after.lstrip(".!?; \t").removeprefix("\n"))
    at_start = not before.strip() or before.rstrip(" \t")[-1] in _ENDS
    at_end = not after.strip() or after[0] in _ENDS
    if at_start and at_end:
        return start, end + len(after) - len(after.lstrip(".!?; \t"))
    if at_start:
        found = _AFTER.match(after)
        return start, end + (found.end() if found else 0)
    found = _BEFORE.search(before)
    return (found.start() if found else start), end


def edited(prompt: Prompt, start: int, end: int, new: str) -> Prompt | None:
    """Return the prompt with ``new`` in place of a span; None if the span is not inside one message."""
    at = 0
    for number, message in enumerate(prompt.messages):
        stop = at + len(message.text)
        if at <= start and end <= stop:
            text = message.text[: start - at] + new + message.text[end - at :]
            changed = dataclasses.replace(message, text=text)
            messages = (*prompt.messages[:number], changed, *prompt.messages[number + 1 :])
            return dataclasses.replace(prompt, messages=messages)
        at = stop + _BETWEEN_MESSAGES
    return None


def _place(text: str, rule: Rule) -> Stretch | None:
    span = rule.source
    if span is None:
        return None
    if not span.quote and 0 <= span.start < span.end <= len(text):
        return span.start, span.end
    if span.quote and text[span.start : span.end] == span.quote:
        return span.start, span.end
    at = text.find(span.quote) if span.quote else -1
    return (at, at + len(span.quote)) if at >= 0 else None


def _shares(one: Stretch | None, place: Stretch) -> bool:
    """Whether another rule needs a part of this place; one that stands around all of it has it as a part."""
    if one is None or not (one[0] < place[1] and place[0] < one[1]):
        return False
    return one == place or not (one[0] <= place[0] and place[1] <= one[1])


def _clauses(text: str, start: int, end: int) -> Iterator[Stretch]:
    at = start
    for joint in _JOINT.finditer(text, start, end):
        if joint.start() > at:
            yield at, joint.start()
        at = joint.end()
    if at < end:
        yield at, end


def _claim(clause: str, mine: frozenset[str], others: frozenset[str]) -> int:
    words = _words(clause)
    return 2 * len(words & mine) - len(words & others)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.lower())) - _COMMON
