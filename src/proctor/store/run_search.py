"""Find recorded runs by suite, status, decision, trigger or text, one page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from proctor.core.record import dataclass
from proctor.core.report import Counts
from proctor.store.runs import RunRecord, RunStore

__all__ = ["RunFilter", "RunFound", "RunSort", "count_runs", "run_choices", "runs_of_suite", "search_runs"]

RunSort = Literal["", "started", "-started", "name", "-name", "took", "-took"]
_ORDER: dict[str, str] = {
    "": "n DESC",
    "-started": "started DESC, n DESC",
    "started": "started, n",
    "name": "name, n DESC",
    "-name": "name DESC, n DESC",
    "took": "julianday(finished) - julianday(started), n DESC",
    "-took": "julianday(finished) - julianday(started) DESC, n DESC",
}
_TRIGGER = "coalesce(json_extract(fingerprint, '$.trigger'), 'manual')"
_MOST_CHOICES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs to find; an empty field accepts all. ``text`` is part of the id or of the suite's name."""

    suite: str = ""
    status: str = ""
    decision: str = ""
    trigger: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFound:
    """One run of a page: its record, its counts, what it cost, and the newest release decision on it."""

    run: RunRecord
    counts: Counts
    cost: float | None = None
    gate: str = ""
    baseline: str = ""


def search_runs(
    store: RunStore, wanted: RunFilter, *, sort: RunSort = "", limit: int = 50, offset: int = 0
) -> list[RunFound]:
    """Return one page of runs, the newest first unless sorted otherwise."""
    where, values = _where(store, wanted)
    rows = store.database.execute(
        f"SELECT id FROM runs WHERE {where} ORDER BY {_ORDER[sort]} LIMIT ? OFFSET ?", (*values, limit, offset)
    ).fetchall()
    return _found(store, [store.get(row["id"]) for row in rows])


def count_runs(store: RunStore, wanted: RunFilter) -> int:
    """Return how many runs there are."""
    where, values = _where(store, wanted)
    return int(store.database.execute(f"SELECT count(*) FROM runs WHERE {where}", values).fetchone()[0])


def run_choices(store: RunStore) -> dict[str, list[str]]:
    """Return the suites and triggers there are, for the lists of a form."""
    kinds = {"suite": "name", "trigger": _TRIGGER}
    return {
        kind: [
            row[0]
            for row in store.database.execute(
                f"SELECT {column}, max(n) AS last FROM runs GROUP BY {column} ORDER BY last DESC LIMIT {_MOST_CHOICES}"
            )
        ]
        for kind, column in kinds.items()
    }


def runs_of_suite(store: RunStore, names: Sequence[str], *, limit: int = 50) -> list[RunRecord]:
    """Return the newest runs that were given one of these suites: its name, or a path that ends with it."""
    asked = "json_extract(settings, '$.job.suite')"
    ends = " OR ".join(f"{asked} = ? OR substr({asked}, -length(?) - 1) = '/' || ?" for _ in names)
    values = [each for name in names for each in (name,) * 3]
    rows = store.database.execute(f"SELECT id FROM runs WHERE {ends} ORDER BY n DESC LIMIT ?", [*values, limit])
    return [store.get(row["id"]) for row in rows.fetchall()]


def _where(store: RunStore, wanted: RunFilter) -> tuple[str, list[Any]]:
    where, values = ["1"], list[Any]()
    if wanted.suite:
        where.append("name = ?")
        values.append(wanted.suite)
    if wanted.trigger:
        where.append(f"{_TRIGGER} = ?")
        values.append(wanted.trigger)
    if wanted.decision:
        where.append("decision IS NULL" if wanted.decision == "none" else "decision = ?")
        values += [] if wanted.decision == "none" else [wanted.decision]
    if wanted.text:
        where.append("(instr(lower(id), lower(?)) OR instr(lower(name), lower(?)))")
        values += [wanted.text, wanted.text]
    if wanted.status:
        # A killed process left its run as running: only the lock of the writer tells.
        rows = store.database.execute("SELECT id FROM runs WHERE status = 'running'").fetchall()
        alive = [row["id"] for row in rows if store.get(row["id"]).status == "running"]
        marks = ",".join("?" * len(alive))
        if wanted.status == "running":
            where.append(f"id IN ({marks})")
            values += alive
        elif wanted.status == "interrupted":
            where.append(f"(status = 'interrupted' OR status = 'running' AND id NOT IN ({marks}))")
            values += alive
        else:
            where.append("status = ?")
            values.append(wanted.status)
    return " AND ".join(where), values


def _found(store: RunStore, runs: Sequence[RunRecord]) -> list[RunFound]:
    marks = ",".join("?" * len(runs))
    kept = {
        row["n"]: Counts(
            passed=row["passed"],
            failed=row["failed"],
            unscored=row["unscored"],
            independent=row["alone"],
            in_doubt=row["in_doubt"],
        )
        for row in store.database.execute(
            "SELECT n, coalesce(json_extract(report, '$.counts.passed'), 0) AS passed,"
            " coalesce(json_extract(report, '$.counts.failed'), 0) AS failed,"
            " coalesce(json_extract(report, '$.counts.unscored'), 0) AS unscored,"
            " coalesce(json_extract(report, '$.counts.in_doubt'), 0) AS in_doubt,"
            " json_extract(report, '$.counts.independent') AS alone"
            f" FROM runs WHERE n IN ({marks}) AND report IS NOT NULL",
            [run.n for run in runs],
        )
    }
    costs = {
        row["run"]: row["cost"]
        for row in store.database.execute(
            "SELECT run, CASE WHEN count(cost) = count(*) THEN sum(cost) END AS cost FROM spend"
            f" WHERE run IN ({marks}) GROUP BY run",
            [run.n for run in runs],
        )
    }
    gates = {
        row["run"]: row
        for row in store.database.execute(
            f"SELECT run, decision, baseline FROM decisions WHERE run IN ({marks}) ORDER BY n", [run.id for run in runs]
        )
    }
    return [
        RunFound(
            run=run,
            counts=kept.get(run.n) or store.counts(run),
            cost=costs.get(run.n),
            gate=gates[run.id]["decision"] if run.id in gates else "",
            baseline=gates[run.id]["baseline"] if run.id in gates else "",
        )
        for run in runs
    ]
