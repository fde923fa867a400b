"""A rate against its normal week: Bernoulli CUSUM charts for spikes of several sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from proctor.core.alert_record import RuleLimit
from proctor.core.event_row import EventRow
from proctor.monitor.alert_rules import AlertRule, opportunity_of
from proctor.monitor.detectors.event_run import EventRun
from proctor.monitor.detectors.hourly_counts import HourlyCounts
from proctor.monitor.detectors.recent_events import RecentEvents
from proctor.monitor.detectors.rule_reading import RuleReading, shown_rate, shown_span
from proctor.stats.bernoulli_cusum import RATIOS, Chart, chart, smallest_spike, thresholds
from proctor.stats.seasonal_rate import HOURS

__all__ = ["RateDetector"]

_HOUR: Final = 3600
_AGAIN: Final = 600.0  # a conversation's bad events within this time are one
_RECOVERED: Final = 3.0  # evidence of 20 to 1 that the rate is normal again
_SUSPECT: Final = 0.5  # of a threshold: from here on an hour waits before it becomes normal
_FIRST_WEEK: Final = 0.25  # of the false alarms that a rule may give, while it knows few hours
_NO_DATA: Final = 30.0  # events that should have come
_NO_DATA_SECONDS: Final = 600.0
_WORDS: Final = {"gate": "gate decisions", "csat": "ratings"}


class _Stream:
    """Signals among the events that they can come with."""

    __slots__ = ("charts", "hours", "kinds", "last", "name", "signals", "waiting", "wanted")

    def __init__(self, signals: tuple[str, ...], kinds: frozenset[str], name: str | None) -> None:
        self.signals, self.kinds, self.name = signals, kinds, name
        self.wanted = frozenset(signals)
        self.hours = HourlyCounts()
        self.charts: tuple[Chart, ...] = ()
        self.waiting = 0  # events without the signal that the charts have not seen yet
        self.last: float | None = None

    def takes(self, kind: str, name: str | None) -> bool:
        """Return whether the signals can come with such an event."""
        return kind in self.kinds and (self.name is None or self.name == name)


class RateDetector:
    """Watches the share of events with a signal, of one rule and slice."""

    def __init__(self, rule: AlertRule, part: Mapping[str, str]) -> None:
        self.rule, self.part = rule, dict(part)
        self._false_alarms = rule.false_alarms
        among: dict[tuple[frozenset[str], str | None], list[str]] = {}
        for signal in rule.signals:
            among.setdefault(opportunity_of(signal, rule.of), []).append(signal)
        self._streams = [_Stream(tuple(signals), *events) for events, signals in among.items()]
        turns = sorted((each for each in self._streams if "turn" in each.kinds), key=lambda each: len(each.kinds))
        self._turns = turns[0] if turns and len(self._streams) > 1 else None
        self._recent = RecentEvents()
        self._evidence = [0.0] * len(RATIOS)
        self._onset = [0.0] * len(RATIOS)
        self._levels: tuple[float, ...] = ()
        self._smallest: tuple[float, float | None] | None = None  # for so many bad events a minute
        self._recovery = 0.0
        self._firing: float | None = None  # when the problem began
        self._alarmed: RuleReading | None = None
        self._detailed = 0.0
        self._hour = -1
        self._seen: dict[str, float] = {}
        self.learnt = False

    def share(self, false_alarms: float) -> None:
        """Set how many false alarms a week this slice may give."""
        self._false_alarms = false_alarms
        self._hour = -1

    def observe(self, row: EventRow, arrived: float) -> None:
        """Count one event that arrived at a time."""
        counted = bad = 0
        kind, signals, time = row.kind, row.signals, row.time
        for stream in self._streams:
            among = stream.takes(kind, row.name)
            if signals and not stream.wanted.isdisjoint(signals) and not self._repeated(row):
                bad = 1
                stream.hours.add(time, int(among), 1)
                self._ring(stream, time, among=among)
            elif among:
                stream.waiting += 1
                stream.hours.add(time, 1, 0)
            if among:
                counted = 1
                stream.last = time
        if counted or bad:
            self._recent.add(row, int(counted and self._is_told(kind, row.name)), bad)

    def observe_run(self, run: EventRun, arrived: float) -> None:
        """Count events that arrived together and have no signals."""
        counted = False
        for stream in self._streams:
            if stream.takes(run.kind, run.name):
                stream.waiting += len(run)
                stream.hours.add_run(run)
                stream.last = run.last
                counted = True
        if counted and self._is_told(run.kind, run.name):
            self._recent.add_run(run)

    @property
    def _of(self) -> _Stream | None:
        """What the share that people read is of: turns, where several kinds of events tell about the same turn."""
        return self._turns if self._turns is not None and self._turns.last is not None else None

    def _is_told(self, kind: str, name: str | None) -> bool:
        return self._of is None or self._of.takes(kind, name)

    def _told(self) -> str:
        """Return the word for what the share is of."""
        kinds = frozenset().union(*(each.kinds for each in ([self._of] if self._of else self._streams)))
        return " and ".join(_WORDS.get(each, f"{each}s") for each in sorted(kinds, key=lambda each: each != "turn"))

    def _repeated(self, row: EventRow) -> bool:
        """Return whether a conversation's bad event was counted a moment ago: one event may be told twice."""
        if row.session is None:
            return False
        before = self._seen.get(row.session)
        if before is not None and abs(row.time - before) < _AGAIN:
            return True
        self._seen[row.session] = row.time
        return False

    def _ring(self, stream: _Stream, time: float, *, among: bool) -> None:
        self._settle()
        for place, of in enumerate(stream.charts):
            gain = of.up if among else of.up + of.down
            if self._evidence[place] <= 0.0:
                self._onset[place] = time
            self._evidence[place] += gain
        if stream.charts:
            self._recovery = max(0.0, self._recovery - stream.charts[0].up)

    def _settle(self) -> None:
        """Let the charts see the events without a signal, all at once: together they only ever lower the evidence."""
        falls = [0.0] * len(RATIOS)
        for stream in self._streams:
            if stream.waiting:
                for place, of in enumerate(stream.charts):
                    falls[place] += stream.waiting * of.down
                stream.waiting = 0
        self._evidence = [max(0.0, each - fall) for each, fall in zip(self._evidence, falls, strict=True)]
        self._recovery += falls[0]

    def _new_hour(self, now: float) -> None:
        """Take the normal rates of this hour, and thresholds for a normal week."""
        self._settle()
        self._hour, self._smallest = int(now // _HOUR), None
        week: list[tuple[float, float]] = []
        for stream in self._streams:
            season = stream.hours.season
            rate = season.rate(now)
            stream.charts = tuple(chart(rate, ratio) for ratio in RATIOS) if rate is not None else ()
            if rate is not None:
                week += season.week()
        # Until a whole week is known, what is normal is partly a guess, and the rule is more careful.
        known = max(stream.hours.season.hours for stream in self._streams) / HOURS
        self._levels = thresholds(week, self._false_alarms * max(_FIRST_WEEK, known)) if week else ()

    def check(self, now: float) -> RuleReading:
        """Return the state now."""
        if int(now // _HOUR) != self._hour:
            self._new_hour(now)
        self._settle()
        self._seen = {session: time for session, time in self._seen.items() if now - time < _AGAIN}
        if not self._levels:
            self._learn(now, hold=False)
            return RuleReading(state="unknown", message=self._learning())
        place = max(range(len(RATIOS)), key=lambda each: self._evidence[each] / self._levels[each])
        part = self._evidence[place] / self._levels[place]
        if self._firing is None and part >= 1.0:
            self._firing, self._recovery = self._onset[place], 0.0
        elif self._firing is not None and self._recovery >= _RECOVERED:
            self.restart(now, new_normal=False)
        if self._firing is not None:
            for stream in self._streams:
                stream.hours.exclude(self._firing, now)
            self._evidence = [min(each, 2 * level) for each, level in zip(self._evidence, self._levels, strict=True)]
            return self._alarm(now, place)
        self._learn(now, hold=part >= _SUSPECT)
        if (missing := self._missing(now)) is not None:
            return missing
        return RuleReading(
            state="pending" if part >= _SUSPECT else "ok",
            statistic=self._evidence[place],
            threshold=self._levels[place],
            baseline=self._normal(now),
            message=f"normal rate {shown_rate(self._normal(now) or 0)}",
        )

    def _learn(self, now: float, *, hold: bool) -> None:
        changed = [stream.hours.close(now, hold=hold) for stream in self._streams]
        self._recent.fold(now, keep=not hold)
        if any(changed):
            self.learnt = True
            self._new_hour(now)

    def _learning(self) -> str:
        events = sum(stream.hours.season.events for stream in self._streams)
        bad = sum(stream.hours.season.bad for stream in self._streams)
        return f"learning what is normal, from {events:.0f} events so far, {bad:.0f} of them bad"

    def _normal(self, now: float) -> float | None:
        """Return the normal share of events of the rule at a time."""
        events, bad = self._usually(now, now - _HOUR, now, least=1.0)
        return bad / events if events else None

    def _usually(self, now: float, start: float, end: float, *, least: float = 0.0) -> tuple[float, float]:
        """Return how many events, and bad ones, normally come between two times at the rates of now."""
        events = turns = bad = 0.0
        for stream in self._streams:
            rate = stream.hours.season.rate(now)
            if rate is not None:
                count = stream.hours.season.expected(start, end) or least
                events += count
                bad += count * rate
                if stream is self._of:
                    turns = count
        return turns or events, bad

    def _alarm(self, now: float, place: int) -> RuleReading:
        start = self._firing or now
        before = self._alarmed
        if before is not None and now - self._detailed < (now - start) / 10:  # the longer, the less it changes
            return replace(before, statistic=self._evidence[place])  # its window is the one that was counted
        self._alarmed, self._detailed = self._counted_alarm(now, place, start), now
        return self._alarmed

    def _counted_alarm(self, now: float, place: int, start: float) -> RuleReading:
        events, bad = self._recent.counts(start, now)
        normal = self._normal(now) or 0.0
        moved = self._recent.moved(start, now, normal)
        value = bad / events if events else None
        times = f", {value / normal:.2g} times the normal {shown_rate(normal)}" if value and normal else ""
        what = ", ".join(self.rule.signals)
        share = f"{bad} of {events} {self._told()} ({shown_rate(value or 0)})"
        where = f"; mostly {moved[0].dimension} {moved[0].value}" if moved else ""
        return RuleReading(
            state="firing",
            window_start=start,
            window_end=now,
            bad=bad,
            events=events,
            value=value,
            baseline=normal,
            statistic=self._evidence[place],
            threshold=self._levels[place],
            message=f"{what}: {share} in {shown_span(now - start)}{times}{where}",
            examples=self._recent.examples(start, now, moved),
            moved=moved,
        )

    def _missing(self, now: float) -> RuleReading | None:
        """Return a reading if events that should have come did not: a dead scorer looks like perfect answers."""
        for stream in self._streams:
            last = stream.last
            if last is None or now - last < _NO_DATA_SECONDS:
                continue
            expected = stream.hours.season.expected(last, now)
            if expected >= _NO_DATA:
                return RuleReading(
                    state="no_data",
                    window_start=last,
                    window_end=now,
                    baseline=expected,
                    value=0.0,
                    message=f"{', '.join(stream.signals)}: nothing to judge for {shown_span(now - last)}, "
                    f"normally {expected:.0f} events",
                )
        return None

    def limit(self, now: float) -> RuleLimit:
        """Return the smallest spike that can be seen at the current traffic."""
        if int(now // _HOUR) != self._hour:
            self._new_hour(now)
        made = RuleLimit(rule=self.rule.name, kind="rate", slice=self.part, within=self.rule.window)
        if not self._levels:
            return replace(made, text=f"nothing yet: {self._learning()}")
        hour = now // _HOUR * _HOUR
        events, bad = (count / 60 for count in self._usually(now, hour, hour + _HOUR))
        minutes = self.rule.window / 60
        if self._smallest is None or self._smallest[0] != bad:
            self._smallest = bad, smallest_spike(bad, minutes, self._levels)
        smallest = self._smallest[1]
        most = events / bad if bad else math.inf
        text = f"normally {bad:.2g} bad of {events:.3g} {self._told()} a minute; "
        if smallest is None or smallest > most:
            smallest = None
            text += f"no spike is certain to be seen in {shown_span(self.rule.window)} at this traffic"
        else:
            text += f"sees {smallest:.2g} times that in {shown_span(self.rule.window)} with 99 %"
        return replace(
            made,
            smallest=smallest,
            events_per_minute=events,
            bad_per_minute=bad,
            normal=bad / events if events else None,
            false_alarms_per_week=self._false_alarms,
            text=text,
        )

    def restart(self, now: float, *, new_normal: bool) -> None:
        """Count from zero after an alert ended; with ``new_normal`` its level is normal from now on."""
        if new_normal and self._firing is not None:
            events, bad = self._recent.counts(self._firing, now)
            normal = self._normal(now)
            if events and bad and normal:
                for stream in self._streams:
                    stream.hours.season.move(bad / events / normal)
        for stream in self._streams:
            if self._firing is not None:
                stream.hours.skip(now)
            stream.waiting = 0
        self._evidence = [0.0] * len(RATIOS)
        self._recovery, self._firing, self._alarmed = 0.0, None, None
        self._new_hour(now)

    def dump(self, *, whole: bool) -> dict[str, Any]:
        """Return all that has to outlive the process; without ``whole``, what changes with every event."""
        self._settle()
        kept: dict[str, Any] = {
            "streams": {each.signals[0]: {**each.hours.dump(whole=whole), "last": each.last} for each in self._streams},
            "evidence": self._evidence,
            "onset": self._onset,
            "recovery": self._recovery,
            "firing": self._firing,
        }
        return {**kept, "recent": self._recent.dump()} if whole else kept

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from what was dumped."""
        for stream in self._streams:
            kept = data.get("streams", {}).get(stream.signals[0])
            if isinstance(kept, Mapping):
                stream.hours.restore(kept)
                stream.last = kept.get("last")
        if len(data.get("evidence", ())) == len(RATIOS):
            self._evidence = [float(each) for each in data["evidence"]]
            self._onset = [float(each) for each in data["onset"]]
        self._recovery, self._firing = float(data.get("recovery", 0.0)), data.get("firing")
        if isinstance(recent := data.get("recent"), Mapping):
            self._recent.restore(recent)
        self._hour = -1
