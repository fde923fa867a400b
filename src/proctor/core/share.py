"""A share with its interval."""

from __future__ import annotations

from typing import Protocol

from proctor.core.record import dataclass

__all__ = ["Share"]


class Bounds(Protocol):
    """The bounds of an interval."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """``hits`` of ``total`` with the 95 % interval; the share is None if nothing was counted."""

    hits: int = 0
    total: int = 0
    value: float | None = None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, hits: int, total: int, interval: Bounds | None) -> Share:
        """Return the share with this interval; without one it has no value."""
        if interval is None:
            return cls(hits=hits, total=total)
        return cls(hits=hits, total=total, value=hits / total, low=interval.low, high=interval.high)
