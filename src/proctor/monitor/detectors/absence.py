"""Events that stop coming, when at this hour of the week they normally come; and events that come late."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from typing import Any, Final

from proctor.core.alert_record import RuleLimit
from proctor.core.event_row import EventRow
from proctor.monitor.alert_rules import AlertRule, opportunity_of
from proctor.monitor.detectors.event_run import EventRun
from proctor.monitor.detectors.hourly_counts import HourlyCounts
from proctor.monitor.detectors.rule_reading import RuleReading, shown_span
from proctor.stats.seasonal_rate import HOURS

__all__ = ["AbsenceDetector", "LagDetector"]

_DAY_HOURS: Final = 24  # of a normal week before the hour of the week is believed
_HOUR: Final = 3600.0


class AbsenceDetector:
    """Watches that some kind of event keeps coming."""

    def __init__(self, rule: AlertRule, part: Mapping[str, str]) -> None:
        self.rule, self.part = rule, dict(part)
        source = rule.signals[0]
        self._kinds, self._name = (frozenset({source}), None) if "/" not in source else opportunity_of(source)
        self._hours = HourlyCounts()
        self._last: float | None = None
        self._lately: deque[float] = deque(maxlen=rule.least)
        self.learnt = False

    def share(self, false_alarms: float) -> None:
        """Nothing: this kind of rule does not ring by chance."""

    def observe(self, row: EventRow, arrived: float) -> None:
        """Count one event that arrived at a time."""
        if row.kind in self._kinds and self._name in (None, row.name):
            if self._last is None or row.time > self._last:
                self._last = row.time
            self._lately.append(row.time)
            self._hours.add(row.time, 1, 0)

    def observe_run(self, run: EventRun, arrived: float) -> None:
        """Count events that arrived together and have no signals."""
        if run.kind in self._kinds and self._name in (None, run.name):
            if self._last is None or run.newest > self._last:
                self._last = run.newest
            self._lately.extend([row.time for row in run.rows])
            self._hours.add_run(run)

    def check(self, now: float) -> RuleReading:
        """Return the state now."""
        if self._last is None:
            return RuleReading(state="unknown", message=f"no {self.rule.signals[0]} has come yet")
        gap, expected = now - self._last, self._expected(now)
        missing = gap >= self.rule.window and expected >= self.rule.least
        if missing and self._hours.season.hours >= HOURS:
            self._hours.exclude(self._last, now)
        elif missing:  # in the first week a quiet night must be learnt, or every night would be an incident
            self.learnt |= self._hours.close(now, hold=False)
        else:
            self.learnt |= self._hours.close(now, hold=gap >= self.rule.window / 2)
        return RuleReading(
            state="no_data" if missing else "ok",
            window_start=self._last,
            window_end=now,
            value=0.0 if missing else None,
            baseline=expected,
            statistic=gap,
            threshold=self.rule.window,
            message=f"no {self.rule.signals[0]} for {shown_span(gap)}, normally {expected:.0f} in that time"
            if missing
            else f"the last {self.rule.signals[0]} came {shown_span(max(0.0, gap))} ago",
        )

    def _expected(self, now: float) -> float:
        """Return how many events normally come in the time since the last; before a day is known, as many as lately."""
        assert self._last is not None
        if self._hours.season.hours >= _DAY_HOURS:
            return self._hours.season.expected(self._last, now)
        if len(self._lately) < 2 or len(self._lately) < self.rule.least:
            return 0.0
        return (now - self._last) * len(self._lately) / max(60.0, self._last - self._lately[0])

    def limit(self, now: float) -> RuleLimit:
        """Return the shortest silence that can be seen at this hour."""
        made = RuleLimit(rule=self.rule.name, kind="absence", slice=self.part, share=1.0)
        if self._hours.season.hours < _DAY_HOURS:
            text = "knows less than a day: as many events are expected as came lately"
            return replace(made, smallest=self.rule.window, within=self.rule.window, text=text)
        hourly = self._hours.season.expected(now, now + _HOUR)
        if hourly <= 0:
            return replace(made, events_per_minute=0.0, text="nothing normally comes at this hour")
        needed = max(self.rule.window, self.rule.least / hourly * _HOUR)
        text = f"sees a silence of {shown_span(needed)}: {self.rule.least} events that normally come"
        return replace(made, smallest=needed, within=needed, events_per_minute=hourly / 60, text=text)

    def restart(self, now: float, *, new_normal: bool) -> None:
        """Wait for the next event after a person ended the alert; with ``new_normal`` forget what is normal."""
        if new_normal:
            self._hours = HourlyCounts()
        self._last = None
        self._lately.clear()

    def dump(self, *, whole: bool) -> dict[str, Any]:
        """Return all that has to outlive the process."""
        return {"last": self._last, "hours": self._hours.dump(whole=whole)}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from what was dumped."""
        self._last = data.get("last")
        if isinstance(hours := data.get("hours"), Mapping):
            self._hours.restore(hours)


class LagDetector:
    """Watches how late events arrive here: alerts are late by as much."""

    def __init__(self, rule: AlertRule, part: Mapping[str, str]) -> None:
        self.rule, self.part = rule, dict(part)
        self._lags: deque[tuple[float, float]] = deque(maxlen=10_000)
        self._firing: float | None = None
        self.learnt = False

    def share(self, false_alarms: float) -> None:
        """Nothing: this kind of rule does not ring by chance."""

    def observe(self, row: EventRow, arrived: float) -> None:
        """Count one event that arrived at a time."""
        self._lags.append((arrived, arrived - row.time))

    def observe_run(self, run: EventRun, arrived: float) -> None:
        """Count events that arrived together and have no signals."""
        self._lags.extend([(arrived, arrived - row.time) for row in run.rows])

    def check(self, now: float) -> RuleReading:
        """Return the state now."""
        while self._lags and self._lags[0][0] < now - self.rule.window:
            self._lags.popleft()
        limit = self.rule.limit or 0.0
        if len(self._lags) < self.rule.least:
            text = f"{len(self._lags)} events in {shown_span(self.rule.window)}, needs {self.rule.least}"
            if self._firing is None:
                return RuleReading(state="unknown" if not self._lags else "ok", message=text)
        lag = median(each for _, each in self._lags) if self._lags else 0.0
        if lag > limit:
            self._firing = now if self._firing is None else self._firing
        elif lag <= limit / 2 or not self._lags:
            self._firing = None
        late = sum(each > limit for _, each in self._lags)
        return RuleReading(
            state="firing" if self._firing is not None else "ok",
            window_start=now - self.rule.window,
            window_end=now,
            bad=late,
            events=len(self._lags),
            value=lag,
            statistic=lag,
            threshold=limit,
            message=f"events arrive {shown_span(max(0.0, lag))} late (median of {len(self._lags)}), "
            f"limit {shown_span(limit)}: alerts come as late",
        )

    def limit(self, now: float) -> RuleLimit:
        """Return the smallest lag that is reported."""
        limit = self.rule.limit or 0.0
        text = f"sees a median lag of more than {shown_span(limit)} over {self.rule.least} or more events"
        return RuleLimit(
            rule=self.rule.name,
            kind="lag",
            slice=self.part,
            smallest=limit,
            within=self.rule.window,
            share=1.0,
            text=text,
        )

    def restart(self, now: float, *, new_normal: bool) -> None:
        """Count from zero after an alert ended."""
        self._lags.clear()
        self._firing = None

    def dump(self, *, whole: bool) -> dict[str, Any]:
        """Return all that has to outlive the process."""
        return {"firing": self._firing}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from what was dumped."""
        self._firing = data.get("firing")
