"""Compute figures of gates from their logged decisions and people's reviews."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from proctor.core.gate_decisions import GateDecisions, GuardDecisions, Spread
from proctor.core.gate_tally import DecisionTally, GateTally, LoggedDecision, logged_decision, mark_of
from proctor.core.rollup_cell import latency_quantile
from proctor.core.share import Share
from proctor.stats.histogram import RatioHistogram
from proctor.stats.interval import Interval, wilson, wilson_of_share

__all__ = ["NOT_KEPT", "GateFigures", "reload_failed"]

NOT_KEPT: Final = "decisions_not_kept"  # the note of a log that could not keep up
_BATCH_SIZE: Final = 65_536
_MAX_LATENCY_SECONDS: Final = 1e9
_MAX_SESSIONS: Final = 1_000_000
_ACTIONS: Final = ("allow", "redact", "block", "escalate")
_LET_PASS: Final = ("allow", "redact")
_PERCENTILES: Final = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
_POINTS: Final = ("input", "tool_call", "tool_result", "output")


@dataclass(slots=True)
class _Passed:
    """Steps that passed: how many, and the reviews of some, each weighted by the inverse sampling rate."""

    count: int = 0
    reviewed: int = 0
    weights: float = 0.0
    squares: float = 0.0
    missed: float = 0.0
    nobody: int = 0  # misses without a named gate

    def said(self, weight: float, *, missed: bool, nobody: bool) -> None:
        self.reviewed += 1
        self.weights += weight
        self.squares += weight * weight
        self.missed += weight if missed else 0.0
        self.nobody += nobody

    def misses(self) -> tuple[float, Interval] | None:
        """Return the estimated number of steps that passed wrongly, with its interval; None if none was reviewed."""
        if not self.count:
            return 0.0, Interval(low=0.0, high=0.0)
        if not self.reviewed:
            return None
        share = min(1.0, self.missed / self.weights)
        looked = max(1, int(self.weights * self.weights / self.squares))  # effective sample size
        range_ = wilson_of_share(share, looked) or Interval(low=0.0, high=1.0)
        return share * self.count, Interval(low=range_.low * self.count, high=range_.high * self.count)


class _Mark(NamedTuple):
    """The properties that equal decisions share."""

    action: str
    version: str
    broken: bool
    shadow: bool
    borderline: bool
    passed: bool  # the step went on, and this gate did not object
    close: bool  # some gate of the chain was not sure


@dataclass(slots=True)
class _Tally:
    kinds: Counter[str] = field(default_factory=Counter)
    right: int = 0
    wrong: int = 0
    passed: _Passed = field(default_factory=_Passed)
    close: _Passed = field(default_factory=_Passed)  # passed, and borderline
    marks: dict[tuple[str, str, bool, bool, bool, bool, bool], int] = field(default_factory=dict)  # counted together
    times: array[float] = field(default_factory=lambda: array("d"))
    latency: RatioHistogram = field(default_factory=RatioHistogram)
    bins: Counter[int] = field(default_factory=Counter)  # latencies that were counted elsewhere

    def merge(self, counted: GateTally) -> None:
        """Add what was counted elsewhere."""
        self.kinds.update(counted.kinds)
        self.bins.update(counted.latency)
        for mark, count in counted.marks.items():
            self.marks[mark] = self.marks.get(mark, 0) + count

    def spread(self) -> Spread:
        """Return the percentiles of the latency."""
        if self.bins:
            return Spread(**{name: latency_quantile(self.bins, share) for name, share in _PERCENTILES.items()})
        time = self.timed()
        return Spread(**{name: time.quantile(share) for name, share in _PERCENTILES.items()})

    def add(self, verdict: Mapping[str, Any], went_on: bool, close: bool) -> None:
        mark = mark_of(verdict, went_on, close)
        self.marks[mark] = self.marks.get(mark, 0) + 1
        if found := verdict.get("findings"):
            self.kinds.update(each.get("kind", "") for each in found)
        latency = verdict.get("latency")
        if latency is not None and 0 <= latency < _MAX_LATENCY_SECONDS:
            self.times.append(latency)
            if len(self.times) >= _BATCH_SIZE:
                self.timed()

    def timed(self) -> RatioHistogram:
        """Return the latencies, including those that are still buffered."""
        self.latency.extend(self.times)
        self.times = array("d")
        return self.latency

    def judged(self, right: bool | None) -> None:
        self.right += right is True
        self.wrong += right is False

    def let_pass(self, said: _Said, *, close: bool, missed: bool | None, nobody: bool = False) -> None:
        (self.close if close else self.passed).said(said.weight, missed=bool(missed), nobody=nobody)


class _Said(NamedTuple):
    """The meaning of a review: was acting right, was something missed, by which gate, and its weight.

    ``acted`` is None if nothing was changed or stopped, ``missed`` if nothing passed.
    """

    right: bool
    acted: bool | None
    missed: bool | None
    gate: str
    weight: float


class GateFigures:
    """Counts decisions from the log; ``reviews`` are people's verdicts, by the id of the event."""

    def __init__(self, reviews: Mapping[str, tuple[bool, str]], *, gate: str | None = None) -> None:
        self._reviews = reviews
        self._gate = gate
        self._chains: dict[str, _Tally] = {}
        self._gates: dict[tuple[str, str], _Tally] = {}
        self._sessions: set[int] = set()
        self._begun, self._until = "", ""
        self._decisions = self._reviewed = 0
        self._not_kept = 0.0
        self._reload_failed: tuple[str, str, str] | None = None  # when, why, and the version that stayed in force

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one event of the log; events that are no gate decisions are skipped."""
        if row.get("kind") == "note":
            self._note(row)
            return
        decision = logged_decision(row)
        if decision is None or not self._is_wanted(decision):
            return
        version = row["verdict"].get("version")
        if self._reload_failed is not None and version not in (None, "", self._reload_failed[2]):
            self._reload_failed = None
        self._decisions += 1
        time = row["time"]
        if not self._begun or time < self._begun:
            self._begun = time
        self._until = max(self._until, time)
        if (session := row.get("session")) and len(self._sessions) < _MAX_SESSIONS:
            self._sessions.add(hash(session))
        self._chain(decision.point).add(decision.verdict, decision.went_on, decision.close)
        for part in decision.parts:
            name = part.get("gate", "")
            if self._gate in (None, name):
                self._of_gate(decision.point, name).add(part, decision.went_on, decision.close)
        self._judge(decision)

    def add_counts(self, day: DecisionTally) -> None:
        """Add the counts of a day; what people said of its decisions is added by ``add_review``.

        Conversations are not known then. Counts are of all gates, whichever gate is asked for.
        """
        for note in day.notes:
            self._note(note)
        self._decisions += day.decisions
        self._begun = min(filter(None, (self._begun, day.begun)), default="")
        self._until = max(self._until, day.until)
        for point, counted in day.chains.items():
            self._chain(point).merge(counted)
        for point, name, counted in day.by_gate():
            if self._gate in (None, name):
                self._of_gate(point, name).merge(counted)

    def add_review(self, row: Mapping[str, Any]) -> None:
        """Add what people said of a decision that is counted already."""
        if (decision := logged_decision(row)) is not None and self._is_wanted(decision):
            self._judge(decision)

    def _is_wanted(self, decision: LoggedDecision) -> bool:
        return self._gate is None or any(part.get("gate") == self._gate for part in decision.parts)

    def _note(self, row: Mapping[str, Any]) -> None:
        self._not_kept += _not_kept(row)
        self._reload_failed = reload_failed(row, self._reload_failed)

    def _chain(self, point: str) -> _Tally:
        return self._chains.get(point) or self._chains.setdefault(point, _Tally())

    def _of_gate(self, point: str, name: str) -> _Tally:
        return self._gates.get((point, name)) or self._gates.setdefault((point, name), _Tally())

    def _judge(self, decision: LoggedDecision) -> None:
        said = self._said(decision.row, decision.verdict, decision.row.get("metadata") or {})
        if said is None:
            return
        close, drawn = decision.close, decision.is_drawn
        self._reviewed += 1
        chain = self._chain(decision.point)
        chain.judged(said.acted)
        if decision.went_on and drawn:
            chain.let_pass(said, close=close, missed=said.missed)
        for part in decision.parts:
            name = part.get("gate", "")
            if self._gate in (None, name):
                tally, alone = self._of_gate(decision.point, name), len(decision.parts) == 1
                _judge(tally, part, decision.verdict, said, close=close if drawn else None, alone=alone)

    def _said(self, row: Mapping[str, Any], verdict: Mapping[str, Any], metadata: Mapping[str, Any]) -> _Said | None:
        word = self._reviews.get(str(row.get("id")))
        if word is None:
            return None
        right, gate = word
        action = verdict.get("action")
        return _Said(
            right=right,
            acted=None if action == "allow" or gate else right,
            missed=(not right and (action == "allow" or bool(gate))) if action in _LET_PASS else None,
            gate=gate,
            weight=1.0 if row.get("borderline") else _weight(metadata.get("sample")),
        )

    def table(self, *, waiting: int = 0) -> GuardDecisions:
        """Return the figures; ``waiting`` is how many decisions are unreviewed."""
        gates = sorted(self._gates.items(), key=lambda each: (_place(each[0][0]), each[0]))
        chains = sorted(self._chains.items(), key=lambda each: (_place(each[0]), each[0]))
        lost = round(self._not_kept)
        return GuardDecisions(
            decisions=self._decisions,
            sessions=len(self._sessions),
            begun=datetime.fromisoformat(self._begun) if self._begun else None,
            until=datetime.fromisoformat(self._until) if self._until else None,
            points=tuple(_row(point, point, tally) for point, tally in chains),
            gates=tuple(_row(gate, point, tally) for (point, gate), tally in gates),
            reviewed=self._reviewed,
            waiting=waiting,
            not_kept=lost,
            notes=tuple(self._notes(lost, waiting)),
        )

    def _notes(self, lost: int, waiting: int) -> Iterator[str]:
        if lost:
            yield f"{lost:,} decisions were not kept: more came at once than could be written"
        if self._reload_failed is not None:
            when, why, _ = self._reload_failed
            yield f"the settings could not be read again ({when[:19]}), and the older ones stayed in force: {why}"
        if self._decisions and not self._reviewed:
            way = "`proctor review list` has those that wait" if waiting else "`proctor review resolve ID` takes any"
            yield f"nobody has reviewed a decision yet, so precision and recall are not known: {way}"
        busy = sum(each.kinds["over_capacity"] for each in self._gates.values())
        if busy:
            times = f"{busy:,} times" if busy > 1 else "once"
            yield f"{times} a gate had no time for a step because the guard was over capacity; the step was blocked"
        if broken := -busy + sum(
            n for each in self._gates.values() for mark, n in each.marks.items() if _Mark(*mark).broken
        ):
            times = f"{broken:,} times" if broken > 1 else "once"
            yield f"{times} a gate failed or ran out of time, and its on_failure stood in for its verdict"


def _judge(
    tally: _Tally, part: Mapping[str, Any], verdict: Mapping[str, Any], said: _Said, *, close: bool | None, alone: bool
) -> None:
    """Count a review for one gate: was it right to act, and did it let something pass?

    ``close`` is None for a decision that was picked by hand: it does not represent others, so recall ignores it.
    """
    name, let_pass = part.get("gate"), part.get("action") == "allow"
    if close is not None and let_pass and verdict.get("action") in _LET_PASS:
        nobody = bool(said.missed) and not said.gate and not alone
        tally.let_pass(said, close=close, missed=said.missed and (alone or said.gate == name), nobody=nobody)
    if verdict.get("by") == name:
        tally.judged(said.acted)
    elif part.get("shadow") and not let_pass and verdict.get("action") == "allow":
        tally.judged(not said.right)  # it would have stopped a step that a person judged rightly or wrongly passed


def _row(gate: str, point: str, tally: _Tally) -> GateDecisions:
    marks = {_Mark(*mark): count for mark, count in tally.marks.items()}
    actions: Counter[str] = Counter()
    for mark, count in marks.items():
        actions[mark.action] += count
    tally.passed.count = sum(count for mark, count in marks.items() if mark.passed and not mark.close)
    tally.close.count = sum(count for mark, count in marks.items() if mark.passed and mark.close)
    judged = tally.right + tally.wrong
    precision = Share.of(tally.right, judged, wilson(tally.right, judged))
    recall, why = _recall(tally, precision, acted=actions.total() - actions["allow"])
    return GateDecisions(
        gate=gate,
        point=point,
        decisions=actions.total(),
        actions={action: actions[action] for action in _ACTIONS},
        broken=sum(count for mark, count in marks.items() if mark.broken),
        shadow=sum(count for mark, count in marks.items() if mark.shadow),
        borderline=sum(count for mark, count in marks.items() if mark.borderline),
        findings=dict(tally.kinds.most_common(20)),
        versions=tuple(dict.fromkeys(mark.version for mark in marks if mark.version)),
        latency=tally.spread(),
        precision=precision,
        recall=recall,
        why=why,
    )


def _recall(tally: _Tally, precision: Share, *, acted: int) -> tuple[Share, str]:
    if acted and precision.value is None:
        return Share(), "nobody has reviewed what it stopped"
    if not tally.passed.reviewed and tally.passed.count:
        return Share(), "nobody has reviewed a sample of what was let pass"
    if tally.passed.nobody + tally.close.nobody:
        return Share(), "some misses name no gate: `proctor review resolve ITEM --verdict wrong --missed GATE`"
    plain, close = tally.passed.misses(), tally.close.misses()
    if plain is None or close is None:
        return Share(), "nobody has reviewed the borderline steps that were let pass"
    missed = plain[0] + close[0]
    fewest, most = plain[1].low + close[1].low, plain[1].high + close[1].high
    caught = acted * (precision.value or 0.0)
    if caught + missed == 0:
        return Share(), "nothing had to be stopped, as far as people have seen"
    return (
        Share(
            hits=tally.right,
            total=tally.right + tally.wrong + tally.passed.reviewed + tally.close.reviewed,
            value=caught / (caught + missed),
            low=_part_of(acted * (precision.low or 0.0), most),
            high=_part_of(acted * (precision.high or 0.0), fewest, none=1.0),
        ),
        "",
    )


def _part_of(caught: float, missed: float, *, none: float = 0.0) -> float:
    return caught / (caught + missed) if caught + missed else none


def reload_failed(note: Mapping[str, Any], before: tuple[str, str, str] | None) -> tuple[str, str, str] | None:
    """Return when and why settings could not be reloaded, after this note; an earlier failure stays until a success."""
    if note.get("name") == "settings_read_again":
        return None
    if note.get("name") != "settings_not_usable":
        return before
    told = note.get("metadata") or {}
    return str(note.get("time") or ""), " ".join(str(told.get("error") or "").split()), str(told.get("version") or "")


def _not_kept(note: Mapping[str, Any]) -> float:
    """Return how many decisions a note reports as lost: by an overloaded log, or before it."""
    if note.get("name") == NOT_KEPT:
        return float(note.get("value") or 0)
    return float((note.get("metadata") or {}).get("count") or 0) if note.get("name") == "records_lost" else 0.0


def _weight(share: object) -> float:
    """Return how many steps one with this sampling probability represents."""
    return 1 / share if isinstance(share, (int, float)) and 0 < share <= 1 else 1.0


def _place(point: str) -> int:
    return _POINTS.index(point) if point in _POINTS else len(_POINTS)
