"""A named entity in a text: a person, a place, an organisation or an address."""

from __future__ import annotations

from proctor.core.record import dataclass

__all__ = ["Entity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A name in a text: ``text[start:end]``, its kind, and the model's confidence from 0 to 1.

    ``suspected`` marks an unread word that only looks like a name.
    """

    start: int
    end: int
    kind: str
    text: str
    score: float
    suspected: bool = False
