"""A rule under construction."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.generate.extract.aspects import Kind

__all__ = ["Draft"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A rule's text, its span, and the predicate that can check it.

    ``role`` is whether it only describes a routine. ``rest`` are the words of its clause that are not covered by the
    predicates of the same clause.
    """

    text: str
    start: int
    end: int
    kind: Kind
    priority: int
    predicate: str | None = None
    condition: str = ""
    rest: frozenset[str] | None = None
    role: bool = False
    note: str = ""  # why it has no predicate
    counted: bool = False  # its number is that of what the prompt shows, so it is of the whole answer
