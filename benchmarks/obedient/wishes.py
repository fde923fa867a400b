"""What predicates ask of an output, gathered by kind so that one can be built."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.obedient.from_pattern import matching
from proctor.text.predicates.term import OutputView, Term
from proctor.text.predicates.values import Bound, FromInput, OpenError, Pattern

__all__ = ["Room", "Wishes", "gather", "holds", "parts_of"]

_OPPOSITE = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": "!=", "!=": "="}
_FAR = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """From how many to how many of something there may be."""

    least: int = 0
    most: int = _FAR
    not_this: int | None = None

    def within(self, bound: Bound) -> Room:
        """The room that is left when a bound is kept too."""
        low, high = bound.low, bound.high
        if isinstance(low, FromInput) or isinstance(high, FromInput):
            return self  # an input says how many; the check knows, the builder does not
        least, most, never = self.least, self.most, self.not_this
        match bound.sign:
            case "<=":
                most = min(most, math.floor(low))
            case "<":
                most = min(most, math.ceil(low) - 1)
            case ">=":
                least = max(least, math.ceil(low))
            case ">":
                least = max(least, math.floor(low) + 1)
            case "=":
                least, most = max(least, math.ceil(low)), min(most, math.floor(low))
            case "!=":
                never = math.floor(low)
            case _:
                least, most = max(least, math.ceil(low)), min(most, math.floor(high))
        return Room(least=least, most=most, not_this=never)

    def edge(self, usual: int) -> int:
        """As many as are just allowed: the most, or the least where there is no most, so that a laxer bound shows."""
        if self.most < _FAR:
            chosen = self.most
        elif self.least > 0:
            chosen = self.least
        else:
            chosen = usual
        if chosen != self.not_this:
            return chosen
        return chosen - 1 if chosen - 1 >= self.least and chosen > 0 else chosen + 1

    @property
    def open(self) -> bool:
        """Whether nothing was asked."""
        return self.least == 0 and self.most == _FAR and self.not_this is None


@dataclass(slots=True, kw_only=True)
class Wishes:
    """The demands by kind; ``said`` has every form with its values, for what is rare."""

    rooms: dict[str, Room] = field(default_factory=dict)
    tags: dict[str, Room] = field(default_factory=dict)
    inside: dict[str, list[Term]] = field(default_factory=dict)
    counts: dict[str, Room] = field(default_factory=dict)
    said: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def room(self, unit: str) -> Room:
        """How many of this unit there may be."""
        return self.rooms.get(unit, Room())

    def find(self, *forms: str) -> Iterator[tuple[Any, ...]]:
        """The values of every demand of one of these forms."""
        return (values for form, values in self.said if form in forms)

    def asks(self, *forms: str) -> bool:
        """Whether one of these forms was demanded."""
        return any(form in forms for form, _ in self.said)

    def texts(self, *forms: str) -> list[str]:
        """All texts that demands of these forms name."""
        return [text for values in self.find(*forms) for text in _flat(values)]


def parts_of(terms: Sequence[Term], inputs: Mapping[str, str]) -> Iterator[Term]:
    """The terms an output has to keep one by one: `and` taken apart, a guard whose condition holds left off."""
    for term in terms:
        if term.form == "and":
            yield from parts_of(term.inner, inputs)
        elif term.form == "when":
            if holds(term.inner[0], "", inputs) is True:
                yield from parts_of(term.inner[1:], inputs)
        else:
            yield term


def holds(term: Term, text: str, inputs: Mapping[str, str]) -> bool | None:
    """Whether a text keeps a term; ``None`` where that cannot be told or the term says nothing about it."""
    try:
        return term.run(OutputView(text=text, inputs=inputs)).ok
    except OpenError:
        return None


def gather(terms: Sequence[Term], inputs: Mapping[str, str]) -> Wishes:
    """What the terms ask for; of `or` the first way is taken, and a denied bound is turned round."""
    wishes = Wishes()
    for term in parts_of(terms, inputs):
        _take(wishes, term, inputs)
    return wishes


def _take(wishes: Wishes, term: Term, inputs: Mapping[str, str]) -> None:
    if term.form == "or":
        for each in parts_of(term.inner[:1], inputs):
            _take(wishes, each, inputs)
    elif term.form == "not":
        _take_denied(wishes, term.inner[0], inputs)
    elif term.form.startswith("each PATTERN") and isinstance(term.values[0], str):
        wishes.inside.setdefault(str(term.values[0]).strip(" <>/"), []).extend(term.inner)
    elif term.inner:
        wishes.said.append((term.form, (*term.values, *term.inner)))
    elif term.form in ("tags TEXT BOUND", "elements TEXT BOUND"):
        name = str(term.values[0]).strip(" <>/")
        wishes.tags[name] = wishes.tags.get(name, Room()).within(term.values[-1])
    elif term.form.startswith("count ") and isinstance(term.values[-1], Bound):
        counted = term.values[0]
        name = matching(counted.compiled.pattern) if isinstance(counted, Pattern) else str(counted)
        if name:
            wishes.counts[name] = wishes.counts.get(name, Room()).within(term.values[-1])
    elif len(term.values) == 1 and isinstance(term.values[0], Bound):
        unit = term.form.removesuffix(" BOUND").strip()
        wishes.rooms[unit] = wishes.room(unit).within(term.values[0])
    else:
        wishes.said.append((term.form, term.values))


def _take_denied(wishes: Wishes, term: Term, inputs: Mapping[str, str]) -> None:
    if len(term.values) == 1 and isinstance(term.values[0], Bound) and term.values[0].sign in _OPPOSITE:
        bound = term.values[0]
        unit = term.form.removesuffix(" BOUND").strip()
        wishes.rooms[unit] = wishes.room(unit).within(Bound(sign=_OPPOSITE[bound.sign], low=bound.low))
    elif term.form == "not":
        _take(wishes, term.inner[0], inputs)
    else:
        wishes.said.append((f"not {term.form}", term.values))


def _flat(values: tuple[Any, ...]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from _flat(value)
