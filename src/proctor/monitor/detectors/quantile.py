"""The P95 of latency or cost against its limit, or against the usual: a bound by order statistics, never a guess."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from proctor.core.alert_record import RuleLimit
from proctor.core.event_row import EventRow
from proctor.monitor.alert_rules import AlertRule
from proctor.monitor.detectors.event_run import EventRun
from proctor.monitor.detectors.recent_events import RecentEvents
from proctor.monitor.detectors.rule_reading import RuleReading, shown_span
from proctor.stats.quantile_bound import breach_count, smallest_breach

__all__ = ["QuantileDetector"]

_QUANTILE: Final = 0.95
_LOOKS: Final = 10_080.0  # a week has this many minutes; looks within one see nearly the same events
_STEP: Final = math.log(1.05)
_BINS: Final = 400
_USUAL: Final = 1_000.0  # values that show what is usual
_KEEP: Final = 0.8
_HOUR: Final = 3600
_WEEK: Final = 168 * _HOUR
_MOST: Final = 200_000  # values in a window; of more, the newest


@lru_cache(maxsize=100_000)
def _needed(total: int, alpha: float) -> int | None:
    return breach_count(total, _QUANTILE, alpha)


class QuantileDetector:
    """Watches the P95 of one rule and slice."""

    def __init__(self, rule: AlertRule, part: Mapping[str, str]) -> None:
        self.rule, self.part = rule, dict(part)
        self._alpha = min(0.01, rule.false_alarms / _LOOKS)
        self._values: deque[tuple[float, float]] = deque(maxlen=_MOST)
        self._above = 0
        self._bound: float | None = None  # the limit that `_above` counts against
        self._recent = RecentEvents()
        self._usual: dict[int, float] = {}
        self._hours: dict[int, dict[int, int]] = {}
        self._faded = 0.0
        self._since: float | None = None
        self._firing: float | None = None
        self.learnt = False

    def share(self, false_alarms: float) -> None:
        """Set how many false alarms a week this slice may give."""
        self._alpha = min(0.01, false_alarms / _LOOKS)

    def observe(self, row: EventRow, arrived: float) -> None:
        """Count one event that arrived at a time."""
        value = row.latency if self.rule.measure == "latency" else row.cost
        if row.kind != "turn" or value is None or not (math.isfinite(value) and value >= 0):
            return
        above = self._bound is not None and value > self._bound
        if len(self._values) == _MOST:
            self._drop()
        self._above += above
        self._recent.add(row, 1, int(above))
        self._count(row.time, value)

    def observe_run(self, run: EventRun, arrived: float) -> None:
        """Count events that arrived together and have no signals."""
        if run.kind != "turn":
            return
        of_latency, bound = self.rule.measure == "latency", math.inf if self._bound is None else self._bound
        values = [row.latency if of_latency else row.cost for row in run.rows]
        if len(self._values) + len(values) > _MOST or not all(
            value is not None and 0 <= value <= bound and value < math.inf for value in values
        ):
            for row in run.rows:
                self.observe(row, arrived)
            return
        self._recent.add_run(run)
        for row, value in zip(run.rows, values, strict=True):
            self._count(row.time, value or 0.0)

    def _count(self, time: float, value: float) -> None:
        self._values.append((time, value))
        if self.rule.limit is None:
            hour = self._hours.setdefault(int(time // _HOUR), {})
            place = _bin(value)
            hour[place] = hour.get(place, 0) + 1

    def _drop(self) -> None:
        _, value = self._values.popleft()
        self._above -= self._bound is not None and value > self._bound

    def check(self, now: float) -> RuleReading:
        """Return the state now."""
        start = now - self.rule.window
        while self._values and self._values[0][0] < start:
            self._drop()
        bound = self._limit()
        if bound is None:
            self._learn(now, hold=False)
            return RuleReading(state="unknown", message="learning the usual P95: too few values so far")
        if bound != self._bound:
            self._bound = bound
            self._above = sum(value > bound for _, value in self._values)
        total = len(self._values)
        suspect = total >= self.rule.least and self._above > (1 - _QUANTILE) * total
        needed = _needed(total, self._alpha) if suspect or self._firing is not None else None
        breached = needed is not None and self._above >= needed
        self._follow(now, total, breached)
        self._learn(now, hold=self._firing is not None or self._since is not None)
        reading = RuleReading(
            state="ok",
            window_start=start,
            window_end=now,
            bad=self._above,
            events=total,
            baseline=bound,
            statistic=float(self._above),
            threshold=float(needed) if needed is not None else None,
            message=f"limit {self._shown(bound)}, {self._above} of {total} above it",
        )
        if self._firing is not None:
            return self._alarm(reading, now, bound)
        if total < self.rule.least:
            few = f"{total} values in {shown_span(self.rule.window)}, needs {self.rule.least}"
            return replace(reading, state="unknown" if total == 0 else "ok", message=few)
        return replace(reading, state="pending") if self._since is not None else reading

    def _follow(self, now: float, total: int, breached: bool) -> None:
        """Fire when the breach has lasted; end when the P95 itself is back at its limit."""
        if breached:
            self._since = now if self._since is None else self._since
            if self._firing is None and now - self._since >= self.rule.hold:
                self._firing = self._since
        elif self._firing is None:
            self._since = None
        elif total >= self.rule.least and self._above <= (1 - _QUANTILE) * total:
            self._firing = self._since = None

    def _alarm(self, reading: RuleReading, now: float, bound: float) -> RuleReading:
        start = max(reading.window_start, (self._firing or now) - self.rule.window)
        moved = self._recent.moved(reading.window_start, now, 1 - _QUANTILE)
        values = sorted(value for _, value in self._values)
        found = values[max(0, math.ceil(_QUANTILE * len(values)) - 1)] if values else None
        where = f"; mostly {moved[0].dimension} {moved[0].value}" if moved else ""
        shown = "unknown" if found is None else self._shown(found)
        return replace(
            reading,
            state="firing",
            window_start=start,
            value=found,
            message=f"P95 of {self.rule.measure} is {shown} over {reading.events} turns in "
            f"{shown_span(self.rule.window)}, limit {self._shown(bound)}: {reading.bad} are above it, "
            f"{reading.threshold or 0:.0f} would show a breach{where}",
            examples=self._recent.examples(reading.window_start, now, moved),
            moved=moved,
        )

    def _shown(self, value: float) -> str:
        return f"{value:.3g} s" if self.rule.measure == "latency" else f"${value:.3g}"

    def _limit(self) -> float | None:
        if self.rule.limit is not None:
            return self.rule.limit
        total = sum(self._usual.values())
        if total < _USUAL:
            return None
        seen = 0.0
        for place in sorted(self._usual):
            seen += self._usual[place]
            if seen >= _QUANTILE * total:
                return self.rule.times * math.exp((place + 1) * _STEP)
        return None

    def _learn(self, now: float, *, hold: bool) -> None:
        """Add closed hours to what is usual; hours of an incident never."""
        current = int(now // _HOUR)
        self._recent.fold(now, keep=not hold)
        for hour in [each for each in self._hours if each < current]:
            counts = self._hours.pop(hour)
            if hold:
                continue
            if now - self._faded >= _WEEK:
                self._usual = {place: count * _KEEP for place, count in self._usual.items()}
                self._faded = now
            for place, count in counts.items():
                self._usual[place] = self._usual.get(place, 0.0) + count
            self.learnt = True
        if hold:
            self._hours.pop(current, None)

    def limit(self, now: float) -> RuleLimit:
        """Return the smallest spike that can be seen at the current traffic."""
        inside = [time for time, _ in self._values if time >= now - self.rule.window]
        total, bound = len(inside), self._limit()
        made = RuleLimit(
            rule=self.rule.name,
            kind="p95",
            slice=self.part,
            within=self.rule.window + self.rule.hold,
            events_per_minute=total / self.rule.window * 60,
            normal=bound,
            false_alarms_per_week=self._alpha * _LOOKS,
        )
        if bound is None:
            return replace(made, text="nothing yet: learning the usual P95")
        share = smallest_breach(total, _QUANTILE, self._alpha) if total >= self.rule.least else None
        if share is None:
            text = f"cannot judge {total} values in {shown_span(self.rule.window)}: needs {self.rule.least}"
            return replace(made, text=text)
        text = f"limit {self._shown(bound)}; sees it when {share:.0%} of {total} turns are above it (normally 5 %)"
        return replace(made, smallest=share, text=text)

    def restart(self, now: float, *, new_normal: bool) -> None:
        """Count from zero after an alert ended; with ``new_normal`` its level is normal from now on."""
        if new_normal and self.rule.limit is None:
            values = sorted(value for _, value in self._values)
            if values and self._usual:
                now_p95 = values[max(0, math.ceil(_QUANTILE * len(values)) - 1)]
                shift = round(math.log(max(now_p95, 1e-6) * self.rule.times / (self._limit() or 1.0)) / _STEP)
                self._usual = {place + shift: count for place, count in self._usual.items()}
                self.learnt = True
        self._values.clear()
        self._above = 0
        self._since = self._firing = None

    def dump(self, *, whole: bool) -> dict[str, Any]:
        """Return all that has to outlive the process; without ``whole``, what changes with every event."""
        kept: dict[str, Any] = {"firing": self._firing, "since": self._since, "faded": self._faded}
        if whole:
            kept |= {
                "usual": [[place, round(count, 2)] for place, count in self._usual.items()],
                "hours": [[hour, list(map(list, counts.items()))] for hour, counts in self._hours.items()],
                "recent": self._recent.dump(),
            }
        return kept

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from what was dumped."""
        self._firing, self._since = data.get("firing"), data.get("since")
        self._faded = float(data.get("faded", 0.0))
        if "usual" in data:
            self._usual = {int(place): float(count) for place, count in data["usual"]}
            self._hours = {int(hour): {int(p): int(c) for p, c in counts} for hour, counts in data["hours"]}
            self._recent.restore(data.get("recent", {}))


def _bin(value: float) -> int:
    return max(-_BINS, min(_BINS, math.floor(math.log(max(value, 1e-6)) / _STEP)))
