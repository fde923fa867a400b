"""Find a figure that one answer gives for a thing and a later answer gives otherwise, in any language.

The later figure must have been said of something else before: 30 EUR for a change and 60 EUR for a cancellation, then
60 EUR for the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from proctor.scorers.conversation.cross_turn_opposites import is_case, saying_of
from proctor.scorers.conversation.cross_turn_statements import Pair, Spoken
from proctor.text.claims import statements
from proctor.text.clock_times import find_times
from proctor.text.money import CURRENCIES
from proctor.text.polarity import is_denied, is_free, root_words
from proctor.text.quantities import find_quantities

__all__ = ["swapped_values"]

_UNITS: Final = frozenset({"percent", "hour", "business day", "month", "clock"})
_BACK: Final = 8  # answers
_LEAST_SHARE: Final = 0.3


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
