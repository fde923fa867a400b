"""A share with its interval."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Share"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """``hits`` of ``total`` with the 95 % interval; the share is none where nothing was counted."""

    hits: int = 0
    total: int = 0
    value: float | None = None
    low: float | None = None
    high: float | None = None
