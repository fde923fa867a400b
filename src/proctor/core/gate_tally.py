"""Counts of gates' decisions that add up: of an hour, of a day, of a month."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from proctor.core.rollup_cell import latency_bin

__all__ = ["DecisionTally", "GateTally", "LoggedDecision", "logged_decision", "mark_of"]

_LET_PASS: Final = ("allow", "redact")
# Action, version, broken, shadow, borderline, passed (the step went on and this gate did not object), close (some gate
# of the chain was not sure). A plain tuple: making a named one takes three times as long.
Mark = tuple[str, str, bool, bool, bool, bool, bool]


class LoggedDecision(NamedTuple):
    """A decision of the log: in shadow mode the verdict that was not acted on."""

    row: Mapping[str, Any]
    verdict: Mapping[str, Any]
    parts: Sequence[Mapping[str, Any]]
    point: str
    close: bool
    went_on: bool

    @property
    def is_drawn(self) -> bool:
        """Whether it was drawn for review; a decision that was picked by hand does not represent others."""
        return self.close or bool(self.row.get("sampled"))


def logged_decision(row: Mapping[str, Any]) -> LoggedDecision | None:
    """Read a row of the guard's log; ``None`` if it is no decision of a gate."""
    told = row.get("verdict")
    if row.get("kind") != "gate" or not isinstance(told, dict):
        return None
    shadow = told.get("shadow")
    verdict = {**shadow, "shadow": True} if isinstance(shadow, dict) else told
    return LoggedDecision(
        row,
        verdict,
        (row.get("metadata") or {}).get("parts", ()),
        str(row.get("name") or verdict.get("gate") or ""),
        bool(row.get("borderline")),
        verdict.get("action") in _LET_PASS,
    )


def mark_of(verdict: Mapping[str, Any], went_on: bool, close: bool) -> Mark:
    """Return the properties that equal decisions share."""
    get = verdict.get
    action = get("action", "block")
    return (
        action, get("version", ""), bool(get("broken")), bool(get("shadow")), bool(get("borderline")),
        went_on and (action == "allow" or "by" in verdict), close,
    )  # fmt: skip


@dataclass(slots=True)
class GateTally:
    """Counts of one gate at one point, or of a point's whole chain.

    ``hours`` counts actions and ``kind_hours`` findings by the hour of the day in UTC. ``latency`` maps the number of a
    bin to its count.
    """

    marks: Counter[Mark] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    latency: Counter[int] = field(default_factory=Counter)
    hours: Counter[tuple[int, str]] = field(default_factory=Counter)
    kind_hours: Counter[tuple[int, str]] = field(default_factory=Counter)

    def add(self, verdict: Mapping[str, Any], *, went_on: bool, close: bool, hour: int) -> None:
        """Count a verdict."""
        self.marks[mark_of(verdict, went_on, close)] += 1
        self.hours[hour, verdict.get("action", "block")] += 1
        for each in verdict.get("findings") or ():
            kind = str(each.get("kind", ""))
            self.kinds[kind] += 1
            self.kind_hours[hour, kind] += 1
        latency = verdict.get("latency")
        if isinstance(latency, (int, float)) and (place := latency_bin(latency)) is not None:
            self.latency[place] += 1

    def merge(self, other: GateTally) -> None:
        """Add the counts of another day; the hours of the day are no longer told apart by day."""
        for mine, others in zip(self._counters(), other._counters(), strict=True):
            mine.update(others)

    def _counters(self) -> tuple[Counter[Any], ...]:
        return self.marks, self.kinds, self.latency, self.hours, self.kind_hours

    def to_data(self) -> list[Any]:
        """Return plain data for JSON."""
        return [
            [[*mark, count] for mark, count in self.marks.items()],
            dict(self.kinds),
            [[place, count] for place, count in self.latency.items()],
            [[*key, count] for key, count in self.hours.items()],
            [[*key, count] for key, count in self.kind_hours.items()],
        ]

    @classmethod
    def from_data(cls, data: Sequence[Any]) -> GateTally:
        """Return the counts of plain data."""
        marks, kinds, latency, hours, kind_hours = data
        return cls(
            marks=Counter({tuple(each[:-1]): each[-1] for each in marks}),
            kinds=Counter(kinds),
            latency=Counter({place: count for place, count in latency}),
            hours=Counter({(hour, action): count for hour, action, count in hours}),
            kind_hours=Counter({(hour, kind): count for hour, kind, count in kind_hours}),
        )


@dataclass(slots=True)
class DecisionTally:
    """Counts of one day of the guard's log, by point and by gate; ``notes`` are its last notes about the guard."""

    chains: dict[str, GateTally] = field(default_factory=dict)
    gates: dict[tuple[str, str], GateTally] = field(default_factory=dict)
    decisions: int = 0
    begun: str = ""
    until: str = ""
    notes: list[Mapping[str, Any]] = field(default_factory=list)

    def add(self, decision: LoggedDecision, hour: int) -> None:
        """Count a decision."""
        self.decisions += 1
        time = decision.row["time"]
        self.begun = min(self.begun, time) if self.begun else time
        self.until = max(self.until, time)
        went_on, close = decision.went_on, decision.close
        chain = self.chains.get(decision.point) or self.chains.setdefault(decision.point, GateTally())
        chain.add(decision.verdict, went_on=went_on, close=close, hour=hour)
        for part in decision.parts:
            place = decision.point, part.get("gate", "")
            tally = self.gates.get(place) or self.gates.setdefault(place, GateTally())
            tally.add(part, went_on=went_on, close=close, hour=hour)

    def by_gate(self) -> Iterator[tuple[str, str, GateTally]]:
        """Yield point, gate and counts of each gate."""
        for (point, gate), tally in self.gates.items():
            yield point, gate, tally

    def to_data(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "chains": {point: tally.to_data() for point, tally in self.chains.items()},
            "gates": [[point, gate, tally.to_data()] for point, gate, tally in self.by_gate()],
            "decisions": self.decisions,
            "begun": self.begun,
            "until": self.until,
            "notes": list(self.notes),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> DecisionTally:
        """Return the counts of plain data."""
        return cls(
            chains={point: GateTally.from_data(each) for point, each in data["chains"].items()},
            gates={(point, gate): GateTally.from_data(each) for point, gate, each in data["gates"]},
            decisions=data["decisions"],
            begun=data["begun"],
            until=data["until"],
            notes=list(data["notes"]),
        )
