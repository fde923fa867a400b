"""What a detector says when it is asked, and what every detector can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from proctor.core.alert_record import MovedSlice, RuleLimit, RuleState
from proctor.core.event_row import EventRow
from proctor.core.record import dataclass
from proctor.monitor.detectors.event_run import EventRun

__all__ = ["Detector", "RuleReading", "shown_rate", "shown_span"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleReading:
    """The state of a rule at one moment, with its numbers."""

    state: RuleState
    window_start: float = 0.0
    window_end: float = 0.0
    bad: int = 0
    events: int = 0
    value: float | None = None
    baseline: float | None = None
    statistic: float | None = None
    threshold: float | None = None
    message: str = ""
    examples: tuple[str, ...] = ()
    moved: tuple[MovedSlice, ...] = ()


class Detector(Protocol):
    """Counts events for one rule and slice; ``learnt`` says that what is normal has changed since it was kept."""

    part: dict[str, str]
    learnt: bool

    def share(self, false_alarms: float) -> None:
        """Set how many false alarms a week this slice may give."""
        ...

    def observe(self, row: EventRow, arrived: float) -> None:
        """Count one event that arrived at a time."""
        ...

    def observe_run(self, run: EventRun, arrived: float) -> None:
        """Count events that arrived together and have no signals; the same as to observe each."""
        ...

    def check(self, now: float) -> RuleReading:
        """Return the state now."""
        ...

    def limit(self, now: float) -> RuleLimit:
        """Return the smallest spike that can be seen at the current traffic."""
        ...

    def restart(self, now: float, *, new_normal: bool) -> None:
        """Count from zero after an alert ended; with ``new_normal`` its level is normal from now on."""
        ...

    def dump(self, *, whole: bool) -> dict[str, Any]:
        """Return all that has to outlive the process; without ``whole``, what changes with every event."""
        ...

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from what was dumped."""
        ...


def shown_rate(rate: float) -> str:
    """Return a share as people read it."""
    return f"{rate * 100:.{3 if rate >= 0.0995 else 2}g} %"


def shown_span(seconds: float) -> str:
    """Return a duration as people read it."""
    for size, unit in ((86_400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size or (seconds >= size and seconds % size == 0):
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
