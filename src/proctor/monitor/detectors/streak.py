"""Bad events in a row, with no good one between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from proctor.core.alert_record import RuleLimit
from proctor.core.event_row import EventRow
from proctor.monitor.alert_rules import AlertRule, opportunity_of
from proctor.monitor.detectors.event_run import EventRun
from proctor.monitor.detectors.rule_reading import RuleReading, shown_span

__all__ = ["StreakDetector"]


class StreakDetector:
    """Watches for N bad events in a row, of one rule and slice; N good ones in a row end it."""

    def __init__(self, rule: AlertRule, part: Mapping[str, str]) -> None:
        self.rule, self.part = rule, dict(part)
        self._streams = [(signal, *opportunity_of(signal, rule.of)) for signal in rule.signals]
        self._bad = self._good = 0
        self._began: float | None = None
        self._last: float | None = None
        self._firing: float | None = None
        self._sessions: deque[str] = deque(maxlen=10)
        self.learnt = False

    def share(self, false_alarms: float) -> None:
        """Nothing: this kind of rule does not ring by chance."""

    def observe(self, row: EventRow, arrived: float) -> None:
        """Count one event that arrived at a time."""
        wrong = any(signal in row.signals for signal, _, _ in self._streams)
        among = any(row.kind in kinds and name in (None, row.name) for _, kinds, name in self._streams)
        if wrong:
            self._began = row.time if self._bad == 0 else self._began
            self._bad, self._good, self._last = self._bad + 1, 0, row.time
            if row.session:
                self._sessions.append(row.session)
            if self._bad >= self.rule.count and self._firing is None:
                self._firing = self._began
        elif among:
            self._good, self._last = self._good + 1, row.time
            if self._firing is None:
                self._bad = 0
                self._sessions.clear()

    def observe_run(self, run: EventRun, arrived: float) -> None:
        """Count events that arrived together and have no signals."""
        for row in run.rows:
            self.observe(row, arrived)

    def check(self, now: float) -> RuleReading:
        """Return the state now."""
        if self._firing is not None and self._good >= self.rule.count:
            self.restart(now, new_normal=False)
        if self._firing is None:
            state = "unknown" if self._last is None else "pending" if 2 * self._bad > self.rule.count else "ok"
            return RuleReading(state=state, bad=self._bad, threshold=self.rule.count)  # type: ignore[arg-type]
        what = ", ".join(self.rule.signals)
        return RuleReading(
            state="firing",
            window_start=self._firing,
            window_end=now,
            bad=self._bad,
            events=self._bad,
            value=float(self._bad),
            statistic=float(self._bad),
            threshold=float(self.rule.count),
            message=f"{what}: {self._bad} bad events without {self.rule.count} good ones in a row between them,"
            f" for {shown_span(now - self._firing)}",
            examples=tuple(dict.fromkeys(self._sessions)),
        )

    def limit(self, now: float) -> RuleLimit:
        """Return the smallest spike that can be seen: it does not depend on the traffic."""
        text = f"sees {self.rule.count} in a row; a single good event between them starts the count again"
        return RuleLimit(
            rule=self.rule.name, kind="in_a_row", slice=self.part, smallest=float(self.rule.count), share=1.0, text=text
        )

    def restart(self, now: float, *, new_normal: bool) -> None:
        """Count from zero after an alert ended."""
        self._bad = self._good = 0
        self._firing = self._began = None
        self._sessions.clear()

    def dump(self, *, whole: bool) -> dict[str, Any]:
        """Return all that has to outlive the process."""
        return {
            "bad": self._bad,
            "good": self._good,
            "began": self._began,
            "last": self._last,
            "firing": self._firing,
            "sessions": list(self._sessions),
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from what was dumped."""
        self._bad, self._good = int(data.get("bad", 0)), int(data.get("good", 0))
        self._began, self._last, self._firing = data.get("began"), data.get("last"), data.get("firing")
        self._sessions = deque(data.get("sessions", ()), maxlen=10)
