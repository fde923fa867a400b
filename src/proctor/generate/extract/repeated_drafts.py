"""Remove the rules of a prompt that repeat others or require less."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from proctor.generate.extract.draft import Draft
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["one_of_a_text", "without_repeats", "without_weaker"]

_MOST_DRAFTS: Final = 1_000
# What is left of a sentence that leads to something shown below it.
_UNFINISHED: Final = Lazy(
    r"\b(?:one of|exactly|the|following|these|these (?:exact )?(?:keys|fields)|and|or|containing|including|an?|that|"
    r"(?:this|following|exact) (?:format|structure)|following (?:sections|items|fields|"
    r"information|points|parts))[:.]*\.$|:\.$",
    re.IGNORECASE,
)
_STOP: Final = worded(
    "following below above given you your the a an of in to and or for with output is are be its it t"
    "his that as only just always must should"
)


def without_weaker(drafts: Sequence[Draft]) -> list[Draft]:
    """Remove rules that require less than another one, and what is left of a line that leads to what is shown below."""
    shaped = any((draft.predicate or "").startswith(("is json object and json has", "json schema")) for draft in drafts)
    lower = any(_is_lower(draft.predicate) for draft in drafts)
    return [
        draft
        for draft in drafts
        if not (draft.predicate is None and _UNFINISHED.search(draft.text))
        and not (shaped and draft.predicate in ("is json", "is json object") and draft.text.startswith("The output"))
        and not (lower and draft.predicate == "case is lower")
    ]


def _is_lower(predicate: str | None) -> bool:
    """Whether a closed list of answers already implies lowercase."""
    return bool(predicate and predicate.startswith("one of ") and predicate == predicate.lower())


def without_repeats(drafts: Iterable[Draft]) -> list[Draft]:
    """Remove rules that say the same as one before them."""
    kept: list[Draft] = []
    judged: list[Draft] = []
    checked: set[str] = set()
    first: dict[tuple[str, str | None], Draft] = {}
    for draft in drafts:
        first.setdefault((draft.text, draft.predicate), draft)
    for draft in list(first.values())[:_MOST_DRAFTS]:
        words = _words(draft.text)
        if draft.predicate in checked if draft.predicate else any(_same(draft, words, other) for other in judged):
            continue
        kept.append(draft)
        if draft.predicate:
            checked.add(draft.predicate)
        else:
            judged.append(draft)
    return kept


def one_of_a_text(drafts: Sequence[Draft]) -> list[Draft]:
    """Return one rule of each text, since its text is what a rule is known by: the one that code can check."""
    best: dict[str, Draft] = {}
    for draft in drafts:
        if draft.text not in best or (draft.predicate and not best[draft.text].predicate):
            best[draft.text] = draft
    return [draft for draft in drafts if best[draft.text] is draft]


def _same(draft: Draft, words: frozenset[str], other: Draft) -> bool:
    others = _words(other.text)
    if draft.condition or other.condition:
        return words == others
    return words <= others or len(words & others) / len(words | others) >= 0.85


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower())) - _STOP
