"""Tell whether an answer gives the values of two expected facts as they are or exchanged: 3 pm in, 11 am out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
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
    re.compile(r"[.!?](?=\s)|[。！？।؟\n]"),
    re.compile(r"[;:](?=\s)|[；：؛]|\s[–—-]\s"),
    re.compile(r"[,，](?=\s)|[、，،]"),
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
    found = (_exchange(one, other, answer) for one, other in combinations(facts, 2))
    return [each for each in found if each is not None][:_MOST]


def _exchange(one: str, other: str, answer: str) -> ValueExchange | None:
    kinds = [
        (mine, its)
        for mine in number_values(one)
        for its in number_values(other)
        if mine.same_kind(its) and not mine.same(its) and not its.same(mine)
    ]
    if len(kinds) != 1:
        return None
    values = number_values(answer)
    places = [[each for each in values if wanted.same(each)] for wanted in kinds[0]]
    if any(len(each) != 1 for each in places):
        return None
    (mine,), (its,) = places
    parts = _parts(answer, mine, its)
    if parts is None:
        return None
    swapped = _with(one, kinds[0][0], kinds[0][1].quote), _with(other, kinds[0][1], kinds[0][0].quote)
    pairs = ((parts[0], one), (parts[1], other), (parts[1], swapped[0]), (parts[0], swapped[1]))
    return ValueExchange(facts=(one, other), given=(mine, its), pairs=pairs)


def _with(fact: str, value: FactValue, quote: str) -> str:
    return fact[: value.start] + quote + fact[value.end :]


def _parts(answer: str, mine: FactValue, its: FactValue) -> tuple[str, str] | None:
    """Return the part of the answer with each value, cut at the strongest mark between them; None if it is not one."""
    first, second = sorted((mine, its), key=lambda each: each.start)
    if first.end > second.start:
        return None
    found = ([each for each in mark.finditer(answer, first.end) if each.end() <= second.start] for mark in _MARKS)
    between = next(filter(None, found), [])
    if len(between) != 1:
        return None
    begin = max((each.end() for each in _MARKS[0].finditer(answer, 0, first.start)), default=0)
    end = min((each.end() for each in _MARKS[0].finditer(answer, second.end)), default=len(answer))
    parts = answer[begin : between[0].start()].strip(), answer[between[0].end() : end].strip()
    return parts if mine is first else parts[::-1]
