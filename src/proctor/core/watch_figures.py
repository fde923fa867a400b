"""What is going on in production right now, beside what is normal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from proctor.core.alert_record import AlertRecord, RuleStatus
from proctor.core.record import dataclass

__all__ = ["WatchFigures", "WatchRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRow:
    """One figure of the last minutes, and the same hour of the weeks before; ``None`` is unknown."""

    name: str
    now: float | None = None
    normal: float | None = None
    count: int = 0
    of: int = 0
    unit: str = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchFigures:
    """One look at production. ``time`` and ``last_event`` are in seconds since the epoch, ``window`` in seconds.

    ``intents`` are turns of the window. ``scoring`` is how the background scoring is doing: waiting, lag, scored,
    unscored; empty if nothing is scored.
    """

    time: float
    window: float
    rows: tuple[WatchRow, ...] = ()
    intents: Mapping[str, int] = field(default_factory=dict)
    alerts: tuple[AlertRecord, ...] = ()
    rules: tuple[RuleStatus, ...] = ()
    last_event: float | None = None
    scoring: Mapping[str, float | str] = field(default_factory=dict)
