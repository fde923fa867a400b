"""Decide whether two statements are opposites: one is negated, or one has an antonym of the other's word."""

from __future__ import annotations

import re
from typing import Final

from proctor.text.content_words import content, negated

__all__ = ["turned_round"]

# Pairs of word stems that cannot both be true of one thing.
_OPPOSITES: Final = tuple(
    tuple(re.compile(rf"\b(?:{side})", re.IGNORECASE) for side in sides)
    for sides in (
        (r"(?:love|like|enjoy|adore|prefer|favou?rite|fan of)", r"(?:hate|dislike|despise|detest|boring|awful)"),
        (r"(?:always|every (?:day|week|time)|often)\b", r"(?:never|rarely|seldom|hardly)\b"),
        (r"(?:open(?:s|ed)?)\b", r"(?:closed?|closes|shut)\b"),
        (r"(?:allow|permit|welcome|accepted)", r"(?:forbid|prohibit|banned|refused?)"),
        (r"(?:includ)", r"(?:exclud|extra charge|separate)"),
        (r"(?:free(?: of charge)?|complimentary|at no)\b", r"(?:charge[sd]?|fee|costs?|pay|paid)\b"),
        (r"(?:refundable)", r"(?:non-?refundable|final sale)"),
        (r"(?:available|in stock)", r"(?:unavailable|sold out|out of stock|discontinued)"),
        (r"(?:possible)\b", r"(?:impossible)\b"),
        (r"(?:eligible|entitled|qualif)", r"(?:ineligible)"),
        (r"(?:approved?|accepted)\b", r"(?:denied|rejected|declined|refused)\b"),
        (r"(?:active|valid)\b", r"(?:inactive|invalid|expired|cancell?ed)\b"),
        (r"(?:required|mandatory|must)\b", r"(?:optional|not needed|no need)\b"),
        (r"(?:married|husband|wife)\b", r"(?:single|divorced|unmarried)\b"),
        (r"(?:best|great|good|wonderful|happy)\b", r"(?:worst|terrible|bad|awful|sad)\b"),
        (r"(?:early|earlier)\b", r"(?:late|later)\b"),
        (r"(?:cheap)", r"(?:expensive)"),
    )
)


def turned_round(one: str, other: str) -> bool:
    """Whether the two share a word and differ by a negation or by an antonym, but not by both."""
    if not content(one) & content(other) and not _opposed(one, other):
        return False
    return (negated(one) != negated(other)) != _opposed(one, other)


def _opposed(one: str, other: str) -> bool:
    for left, right in _OPPOSITES:
        for here, there in ((one, other), (other, one)):
            if left.search(here) and right.search(there) and not left.search(there) and not right.search(here):
                return True
    return False
