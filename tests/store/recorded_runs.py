"""Runs written into a store as a runner writes them, for tests of what reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proctor.core.case import Case, Expectation
from proctor.core.chat import Message, ToolCall
from proctor.core.report import Decision, Fingerprint, Outcome, Result
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.store.figures import keep_report
from proctor.store.ledger import RunLedger
from proctor.store.runs import RunRecord, RunStore

__all__ = ["add_run", "keep_results", "result"]


def result(
    case: str,
    outcome: Outcome = "pass",
    *,
    value: float | None = None,
    target: str = "assistant",
    sample: int = 0,
    intent: str | None = "faq",
    tags: tuple[str, ...] = (),
    question: str = "When may I send it back?",
    answer: str = "Unopened manga can be returned within 60 days.",
    source: str = "Unopened manga can be returned within 30 days of delivery.",
    reason: str = "",
    scores: tuple[Score, ...] | None = None,
) -> Result:
    """Return a result with a conversation of one turn, a source, a tool call and two checks."""
    number = (1.0 if outcome == "pass" else 0.2) if value is None else value
    messages = (Message(role="user", content=question), Message(role="assistant", content=answer))
    call = ToolCall(name="find_policy", arguments={"topic": "returns"}, result="30 days")
    turn = Turn(
        messages=messages, sources=(Source(id="policy", text=source),), tool_calls=(call,), latency=0.5, cost=0.001
    )
    quoted = Evidence(quote=answer, where=source if len(source) > 20 else None, note="stale: the source says 30 days")
    made = (
        Score(name="relevance", value=1.0, threshold=0.5, reason="on topic"),
        Score(name="factual_accuracy", value=number, threshold=0.5, reason="60 is not 30", evidence=(quoted,)),
    )
    return Result(
        case=Case(id=case, input=question, intent=intent, tags=tags, expect=Expectation(facts=("30 days",))),
        target=target,
        sample=sample,
        trajectory=Trajectory(turns=(turn,)),
        scores=made if scores is None else scores,
        outcome=outcome,
        value=None if outcome == "unscored" else number,
        reason=reason or ("" if outcome == "pass" else f"{outcome}: factual_accuracy of {case}"),
    )


def add_run(
    store: RunStore,
    run_id: str,
    results: Iterable[Result],
    *,
    name: str = "shop",
    trigger: str = "manual",
    decision: Decision = "passed",
    job: Mapping[str, Any] | None = None,
    is_finished: bool = True,
) -> RunRecord:
    """Record a run with these results; it ends unless ``is_finished`` is false."""
    kept = list(results)
    scorers = {score.name: "1" for each in kept for score in each.scores}
    mark = Fingerprint(scorers=scorers, scorer_hashes=dict.fromkeys(scorers, "h"), trigger=trigger)
    settings = {"job": {"suite": name, **(job or {})}}
    run = store.begin(run_id, name=name, fingerprint=mark, settings=settings, total=len(kept))
    keep_results(store, run, kept)
    if is_finished:
        store.end(run, status="finished", decision=decision, reason="as decided")
        keep_report(store, store.get(run_id))
    return store.get(run_id)


def keep_results(store: RunStore, run: RunRecord, results: Iterable[Result], *, first: int = 1) -> None:
    """Write results of a run."""
    ledger = RunLedger(store, run)
    for key, each in enumerate(results, first):
        ledger.keep_trajectory(key, case=each.case, target=each.target, sample=each.sample, trajectory=each.trajectory)
        ledger.keep_result(key, each)
    ledger.close()
