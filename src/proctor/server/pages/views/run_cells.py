"""Cells and addresses of runs: the same words and links on every page about them."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, urlencode

from proctor.core.errors import NotFoundError
from proctor.core.report import Counts, Outcome
from proctor.report.number_format import interval_of, money, seconds
from proctor.server.pages.table import Chip, Share, State
from proctor.store.decisions import DecisionRecord
from proctor.store.runs import RunRecord, RunStore

__all__ = [
    "baseline_address",
    "case_address",
    "cost_cell",
    "gate_chip",
    "outcome_chip",
    "rate_cell",
    "run_address",
    "run_chip",
    "side_address",
    "taken",
]

_DECISIONS: Final[dict[str, tuple[State, str]]] = {
    "passed": ("pass", "passed"),
    "failed": ("fail", "failed"),
    "unjudged": ("unscored", "not judged"),
}
_GATES: Final[dict[str, State]] = {"ship": "pass", "hold": "fail"}
_OUTCOMES: Final[dict[Outcome, State]] = {"pass": "pass", "fail": "fail", "unscored": "unscored"}


def run_address(run_id: str, **query: str) -> str:
    """Return the address of a run's page, with filters."""
    asked = urlencode({name: value for name, value in query.items() if value})
    return f"/ui/runs/{quote(run_id, safe='')}" + (f"?{asked}" if asked else "")


def case_address(run_id: str, key: int | str, **query: str) -> str:
    """Return the address of a result, by its key, or by the id of its case."""
    asked = urlencode({name: value for name, value in query.items() if value})
    return f"/ui/runs/{quote(run_id, safe='')}/cases/{quote(str(key), safe='')}" + (f"?{asked}" if asked else "")


def side_address(**query: str) -> str:
    """Return the address of two runs side by side."""
    return f"/ui/runs/compare?{urlencode({name: value for name, value in query.items() if value})}"


def baseline_address(store: RunStore, decision: DecisionRecord) -> str:
    """Return the address of a run beside its baseline; empty if it is its own, or that of a run made elsewhere."""
    if decision.baseline == decision.run:
        return ""
    try:
        store.get(decision.baseline)
    except NotFoundError:
        return ""
    return side_address(a=decision.baseline, b=decision.run, target=decision.target)


def run_chip(run: RunRecord, done: int = 0) -> Chip:
    """Return how a run stands: running, broken off, or its decision."""
    if run.status == "running":
        return Chip("info", f"running, {done * 100 // run.total} %" if run.total else "running")
    if run.status == "interrupted":
        return Chip("unscored", "interrupted")
    return Chip(*_DECISIONS.get(run.decision or "", ("unscored", "not decided")))


def gate_chip(decision: str) -> Chip | None:
    """Return the release decision; nothing if there is none."""
    return Chip(_GATES.get(decision, "unscored"), decision) if decision else None


def outcome_chip(outcome: Outcome, *, in_doubt: bool = False) -> Chip:
    """Return the state of one result; one that passed in doubt says so."""
    return Chip("doubt", "in doubt") if in_doubt else Chip(_OUTCOMES[outcome], outcome)


def rate_cell(counts: Counts) -> Share:
    """Return the pass rate of the judged results with its interval."""
    interval = interval_of(counts)
    return Share(counts.pass_rate, interval.low if interval else None, interval.high if interval else None)


def cost_cell(cost: float | None) -> str | None:
    """Return an amount; nothing where it is not known."""
    return None if cost is None else money(cost)


def taken(run: RunRecord) -> str | None:
    """Return how long a run took; nothing while it runs."""
    return None if run.finished is None else seconds((run.finished - run.started).total_seconds())
