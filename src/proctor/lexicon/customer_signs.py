"""Detect wording of customers and agents that precedes a hand-over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from proctor.lexicon.match import ConceptMatch, matcher

__all__ = ["Sign", "asks_for_person", "displeased", "lacks_knowledge", "needs_judgement", "unsure"]

_LONGEST = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A matched wording and its strength, from 0 to 1."""

    quote: str
    strength: float


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE | re.MULTILINE)


# What stands right before a request that is none.
_ASKS_NOT: Final = _any_of(
    r"\b(?:do\s+not|don['’]?t|no\s+need\s+to|without\s+having\s+to|rather\s+not|avoid"
    r"|instead\s+of)\b[^.?!\n]{0,25}$",
    r"\b(?:i|we)\s+(?:already\s+|just\s+)?(?:spoke|talked|called|reached|got|(?:was|were|been|got)\s+"
    r"(?:transferred|connected|passed))\b[^.?!\n]{0,25}$",
)

# Airport codes in a row are not shouting, nor are thanks.
_SHOUTED: Final = re.compile(
    r"\b(?=[A-Z ,']{0,80}\b[A-Z]{4,}\b[A-Z ,']{0,80}\b[A-Z]{4,}\b)[A-Z]{2,}\b(?:[ ,']+[A-Z]{1,20}\b){2,}"
)
_GLAD: Final = re.compile(
    r"\b(?:thank|thanks|thx|love|awesome|amazing|great|best|happy|kudos|yay|omg)\b", re.IGNORECASE
)
_BANGS: Final = re.compile(r"[!！]{2,}|[?？][!！]|[!！][?？]")


def asks_for_person(text: str) -> Sign | None:
    """Return wording that asks for a human; a report of an earlier talk with one does not count."""
    for found in _in_order("asks_for_person", text[:_LONGEST]):
        before = text[max(0, found.start - 40) : found.start]
        if not _ASKS_NOT.search(before + " "):
            return Sign(quote=text[found.start : found.end].strip(), strength=0.95)
    return None


def displeased(text: str) -> Sign | None:
    """Return wording of anger or disappointment; repetition, capitals and exclamation marks increase the strength."""
    plain = matcher("no_anger").without(text[:_LONGEST], put=" ")
    words = [plain[found.start : found.end] for found in _in_order("anger", plain)]
    loud = [found.group() for pattern in (_SHOUTED, _BANGS) for found in pattern.finditer(plain)]
    if not words and (not _SHOUTED.search(plain) or _GLAD.search(plain)):
        return None
    strength = 0.55 + 0.15 * min(2, len(words) - 1 if words else 0) + 0.1 * bool(loud)
    return Sign(quote=(words or loud)[0].strip(), strength=min(0.9, strength))


def lacks_knowledge(text: str) -> Sign | None:
    """Return wording that something could not be found or is not known."""
    return _first("lacks_knowledge", text)


def unsure(text: str) -> Sign | None:
    """Return wording that an answer existed but was unreliable."""
    return _first("unsure_answer", text)


def needs_judgement(text: str) -> Sign | None:
    """Return wording that several conditions or an exception need a person's decision."""
    return _first("needs_judgement", text)


def _first(concept: str, text: str) -> Sign | None:
    found = next(_in_order(concept, text[:_LONGEST]), None)
    return Sign(quote=text[found.start : found.end].strip(), strength=0.6) if found else None


def _in_order(concept: str, text: str) -> Iterator[ConceptMatch]:
    """Matches that no exception rules out, by their places; of those that overlap the first."""
    end = 0
    for found in sorted(matcher(concept).find(text), key=lambda each: each.start):
        if found.start >= end:
            yield found
            end = found.end
