"""Statistics of repeated samples of the same cases: stability, and the number of independent results."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from proctor.core.report import FlakyCase, RepeatTally
from proctor.stats.clustered import ClusterSums
from proctor.store.runs import RunRecord, RunStore

__all__ = ["MAX_FLAKY_CASES", "cluster_sums", "failed_cases", "flaky_cases", "is_repeated", "repeat_tallies"]

MAX_FLAKY_CASES = 200  # rows of the flaky table; the tally has the total

_BY_CASE = (
    "SELECT target, case_id, sum(outcome = 'pass') AS passed, sum(outcome = 'fail') AS failed,"
    " sum(outcome = 'unscored') AS unscored FROM results WHERE run = ? GROUP BY target, case_id"
)


def is_repeated(store: RunStore, run: RunRecord) -> bool:
    """Return whether any case was run more than once on the same target."""
    found = store.database.execute("SELECT 1 FROM results WHERE run = ? AND sample > 0 LIMIT 1", (run.n,))
    return found.fetchone() is not None


def repeat_tallies(store: RunStore, run: RunRecord) -> Iterator[RepeatTally]:
    """Yield for each target how many cases passed always, sometimes and never."""
    rows = store.database.execute(
        f"SELECT target, passed, failed, count(*) AS cases FROM ({_BY_CASE}) GROUP BY target, passed, failed",
        (run.n,),
    )
    by_target: dict[str, list[sqlite3.Row]] = {}
    for row in rows:
        by_target.setdefault(row["target"], []).append(row)
    for target in sorted(by_target):
        yield _tally(target, by_target[target])


def _tally(target: str, groups: list[sqlite3.Row]) -> RepeatTally:
    judged = [row for row in groups if row["passed"] + row["failed"]]
    samples = max((row["passed"] + row["failed"] for row in judged), default=0)
    full = [row for row in judged if row["passed"] + row["failed"] == samples]
    cases = sum(row["cases"] for row in full)
    return RepeatTally(
        target=target,
        samples=samples,
        cases=sum(row["cases"] for row in groups),
        always=sum(row["cases"] for row in judged if not row["failed"]),
        flaky=sum(row["cases"] for row in judged if row["passed"] and row["failed"]),
        never=sum(row["cases"] for row in judged if not row["passed"]),
        pass_all=sum(row["cases"] for row in full if not row["failed"]) / cases if cases else None,
        pass_any=sum(row["cases"] for row in full if row["passed"]) / cases if cases else None,
    )


def flaky_cases(store: RunStore, run: RunRecord) -> Iterator[FlakyCase]:
    """Yield cases with passed and failed samples, the flakiest first."""
    rows = store.database.execute(
        f"SELECT * FROM ({_BY_CASE}) WHERE passed > 0 AND failed > 0"
        " ORDER BY abs(2.0 * passed / (passed + failed) - 1), case_id, target LIMIT ?",
        (run.n, MAX_FLAKY_CASES),
    )
    for row in rows:
        yield FlakyCase(
            case=row["case_id"],
            target=row["target"],
            passed=row["passed"],
            failed=row["failed"],
            unscored=row["unscored"],
        )


def failed_cases(store: RunStore, run: RunRecord) -> int:
    """Return how many cases failed in at least one sample."""
    row = store.database.execute(
        "SELECT count(DISTINCT case_id) AS failed FROM results WHERE run = ? AND outcome = 'fail'", (run.n,)
    ).fetchone()
    return int(row["failed"])


def cluster_sums(store: RunStore, run: RunRecord, column: str | None = None) -> dict[str, ClusterSums]:
    """Return the sums over cases that intervals need, by the values of a column; "" is the whole run."""
    key = column or "''"
    rows = store.database.execute(
        f"SELECT {key} AS name, sum(outcome = 'pass') AS passed, sum(outcome != 'unscored') AS judged"
        f" FROM results WHERE run = ? AND {key} IS NOT NULL GROUP BY {key}, case_id",
        (run.n,),
    )
    found: dict[str, ClusterSums] = {}
    for row in rows:
        found.setdefault(row["name"], ClusterSums()).add(row["passed"], row["judged"])
    return found
