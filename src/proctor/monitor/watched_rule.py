"""A rule and its detectors: one for all events, or one for each intent, model, version or source."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from proctor.core.event_row import EventRow
from proctor.monitor.alert_rules import AlertRule, opportunity_of
from proctor.monitor.detectors.absence import AbsenceDetector, LagDetector
from proctor.monitor.detectors.event_run import EventRun
from proctor.monitor.detectors.quantile import QuantileDetector
from proctor.monitor.detectors.rate import RateDetector
from proctor.monitor.detectors.rule_reading import Detector
from proctor.monitor.detectors.streak import StreakDetector

__all__ = ["WatchedRule", "fingerprint_of"]

MOST_SLICES: Final = 50
_MADE_BY: Final[Mapping[str, Callable[[AlertRule, Mapping[str, str]], Detector]]] = {
    "rate": RateDetector,
    "p95": QuantileDetector,
    "in_a_row": StreakDetector,
    "absence": AbsenceDetector,
    "lag": LagDetector,
}
_CARRIED: Final = {"escalation": {"turn", "escalation"}, "gate": {"turn", "gate"}, "finding": {"turn", "gate"}}


def fingerprint_of(rule: str, part: Mapping[str, str], problem: str = "") -> str:
    """Return the identity of a problem: the same rule and slice always have the same."""
    named = "\n".join([rule, problem, *(f"{name}={value}" for name, value in sorted(part.items()))])
    return hashlib.sha256(named.encode(errors="replace")).hexdigest()[:16]


class WatchedRule:
    """One rule, the slices it has seen, and their detectors."""

    def __init__(self, rule: AlertRule) -> None:
        self.rule = rule
        self.kinds = _kinds(rule)
        self._slices: dict[str, Detector] = {}
        self._whole = None if rule.by else _MADE_BY[rule.kind](rule, rule.where)
        self._where = tuple(rule.where.items())
        self.left_out = 0  # events of slices beyond the most that a rule watches

    @property
    def counter(self) -> Callable[[EventRow, float], None]:
        """What counts an event: the detector itself, where there is one for all events."""
        return self.observe if self._whole is None or self._where else self._whole.observe

    def observe_run(self, run: EventRun, arrived: float) -> None:
        """Count events that have no signals."""
        if self._whole is not None and not self._where:
            self._whole.observe_run(run, arrived)
        else:
            for row in run.rows:
                self.observe(row, arrived)

    def observe(self, row: EventRow, arrived: float) -> None:
        """Count one event, if it is one of this rule's."""
        for name, value in self._where:
            if getattr(row, name) != value:
                return
        if self._whole is not None:
            self._whole.observe(row, arrived)
            return
        value = getattr(row, self.rule.by or "intent")
        if value is None:
            return
        found = self._slices.get(value) or self._added(value)
        if found is None:
            self.left_out += 1
        else:
            found.observe(row, arrived)

    def detectors(self) -> Iterator[tuple[Mapping[str, str], Detector]]:
        """Yield every slice and its detector."""
        if self._whole is not None:
            yield self.rule.where, self._whole
        for value, detector in self._slices.items():
            yield self._part(value), detector

    def restore(self, load: Callable[[str], Mapping[str, Any] | None]) -> None:
        """Continue from what a store has kept."""
        if self.rule.by:
            for value in (load(f"{self.rule.name}|slices") or {}).get("values", ()):
                self._added(str(value))
        for part, detector in self.detectors():
            for ending in ("whole", "now"):
                if (kept := load(self._name(part, ending))) is not None:
                    detector.restore(kept)

    def dump(self, *, whole: bool) -> dict[str, Mapping[str, Any]]:
        """Return what a store has to keep, by name."""
        kept: dict[str, Mapping[str, Any]] = {}
        if self.rule.by:
            kept[f"{self.rule.name}|slices"] = {"values": list(self._slices)}
        for part, detector in self.detectors():
            if whole or detector.learnt:
                kept[self._name(part, "whole")] = detector.dump(whole=True)
                detector.learnt = False
            kept[self._name(part, "now")] = detector.dump(whole=False)
        return kept

    def _added(self, value: str) -> Detector | None:
        if len(self._slices) >= MOST_SLICES:
            return None
        self._slices[value] = made = _MADE_BY[self.rule.kind](self.rule, self._part(value))
        for detector in self._slices.values():  # all slices together have the false alarms of the rule
            detector.share(self.rule.false_alarms / len(self._slices))
        return made

    def _part(self, value: str) -> dict[str, str]:
        return {**self.rule.where, self.rule.by or "intent": value}

    def _name(self, part: Mapping[str, str], ending: str) -> str:
        return f"{self.rule.name}|{fingerprint_of(self.rule.name, part)}|{ending}"


def _kinds(rule: AlertRule) -> frozenset[str] | None:
    """Return the kinds of events that a rule looks at; none means all."""
    if rule.kind == "lag":
        return None
    if rule.kind == "p95":
        return frozenset({"turn"})
    if rule.kind == "absence" and "/" not in rule.signals[0]:
        return frozenset({rule.signals[0]})
    found: set[str] = set()
    for signal in rule.signals:
        found |= opportunity_of(signal, rule.of)[0] | _CARRIED.get(signal.partition("/")[0], set())
    return frozenset(found)
