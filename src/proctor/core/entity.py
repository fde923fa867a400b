"""A name that stands in a text: who, where, which organisation, which address."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Entity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A name in a text: ``text[start:end]``, its kind, and how sure the model is, from 0 to 1.

    ``suspected`` marks a word that nobody has read and that only looks like a name.
    """

    start: int
    end: int
    kind: str
    text: str
    score: float
    suspected: bool = False
