"""A rule under construction."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.generate.extract.kinds import Kind

__all__ = ["Draft"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A rule's text, its span, and the predicate that can check it.

    ``condition`` is the case that it is for.
    """

    text: str
    start: int
    end: int
    kind: Kind
    priority: int
    predicate: str | None = None
    condition: str = ""
    note: str = ""  # why it has no predicate
    counted: bool = False  # its number is that of what the prompt shows, so it is of the whole answer
