"""What has come in since a process started, for a monitoring system that asks from time to time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["LATENCY_BUCKETS", "LiveFigures"]

LATENCY_BUCKETS = tuple(0.01 * 2**power for power in range(14))  # seconds, as OpenTelemetry recommends for models


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFigures:
    """Counts of events by kind, of signals by name, and turns by latency; ``latency`` has one count more than buckets.

    ``lag`` is how late the last events arrived (median, in seconds), ``late`` how many came too late to be judged.
    """

    events: Mapping[str, int] = field(default_factory=dict)
    signals: Mapping[str, int] = field(default_factory=dict)
    latency: tuple[int, ...] = (0,) * (len(LATENCY_BUCKETS) + 1)
    latency_sum: float = 0.0
    cost: float = 0.0
    lag: float | None = None
    late: int = 0
    leads: bool = False
