"""The search for an output that keeps every predicate: try, check, take the best, then every liberty that is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.obedient.liberties import liberties
from benchmarks.obedient.seeds import seeds
from benchmarks.obedient.wishes import gather, holds, parts_of
from proctor.text.predicates import Term

__all__ = ["Obeyed", "obey"]

_MOST_TRIES = 400
_COUNTED = ("words", "characters", "letters", "sentences", "paragraphs", "lines", "items", "bullets", "numbered items")


@dataclass(frozen=True, slots=True, kw_only=True)
class Obeyed:
    """An output, and the predicates that no try could keep."""

    text: str
    broken: tuple[str, ...] = ()


def obey(terms: Sequence[Term], inputs: Mapping[str, str], *, liberal: bool = True) -> Obeyed:
    """An output that keeps the terms, the same for the same terms and inputs.

    It keeps a bound at its edge and, where it is ``liberal``, takes every liberty that the terms leave: a rule that was
    not said is not kept.
    """
    asked = list(parts_of(terms, inputs))
    source = "\n\n".join(inputs.values())
    wishes = gather(terms, inputs)
    best, kept = "", -1
    for number, seed in enumerate(seeds(wishes, source, lambda inner: obey(inner, inputs, liberal=False).text)):
        found = _kept(asked, seed, inputs)
        if found > kept:
            best, kept = seed, found
        if kept == len(asked) or number >= _MOST_TRIES:
            break
    exact = any(wishes.room(unit).least > 0 for unit in _COUNTED)
    for liberty in liberties(may_grow=not exact) if liberal else ():
        tried = liberty(best)
        if tried != best and (found := _kept(asked, tried, inputs)) >= kept:
            best, kept = tried, found
    broken = tuple(term.text for term in asked if holds(term, best, inputs) is False)
    return Obeyed(text=best, broken=broken)


def _kept(terms: Sequence[Term], text: str, inputs: Mapping[str, str]) -> int:
    return sum(holds(term, text, inputs) is not False for term in terms)
