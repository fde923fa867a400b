"""The alert engine: events in, changes of alerts out, every state kept so that a killed process goes on."""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

from proctor.core.alert_record import AlertChange, AlertRecord, AlertStore, ChangeKind, RuleLimit, RuleStatus, Silence
from proctor.core.event import EventKind
from proctor.core.event_row import EventRow
from proctor.core.live_figures import LiveFigures
from proctor.monitor.alert_rules import AlertRule
from proctor.monitor.detectors.event_run import runs_of
from proctor.monitor.detectors.rule_reading import Detector, RuleReading
from proctor.monitor.live_counts import LiveCounts
from proctor.monitor.watched_rule import WatchedRule, fingerprint_of

__all__ = ["AlertEngine"]

_LATE: Final = 900.0  # an event older than this when it arrives says nothing about now
_AHEAD: Final = 60.0  # a sender's clock that is ahead by more is corrected
_LEAD_SECONDS: Final = 60.0
_AGAIN_WITHIN: Final = 1800.0  # a problem that comes back this soon is the same one
_WHOLE_EVERY: Final = 300.0
_FIGURES_EVERY: Final = 30.0
_HOUR: Final = 3600.0


class AlertEngine:
    """Counts events for every rule, and says at each tick which alerts fired, ended or lost their data.

    Among several processes on one store only one decides at a time. ``clock`` gives the time of arrival, where it is
    not given with the event. What is counted is kept every ``save_every`` seconds, and whenever an alert changes.
    """

    def __init__(
        self,
        rules: Sequence[AlertRule],
        state: AlertStore,
        *,
        clock: Callable[[], float] = time.time,
        owner: str | None = None,
        save_every: float = 10.0,
    ) -> None:
        self.rules, self.state = tuple(rules), state
        self.owner = owner or f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self.late = 0  # events that came too late to say anything about now
        self.leads = False
        self.counts = LiveCounts()
        self._clock = clock
        self._lock = threading.RLock()  # events are counted on other threads than the one that ticks
        self._watched = [WatchedRule(rule) for rule in self.rules]
        self._by_kind = {
            kind: [each.counter for each in self._watched if each.kinds is None or kind in each.kinds]
            for kind in get_args(EventKind)
        }
        self._lag = [each.counter for each in self._watched if each.rule.kind == "lag"]
        for each in self._watched:
            each.restore(state.load)
        kept = state.load("engine") or {}
        self.seen_until = float(kept.get("seen_until", 0.0))  # events up to here are counted, also after a restart
        self._open: dict[str, int] = {str(name): int(number) for name, number in kept.get("open", {}).items()}
        self._said: set[tuple[int, str]] = set()
        self._is_untold = False  # a tick failed, or its changes could not be handed on
        self._states: dict[str, tuple[str, float]] = {}
        self._figures: dict[str, float] = {}
        self._last_turn = 0.0
        self._saved = self._saved_whole = 0.0
        self._save_every = save_every
        self._statuses: list[RuleStatus] = []

    def observe(self, row: EventRow, arrived: float | None = None) -> None:
        """Count one new event."""
        at = self._clock() if arrived is None else arrived
        with self._lock:
            self._count(row, at)

    def observe_all(self, rows: Sequence[EventRow]) -> None:
        """Count new events that have arrived just now; the same as to observe each, in less time."""
        at = self._clock()
        with self._lock:
            for row in rows:
                self.counts.observe(row, at - row.time)
            for each in runs_of(rows, at - _LATE, at + _AHEAD):
                if isinstance(each, EventRow):
                    self._watch(each, at - each.time, at)
                    continue
                self.seen_until = max(self.seen_until, each.newest)
                if each.kind == "turn" and each.newest > self._last_turn:
                    self._last_turn = each.newest
                for watched in self._watched:
                    if watched.kinds is None or each.kind in watched.kinds:
                        watched.observe_run(each, at)

    def _count(self, row: EventRow, at: float) -> None:
        behind = at - row.time
        self.counts.observe(row, behind)
        self._watch(row, behind, at)

    def _watch(self, row: EventRow, behind: float, at: float) -> None:
        if behind > _LATE:
            self.late += 1
            for count in self._lag:
                count(row, at)
            return
        if behind < -_AHEAD:
            row = row._replace(time=at)
        self.seen_until = max(self.seen_until, row.time)
        if row.kind == "turn" and row.time > self._last_turn:
            self._last_turn = row.time
        for count in self._by_kind.get(row.kind, ()):
            count(row, at)

    def learn(self, rows: Iterable[EventRow], *, every: float = 60.0) -> int:
        """Learn what is normal from events of the past, in time order, without telling anybody. Return how many."""
        count, due = 0, 0.0
        for row in rows:
            if row.time >= due:
                if due:
                    self._checked(row.time)
                due = row.time + every
            self.observe(row, row.time)
            count += 1
        if due:
            self._checked(self.seen_until)
        return count

    def tick(self, now: float) -> list[AlertChange]:
        """Judge every rule, keep all states, and return what has changed since the last tick."""
        with self._lock:
            said = set(self._said)
            try:
                return self._ticked(now)
            except BaseException:  # nobody has heard of what this tick has found
                self._said, self._is_untold = said, True
                raise

    def take_back(self, changes: Sequence[AlertChange]) -> None:
        """Return these changes again at the next tick: they could not be handed to the channels."""
        with self._lock:
            for each in changes:
                self._said.discard((each.alert.number, "resolved" if each.kind == "resolved" else "fired"))
            self._is_untold = True

    def _ticked(self, now: float) -> list[AlertChange]:
        led, self.leads = self.leads, self.state.lead(self.owner, now, _LEAD_SECONDS)
        readings = self._checked(now)
        if not self.leads:
            return []
        silences = self.state.silences(now)
        opened = {each.fingerprint: each for each in self.state.alerts(open_only=True)}
        quiet = self._quiet(now, readings)
        changes: list[AlertChange] = []
        self._statuses = []
        for watched, detector, fingerprint, reading in readings:
            part = detector.part
            alarm = reading.state in ("firing", "no_data")
            absent = fingerprint_of(watched.rule.name, part, "no_data")
            current = absent if reading.state == "no_data" else fingerprint if alarm else ""
            for name in (fingerprint, absent):
                record = opened.get(name)
                if record is None and name in self._open:
                    changes += self._ended_by_person(name, detector, now)
                elif record is not None and record.new_normal:
                    detector.restart(now, new_normal=True)
                    changes += self._ended(record, now, silences)
                    current = ""
                elif record is not None and name != current:
                    changes += self._ended(record, now, silences)
                elif name == current and not self._was_ended(name, now):
                    changes += self._fire(watched.rule, part, name, reading, record, silences, quiet, now)
            self._statuses.append(self._status(watched.rule, part, fingerprint, reading, now))
        if not led or self._is_untold:
            changes += self._unsaid(now, silences)
        if changes or now - self._saved >= self._save_every:
            self._save(now, whole=bool(changes) or now - self._saved_whole >= _WHOLE_EVERY)
        self._is_untold = False
        return changes

    def limits(self, now: float) -> list[RuleLimit]:
        """Return the smallest spike that each rule and slice sees at the current traffic."""
        with self._lock:
            return [detector.limit(now) for watched in self._watched for _, detector in watched.detectors()]

    def status(self, now: float) -> list[RuleStatus]:
        """Return the state of each rule and slice at the last tick, with its limits now."""
        limits = {fingerprint_of(each.rule, each.slice): each for each in self.limits(now)}
        return [replace(each, limit=limits.get(fingerprint_of(each.rule, each.slice))) for each in self._statuses]

    def figures(self) -> LiveFigures:
        """Return what has come in since the start, for `/metrics`."""
        with self._lock:
            return self.counts.figures(late=self.late, leads=self.leads)

    def close(self, now: float | None = None) -> None:
        """Keep everything and let another process decide."""
        if self.leads:
            self._save(self._clock() if now is None else now, whole=True)
        self.state.step_down(self.owner)
        self.leads = False

    def _checked(self, now: float) -> list[tuple[WatchedRule, Detector, str, RuleReading]]:
        return [
            (watched, detector, fingerprint_of(watched.rule.name, part), detector.check(now))
            for watched in self._watched
            for part, detector in list(watched.detectors())
        ]

    def _quiet(self, now: float, readings: Sequence[tuple[WatchedRule, Detector, str, RuleReading]]) -> str:
        """Return why missing data of single rules need no page: all traffic is missing, and a rule says so."""
        for watched, _, _, reading in readings:
            if watched.rule.kind == "absence" and reading.state == "no_data":
                return f"{watched.rule.name} covers it"
        return "" if now - self._last_turn < _LATE else "there is no traffic at all"

    def _fire(
        self,
        rule: AlertRule,
        part: dict[str, str],
        fingerprint: str,
        reading: RuleReading,
        record: AlertRecord | None,
        silences: Sequence[Silence],
        quiet: str,
        now: float,
    ) -> list[AlertChange]:
        kind: ChangeKind = "no_data" if reading.state == "no_data" else "fired"
        if record is None:
            made = _record(rule, part, fingerprint, reading, now)
            record, _ = self.state.open_alert(made, again_within=_AGAIN_WITHIN)
            self._figures[fingerprint] = now
        elif now - self._figures.get(fingerprint, 0.0) >= _FIGURES_EVERY:
            record = self.state.update_alert(_refreshed(record, reading, now))
            self._figures[fingerprint] = now
        self._open[fingerprint] = record.number
        reason = _silenced(record, silences, now)
        if kind == "no_data" and rule.kind != "absence":
            reason = reason or quiet
        if record.notified is None and (record.number, "fired") not in self._said:
            if reason and (record.number, reason) in self._said:
                return []
            self._said.add((record.number, reason or "fired"))
            return [AlertChange(kind=kind, alert=record, silenced=reason)]
        due = rule.remind is not None and now - (record.notified or now) >= rule.remind
        if due and record.acked is None and not reason:
            self.state.mark_notified(record.number, now, "reminder")
            return [AlertChange(kind="reminder", alert=record)]
        return []

    def _ended(self, record: AlertRecord, now: float, silences: Sequence[Silence]) -> list[AlertChange]:
        done = self.state.update_alert(replace(record, state="resolved", resolved=now, updated=now))
        self._open.pop(record.fingerprint, None)
        self._forget(record.number)
        reason = "" if record.notified is not None else _silenced(record, silences, now)
        return [AlertChange(kind="resolved", alert=done, silenced=reason)]

    def _ended_by_person(self, fingerprint: str, detector: Detector, now: float) -> list[AlertChange]:
        number = self._open.pop(fingerprint)
        detector.restart(now, new_normal=False)
        self._forget(number)
        self._figures[fingerprint] = -now  # not again in this tick
        found = [each for each in self.state.alerts(since=now - _HOUR) if each.number == number]
        return [AlertChange(kind="resolved", alert=each) for each in found]

    def _forget(self, number: int) -> None:
        self._said = {each for each in self._said if each[0] != number} | {(number, "resolved")}

    def _was_ended(self, fingerprint: str, now: float) -> bool:
        return self._figures.get(fingerprint) == -now

    def _unsaid(self, now: float, silences: Sequence[Silence]) -> list[AlertChange]:
        """Return ends that were not handed to the channels: by a killed process, or because the disk was full."""
        found = []
        for each in self.state.alerts(since=now - 24 * _HOUR, limit=200):
            told = each.told in ("", "resolved") or each.resolved is None
            if not told and (each.number, "resolved") not in self._said:
                self._said.add((each.number, "resolved"))
                found.append(AlertChange(kind="resolved", alert=each, silenced=_silenced(each, silences, now)))
        return found

    def _status(
        self, rule: AlertRule, part: dict[str, str], fingerprint: str, reading: RuleReading, now: float
    ) -> RuleStatus:
        before = self._states.get(fingerprint)
        since = before[1] if before and before[0] == reading.state else now
        self._states[fingerprint] = (reading.state, since)
        return RuleStatus(
            rule=rule.name,
            kind=rule.kind,
            tier=rule.tier,
            state=reading.state,
            since=since,
            slice=part,
            detail=reading.message,
        )

    def _save(self, now: float, *, whole: bool) -> None:
        about = {"seen_until": self.seen_until, "tick": now, "open": self._open}
        values: dict[str, Mapping[str, Any]] = {"engine": about}
        for watched in self._watched:
            values |= watched.dump(whole=whole)
        self.state.save_all(values)
        self._saved = now
        if whole:
            self._saved_whole = now
            self.state.set_status(self.status(now))


def _silenced(record: AlertRecord, silences: Sequence[Silence], now: float) -> str:
    return next((f"silence {each.number}" for each in silences if each.covers(record, now)), "")


def _record(rule: AlertRule, part: dict[str, str], fingerprint: str, reading: RuleReading, now: float) -> AlertRecord:
    blank = AlertRecord(
        fingerprint=fingerprint,
        rule=rule.name,
        kind=rule.kind,
        tier=rule.tier,
        slice=dict(part),
        problem="no_data" if reading.state == "no_data" else "",
        started=reading.window_start,
        fired=now,
        updated=now,
        window_start=reading.window_start,
        window_end=reading.window_end,
    )
    return _refreshed(blank, reading, now)


def _refreshed(record: AlertRecord, reading: RuleReading, now: float) -> AlertRecord:
    return replace(
        record,
        state=reading.state,
        updated=now,
        window_end=reading.window_end,
        bad=reading.bad,
        events=reading.events,
        value=reading.value,
        baseline=reading.baseline,
        statistic=reading.statistic,
        threshold=reading.threshold,
        message=reading.message,
        examples=reading.examples or record.examples,
        moved=reading.moved or record.moved,
    )
