"""A run as flat JSON lines for a data warehouse: one line for the run, then one per result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from proctor.core.codec import dumps
from proctor.core.report import Report
from proctor.report.publish.published_result import Graded, averages, slug

__all__ = ["JsonlSettings", "file_name", "lines", "write"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonlSettings:
    """The output file; ``{suite}`` and ``{run}`` are replaced by their names.

    With one file per run, writing it again counts nothing twice.
    """

    SHORTHAND = "file"

    file: str = "published/{suite}-{run}.jsonl"


def file_name(settings: JsonlSettings, report: Report) -> str:
    """Return the file name for this run."""
    return settings.file.replace("{suite}", slug(report.name)).replace("{run}", slug(report.id))


def write(report: Report, results: Iterable[Graded], out: TextIO) -> None:
    """Write all lines."""
    for line in lines(report, results):
        out.write(dumps(line).decode())
        out.write("\n")


def lines(report: Report, results: Iterable[Graded]) -> Iterator[dict[str, Any]]:
    """Yield the lines as data. Every line repeats the facts of the run."""
    run = {
        "run": report.id,
        "suite": report.name,
        "trigger": report.fingerprint.trigger,
        "finished": report.finished.isoformat() if report.finished else None,
    }
    yield {"kind": "run", **run, **_run(report)}
    for each in results:
        yield {"kind": "result", **run, **_result(each)}


def _run(report: Report) -> dict[str, Any]:
    counts = report.counts
    costs = [each.cost for each in report.spend]
    return {
        "decision": report.decision,
        "started": report.started.isoformat() if report.started else None,
        "passed": counts.passed,
        "in_doubt": counts.in_doubt,
        "failed": counts.failed,
        "unscored": counts.unscored,
        "pass_rate": counts.pass_rate,
        "dimensions": [
            {"target": cell.target, "dimension": cell.dimension, "mean": cell.mean, "cases": cell.cases}
            for cell in averages(report)
        ],
        # An unknown price makes the sum unknown, not smaller.
        "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
        "calls": sum(each.calls for each in report.spend),
    }


def _result(each: Graded) -> dict[str, Any]:
    return {
        "case": each.case,
        "target": each.target,
        "sample": each.sample,
        "intent": each.intent,
        "outcome": each.outcome,
        "value": each.value,
        "seconds": each.duration,
        "dimensions": {score.name: score.value for score in each.dimensions},
        "parts": {f"{score.name}.{part.name}": part.value for score in each.dimensions for part in score.parts},
        "confidence": {score.name: score.confidence for score in each.dimensions if score.confidence is not None},
        "producers": {score.name: score.producer for score in each.dimensions},
        "reasons": {score.name: score.reason[:500] for score in each.dimensions if score.reason},
    }
