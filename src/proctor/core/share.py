"""A share with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["Share"]


class Bounds(Protocol):
    """The two ends of an interval."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """``hits`` of ``total`` with the 95 % interval; the share is none where nothing was counted."""

    hits: int = 0
    total: int = 0
    value: float | None = None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, hits: int, total: int, interval: Bounds | None) -> Share:
        """So many of so many with this interval; without one nothing is known."""
        if interval is None:
            return cls(hits=hits, total=total)
        return cls(hits=hits, total=total, value=hits / total, low=interval.low, high=interval.high)
