"""One plain dictionary per result, for data frames."""

from __future__ import annotations

from typing import Any

from proctor.core.report import Result
from proctor.core.score import Score

__all__ = ["result_row"]


def result_row(result: Result) -> dict[str, Any]:
    """Return the result with the column names of the CSV report; ``None`` for missing values.

    Each score has two entries: ``score:NAME``, its value, and ``verdict:NAME``: pass, in doubt, fail, skipped or error.
    """
    run = result.trajectory
    row: dict[str, Any] = {
        "case": result.case.id,
        "target": result.target,
        "sample": result.sample,
        "outcome": result.outcome,
        "value": result.value,
        "reason": result.reason,
        "intent": result.case.intent,
        "tags": list(result.case.tags),
        "question": "\n".join(ask.text for ask in result.case.asks),
        "answer": run.answer,
        "error": run.error,
        "latency_s": run.latency,
        "cost": run.cost,
        "duration_s": result.duration,
    }
    for score in result.scores:
        row[f"score:{score.name}"] = score.value
        row[f"verdict:{score.name}"] = _verdict(score)
    return row


def _verdict(score: Score) -> str | None:
    if score.status != "ok":
        return score.status
    return None if score.passed is None else "in doubt" if score.in_doubt else "pass" if score.passed else "fail"
