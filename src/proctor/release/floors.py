"""Minimum values per intent and dimension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proctor.release.measures import ALL

__all__ = ["DEFAULT", "Floor", "Floors"]

DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """The minimum of a mean, and in how many consecutive runs it must be below before it counts."""

    SHORTHAND = "least"

    least: float
    consecutive: int | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.least <= 1.0:
            raise ValueError(f"a floor is from 0 to 1, not {self.least:g}")
        if self.consecutive is not None and self.consecutive < 1:
            raise ValueError(f"consecutive must be at least 1, not {self.consecutive}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """Floors by intent and by dimension or sub-score.

    ``default`` applies to every intent that is not named; ``all`` is the row over all intents.
    """

    by_intent: Mapping[str, Mapping[str, Floor]]

    def of(self, intent: str, name: str) -> Floor | None:
        """Return the floor of one figure; ``None`` if there is none."""
        named = self.by_intent.get(intent)
        if named is None and intent != ALL:
            named = self.by_intent.get(DEFAULT)
        return (named or {}).get(name)
