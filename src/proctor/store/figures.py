"""Compute the figures of a run in SQL, so that nothing is held in memory however long the run."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from proctor.core.codec import dumps
from proctor.core.compliance import PromptCompliance
from proctor.core.decode import decode
from proctor.core.report import Counts, Report, Spend, Tally
from proctor.stats.clustered import ClusterSums, effective_count
from proctor.store.db import explained
from proctor.store.repeats import cluster_sums, flaky_cases, is_repeated, repeat_tallies
from proctor.store.run_index import TAG_BREAK
from proctor.store.runs import RunRecord, RunStore, spend_of
from proctor.store.trends import cells_of

__all__ = ["intents_of_other_suites", "keep_report", "models_that_answered", "report_of"]

_BINS = 10
_OUTCOMES = ("passed", "failed", "unscored", "in_doubt")


def report_of(store: RunStore, run: RunRecord) -> Report:
    """Return the figures of the run: those stored when it finished, or computed now."""
    row = store.database.execute("SELECT report FROM runs WHERE n = ?", (run.n,)).fetchone()
    if row["report"]:
        return decode(Report, json.loads(row["report"]))
    return _counted(store, run)


def keep_report(store: RunStore, run: RunRecord, *, overview: PromptCompliance | None = None) -> None:
    """Keep the figures of a run that has come to its end."""
    line = dumps(replace(_counted(store, store.get(run.id)), overview=overview)).decode()
    with explained(store.folder):
        store.database.execute("UPDATE runs SET report = ? WHERE n = ?", (line, run.n))


def _counted(store: RunStore, run: RunRecord) -> Report:
    database, n = store.database, run.n
    extra = database.execute("SELECT concurrency FROM runs WHERE n = ?", (n,)).fetchone()
    repeated = is_repeated(store, run)
    spread = {column: cluster_sums(store, run, column) if repeated else {} for column in (None, "target", "intent")}
    return Report(
        id=run.id,
        name=run.name,
        status=run.status,
        decision=run.decision,
        reason=run.reason,
        counts=_clustered(store.counts(run), spread[None].get("")),
        by_target=tuple(_group(database, n, "target", spread["target"])),
        by_scorer=tuple(_scorers(database, n)),
        by_intent=tuple(_group(database, n, "intent", spread["intent"])),
        by_tag=tuple(_tags(database, n)),
        by_dimension=tuple(cells_of(store, run)),
        repeats=tuple(repeat_tallies(store, run)) if repeated else (),
        flaky=tuple(flaky_cases(store, run)) if repeated else (),
        latency=_latency(database, n),
        spend=tuple(_spend(database, n)),
        concurrency=tuple(json.loads(extra["concurrency"])),
        fingerprint=run.fingerprint,
        settings=_shareable(run.settings),
        notes=run.notes,
        started=run.started,
        finished=run.finished,
    )


def _shareable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Remove the local folder from the settings, since reports are shared."""
    job = {key: value for key, value in settings.get("job", {}).items() if key not in ("folder", "run")}
    return {**settings, "job": job}


def _clustered(counts: Counts, sums: ClusterSums | None) -> Counts:
    return counts if sums is None else replace(counts, independent=effective_count(sums))


def _group(database: sqlite3.Connection, n: int, column: str, spread: Mapping[str, ClusterSums]) -> Iterator[Tally]:
    rows = database.execute(
        f"SELECT {column} AS name, sum(outcome = 'pass') AS passed, sum(outcome = 'fail') AS failed,"
        " sum(outcome = 'unscored') AS unscored, sum(in_doubt) AS in_doubt, avg(value) AS mean FROM results"
        f" WHERE run = ? AND {column} IS NOT NULL GROUP BY {column} ORDER BY {column}",
        (n,),
    )
    for row in rows:
        where = f"run = ? AND {column} = ?"
        latency = _quantiles(database, where, [n, row["name"]])
        counts = _clustered(_counts(row), spread.get(row["name"]))
        yield Tally(name=row["name"], counts=counts, mean=row["mean"], extra={"latency": latency})


