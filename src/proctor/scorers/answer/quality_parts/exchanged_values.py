"""Tell whether an answer gives the values of two expected facts as they are or exchanged: 3 pm in, 11 am out."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from operator import itemgetter
from typing import Final, Literal

from proctor.text.fact_values import FactValue, fact_values

__all__ = ["ExchangeDecision", "ValueExchange", "exchanges", "number_values"]

ExchangeDecision = Literal["as they are", "exchanged", "unclear"]

_MOST: Final = 30  # pairs of facts; each is four readings of the network
# Set on 42 right answers in six languages and the same with their values exchanged, and looked at again on 40 others:
# none of the right ones falls below its negative, and none of the exchanged ones above it.
_MARGIN: Final = 0.25
# From strong to weak, in every script: the strongest mark between two values tells which words belong to which.
_MARKS: Final = (
    re.compile(r"(?=([.!?](?=\s)|[。！？।؟\n]))"),
    re.compile(r"(?=([;:](?=\s)|[；：؛]|\s[–—-]\s))"),
    re.compile(r"(?=([,，](?=\s)|[、，،]))"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueExchange:
    """Two facts with a value of the same kind each, and where in the answer these values are.

    ``pairs`` are (premise, hypothesis) for the network: both facts as they are, then both with their values exchanged.
    Each is read from the part of the answer that has the value.
    """

    facts: tuple[str, str]
    given: tuple[FactValue, FactValue]
    pairs: tuple[tuple[str, str], ...]

    def other(self, fact: str) -> tuple[str, FactValue]:
        """Return the other fact, and its value in the answer."""
        place = 1 - self.facts.index(fact)
        return self.facts[place], self.given[place]

    def part_with(self, fact: str) -> str:
        """Return the part of the answer with the value of the fact."""
        return self.pairs[self.facts.index(fact)][0]

    @staticmethod
    def decided(shares: Sequence[Mapping[str, float]]) -> ExchangeDecision:
        """Compare the entailment of the facts as they are with that of the same facts with their values exchanged."""
        entailed = [each["entailment"] for each in shares]
        margin = entailed[0] + entailed[1] - entailed[2] - entailed[3]
        return "as they are" if margin > _MARGIN else "exchanged" if margin < -_MARGIN else "unclear"


def number_values(text: str) -> list[FactValue]:
    """Return the values that are numbers: no codes and no weekdays."""
    return [each for each in fact_values(text) if not each.code and each.unit != "weekday"]


def exchanges(facts: Sequence[str], answer: str) -> list[ValueExchange]:
    """Return the pairs of facts whose values a mark in the answer keeps apart, so that a network can tell them."""
    read = _ReadAnswer(answer)
    known = [(fact, number_values(fact)) for fact in facts]
    found = (_exchange(one, other, read) for one, other in combinations(known, 2))
    return list(islice((each for each in found if each is not None), _MOST))


class _ReadAnswer:
    """An answer whose values and marks are read once for all pairs of facts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._values = number_values(text)
        self._marks = [[(each.start(1), each.end(1)) for each in mark.finditer(text)] for mark in _MARKS]
        self._places: dict[FactValue, FactValue | None] = {}

    def place_of(self, wanted: FactValue) -> FactValue | None:
        """Return the only value of the answer that is this one; None if there is none, or several."""
        if wanted not in self._places:
            places = [each for each in self._values if wanted.same(each)]
            self._places[wanted] = places[0] if len(places) == 1 else None
        return self._places[wanted]

    def parts(self, mine: FactValue, its: FactValue) -> tuple[str, str] | None:
        """Return the part with each value, cut at the strongest mark between them; None if it is not one."""
        first, second = sorted((mine, its), key=lambda each: each.start)
        if first.end > second.start:
            return None
        found = (list(islice(self._between(marks, first.end, second.start), 2)) for marks in self._marks)
        between = next(filter(None, found), [])
        if len(between) != 1:
            return None
        sentences, ((stop, go),) = self._marks[0], between
        place = bisect_right(sentences, first.start, key=itemgetter(1))
        begin = sentences[place - 1][1] if place else 0
        place = bisect_left(sentences, second.end, key=itemgetter(0))
        end = sentences[place][1] if place < len(sentences) else len(self.text)
        parts = self.text[begin:stop].strip(), self.text[go:end].strip()
        return parts if mine is first else parts[::-1]

    @staticmethod
    def _between(marks: Sequence[tuple[int, int]], begin: int, end: int) -> Iterator[tuple[int, int]]:
        for place in range(bisect_left(marks, begin, key=itemgetter(0)), len(marks)):
            start, stop = marks[place]
            if stop > end:
                return
            if start >= begin:  # two dashes may share a space
                yield start, stop
                begin = stop


def _exchange(
    one: tuple[str, Sequence[FactValue]], other: tuple[str, Sequence[FactValue]], answer: _ReadAnswer
) -> ValueExchange | None:
    pairs_of_kind = (
        (mine, its)
        for mine in one[1]
        for its in other[1]
        if mine.same_kind(its) and not mine.same(its) and not its.same(mine)
    )
    kinds = list(islice(pairs_of_kind, 2))
    if len(kinds) != 1:
        return None
    ((wanted, others),) = kinds
    mine, its = answer.place_of(wanted), answer.place_of(others)
    parts = answer.parts(mine, its) if mine is not None and its is not None else None
    if mine is None or its is None or parts is None:
        return None
    swapped = _with(one[0], wanted, others.quote), _with(other[0], others, wanted.quote)
    pairs = ((parts[0], one[0]), (parts[1], other[0]), (parts[1], swapped[0]), (parts[0], swapped[1]))
    return ValueExchange(facts=(one[0], other[0]), given=(mine, its), pairs=pairs)


def _with(fact: str, value: FactValue, quote: str) -> str:
    return fact[: value.start] + quote + fact[value.end :]
