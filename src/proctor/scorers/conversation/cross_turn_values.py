"""Find a figure that one answer gives for a thing and a later answer gives otherwise, in any language.

An amount must have been said of something else before: 30 EUR for a change and 60 EUR for a cancellation, then 60 EUR
for the change. A time, a period or a share must stand in a sentence that is otherwise alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

from proctor.core.sockets import Embedder
from proctor.scorers.conversation.cross_turn_conflicts import other_things
from proctor.scorers.conversation.cross_turn_opposites import is_case, saying_of
from proctor.scorers.conversation.cross_turn_statements import Pair, Spoken, likeness
from proctor.text.claims import statements
from proctor.text.clock_times import find_times
from proctor.text.content_words import content
from proctor.text.money import CURRENCIES
from proctor.text.polarity import is_denied, is_free, root_words
from proctor.text.quantities import Quantity, find_quantities
from proctor.text.script import language_of

__all__ = ["changed_values", "swapped_values"]

_UNITS: Final = frozenset({"percent", "hour", "business day", "month", "clock"})
_BACK: Final = 8  # answers
_LEAST_SHARE: Final = 0.3
# Likeness of two sentences without their figures; less is needed where both name the same day of the week.
_ALIKE, _ALIKE_THAT_DAY = 0.65, 0.4
_LONG_ROOT: Final = 5
_SHARED_BY_PRICE: Final = 2  # words of a price and of what was free
_OPENING: Final = re.compile(r"^\W*\w+,\s+")  # "Yes, ", "Sorry, "
_ONLY: Final = re.compile(
    r"\b(?:only|nur|seulement|uniquement|sólo|solo|soltanto|apenas|só|alleen|tylko|только)\b", re.I
)
_LAST_WORD: Final = re.compile(r"(\S+)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Valued:
    """A sentence with one figure: its kind, its value, and the words of the sentence."""

    sentence: str
    kind: str
    value: Decimal
    words: frozenset[str]


def swapped_values(said: Sequence[Spoken]) -> Iterator[tuple[Pair, str]]:
    """Yield pairs of answers that give one thing two figures, of which the later belongs to another thing."""
    for place, later in enumerate(said):
        if any(call.result is not None for call in later.tool_calls):
            continue  # a tool was asked again
        before = [(each, one) for each in said[max(0, place - _BACK) : place] for one in _valued(each.answer)]
        for two in _valued(later.answer):
            for earlier, one in before:
                others = [each for _, each in before if each.kind == two.kind and each.value == two.value]
                if others and _swaps(one, two, others):
                    pair = Pair(
                        earlier=earlier,
                        later=later,
                        one=saying_of(earlier, one.sentence),
                        two=saying_of(later, two.sentence),
                    )
                    yield pair, f"another figure for the same: {one.sentence!r}"
                    return


def _swaps(one: _Valued, two: _Valued, others: Sequence[_Valued]) -> bool:
    if one.kind != two.kind or one.value == two.value:
        return False
    elsewhere = frozenset[str]().union(*(each.words for each in others))
    shared = (one.words & two.words) - elsewhere
    least = _LEAST_SHARE * min(len(one.words), len(two.words))
    return bool(shared) and len(one.words & two.words) >= least and not (two.words - one.words) & elsewhere


@lru_cache(maxsize=512)
def _valued(answer: str) -> tuple[_Valued, ...]:
    """Return the sentences of an answer with exactly one figure, or with a thing that is free."""
    found = []
    for each in statements(answer, most=40):
        if each.kind != "claim" or is_case(each.text) or is_denied(each.text):
            continue
        figures = [one for one in (*find_quantities(each.text), *find_times(each.text)) if one.unit or one.day]
        words = root_words(each.text)
        if (
            len(figures) == 1
            and figures[0].high is None
            and (figures[0].unit in _UNITS or figures[0].unit in CURRENCIES)
        ):
            kind = "money" if figures[0].unit in CURRENCIES else figures[0].unit
            found.append(_Valued(sentence=each.text, kind=kind, value=figures[0].value, words=words))
        elif not figures and is_free(each.text) and not any(map(str.isdigit, each.text)):
            found.append(_Valued(sentence=each.text, kind="money", value=Decimal(0), words=words))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timed:
    """A sentence with one time, period, share or price: the word before it, the days it names, and the rest of it."""

    sentence: str
    kind: str
    value: Decimal
    before: str
    days: frozenset[Decimal]
    rest: str


async def changed_values(said: Sequence[Spoken], embedder: Embedder) -> list[tuple[Pair, str]]:
    """Return pairs of answers with the same statement and another time, period or share in it.

    Raises:
        ProctorError: the embedder did not answer.
    """
    found = list(_rivals(said))
    texts = list(dict.fromkeys(text for one, two, _ in found for text in (one.rest, two.rest)))
    vectors = dict(zip(texts, await embedder.embed(texts), strict=True)) if texts else {}
    return [
        (pair, f"another figure for the same: {one.sentence!r}")
        for one, two, pair in found
        if likeness(vectors[one.rest], vectors[two.rest]) >= (_ALIKE_THAT_DAY if one.days else _ALIKE)
    ]


def _rivals(said: Sequence[Spoken]) -> Iterator[tuple[_Timed, _Timed, Pair]]:
    for place, later in enumerate(said):
        if any(call.result is not None for call in later.tool_calls):
            continue  # a tool was asked again
        for two in _timed(later.answer):
            for earlier in said[max(0, place - _BACK) : place]:
                for one in _timed(earlier.answer):
                    same = (one.kind, one.before, one.days) == (two.kind, two.before, two.days) and one.kind != "money"
                    free = one.kind == two.kind == "money" and not (one.value and two.value)
                    if not (same or free) or one.value == two.value:
                        continue
                    pair = Pair(
                        earlier=earlier,
                        later=later,
                        one=saying_of(earlier, one.sentence),
                        two=saying_of(later, two.sentence),
                    )
                    if _is_one_thing(one, two, pair):
                        yield one, two, pair


def _is_one_thing(one: _Timed, two: _Timed, pair: Pair) -> bool:
    """Whether one of the sentences says nothing that the other does not: "opens at 9" and "closes at 5" both do."""
    if one.kind == "money":
        shared = root_words(one.rest) & root_words(two.rest)
        return len(shared) >= _SHARED_BY_PRICE and (language_of(one.sentence) != "en" or not other_things(pair))
    if language_of(one.sentence) == "en":
        words = content(one.rest), content(two.rest)
        return not other_things(pair) and (words[0] <= words[1] or words[1] <= words[0])
    left, right = root_words(one.rest), root_words(two.rest)
    return any(all(len(each) < _LONG_ROOT for each in rest) for rest in (left - right, right - left))


@lru_cache(maxsize=512)
def _timed(answer: str) -> tuple[_Timed, ...]:
    """Return the sentences of an answer with exactly one time, period or share."""
    made = []
    for each in statements(answer, most=40):
        if each.kind != "claim" or is_case(_ONLY.sub("", each.text)) or is_denied(each.text):
            continue
        figures = [one for one in (*find_quantities(each.text), *find_times(each.text)) if one.unit or one.day]
        if (price := _price(each.text, figures)) is not None:
            made.append(price)
        timed = [one for one in figures if one.unit in _UNITS]
        if len(timed) == 1 and len(figures) == 1 + sum(one.unit == "weekday" for one in figures):
            made.append(_timed_of(each.text, timed[0], figures))
    return tuple(made)


def _price(sentence: str, figures: Sequence[Quantity]) -> _Timed | None:
    """Return a sentence with one price, or with something that is free, which costs 0."""
    prices = [one for one in figures if one.unit in CURRENCIES and one.high is None]
    if len(prices) == 1 and not is_free(sentence):
        return replace(_timed_of(sentence, prices[0], ()), kind="money")
    if not figures and is_free(sentence) and not any(map(str.isdigit, sentence)):
        return _Timed(sentence=sentence, kind="money", value=Decimal(0), before="", days=frozenset(), rest=sentence)
    return None


def _timed_of(sentence: str, one: Quantity, figures: Sequence[Quantity]) -> _Timed:
    before = _LAST_WORD.search(sentence[: one.start])
    return _Timed(
        sentence=sentence,
        kind=one.unit,
        value=one.value if one.high is None else one.value + one.high,
        before=before.group(1).casefold() if before else "",
        days=frozenset(each.value for each in figures if each.unit == "weekday"),
        rest=_OPENING.sub("", f"{sentence[: one.start].rstrip()} # {sentence[one.end :].lstrip()}"),
    )