def _tags(database: sqlite3.Connection, n: int) -> Iterator[Tally]:
    rows = database.execute(
        "SELECT tags, sum(outcome = 'pass') AS passed, sum(outcome = 'fail') AS failed,"
        " sum(outcome = 'unscored') AS unscored, sum(in_doubt) AS in_doubt, max(sample) AS last FROM results"
        " WHERE run = ? AND tags != '' GROUP BY tags, case_id",
        (n,),
    )
    by: dict[str, Counter[str]] = {}
    spread: dict[str, ClusterSums] = {}
    repeated = False
    for row in rows:
        repeated |= row["last"] > 0
        for tag in set(row["tags"].split(TAG_BREAK)):
            by.setdefault(tag, Counter()).update({key: row[key] for key in _OUTCOMES})
            spread.setdefault(tag, ClusterSums()).add(row["passed"], row["passed"] + row["failed"])
    for tag, sums in sorted(by.items()):
        counts = Counts(**sums)
        yield Tally(name=tag, counts=_clustered(counts, spread[tag] if repeated else None))


def _scorers(database: sqlite3.Connection, n: int) -> Iterator[Tally]:
    rows = database.execute(
        "SELECT name, sum(passed = 1) AS passed, sum(passed = 0) AS failed, sum(status = 'error') AS unscored,"
        " sum(in_doubt) AS in_doubt, sum(status = 'skipped') AS skipped, avg(value) AS mean, min(place) AS place,"
        " sum(status = 'ok' AND passed IS NULL) AS informs"
        " FROM scores WHERE run = ? GROUP BY name ORDER BY place, name",
        (n,),
    )
    for row in rows:
        yield Tally(
            name=row["name"],
            counts=_counts(row),
            skipped=row["skipped"],
            mean=row["mean"],
            histogram=_histogram(database, n, row["name"]),
            extra={"informs": row["informs"]} if row["informs"] else {},
        )


def _histogram(database: sqlite3.Connection, n: int, name: str) -> tuple[int, ...]:
    rows = database.execute(
        f"SELECT min({_BINS - 1}, CAST(value * {_BINS} AS INTEGER)) AS bin, count(*) AS n FROM scores"
        " WHERE run = ? AND name = ? AND value IS NOT NULL GROUP BY bin",
        (n, name),
    )
    bins = [0] * _BINS
    for row in rows:
        bins[row["bin"]] = row["n"]
    return tuple(bins)


def _latency(database: sqlite3.Connection, n: int) -> dict[str, float]:
    return _quantiles(database, "run = ?", [n])


def _quantiles(database: sqlite3.Connection, where: str, values: list[Any]) -> dict[str, float]:
    """Return nearest-rank percentiles, by SQL so that no list of latencies is in memory."""
    query = f"FROM results WHERE {where} AND latency IS NOT NULL"
    row = database.execute(
        f"SELECT count(*) AS n, avg(latency) AS mean, max(latency) AS top {query}", values
    ).fetchone()
    if not row["n"]:
        return {}
    figures = {"mean": row["mean"], "max": row["top"]}
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        rank = max(0, math.ceil(share * row["n"]) - 1)
        found = database.execute(
            f"SELECT latency {query} ORDER BY latency LIMIT 1 OFFSET ?", (*values, rank)
        ).fetchone()
        figures[name] = found["latency"]
    return figures


def _spend(database: sqlite3.Connection, n: int) -> Iterator[Spend]:
    rows = database.execute(
        "SELECT model, role, sum(calls) AS calls, sum(cached) AS cached, sum(retries) AS retries,"
        " sum(errors) AS errors, sum(input) AS input, sum(output) AS output, sum(cached_input) AS cached_input,"
        " sum(reasoning) AS reasoning, CASE WHEN count(cost) = count(*) THEN sum(cost) END AS cost"
        " FROM spend WHERE run = ? GROUP BY model, role ORDER BY role DESC, model",
        (n,),
    )
    for row in rows:
        yield spend_of(row)


def _counts(row: sqlite3.Row) -> Counts:
    return Counts(**{key: row[key] or 0 for key in _OUTCOMES})


def models_that_answered(store: RunStore, run: RunRecord) -> tuple[str, ...]:
    """Return the models that the run's targets called, as ``provider:model``."""
    rows = store.database.execute(
        "SELECT DISTINCT model FROM spend WHERE run = ? AND role = 'target' AND calls > 0 ORDER BY model", (run.n,)
    )
    return tuple(row["model"] for row in rows)


def intents_of_other_suites(store: RunStore, suite: str, wanted: Iterable[str]) -> set[str]:
    """Return the requested intents that runs of other suites have cases of."""
    query = (
        "SELECT 1 FROM results JOIN runs ON runs.n = results.run WHERE runs.name != ? AND results.intent = ? LIMIT 1"
    )
    return {intent for intent in wanted if store.database.execute(query, (suite, intent)).fetchone() is not None}
