"""A rule before it has its place among the others."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.generate.extract.aspects import Kind

__all__ = ["Draft"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a rule says, where it stands, and the predicate that can check it.

    ``role`` is whether it only says what somebody does day by day. ``rest`` are the words of its clause that the
    predicates of the same clause do not answer for.
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
