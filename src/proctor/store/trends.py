"""Scores over time: a point for each run, target, dimension and intent."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from proctor.core.decode import decode
from proctor.core.record import dataclass
from proctor.core.report import Cell, Fingerprint
from proctor.store.db import explained, transaction
from proctor.store.runs import RunRecord, RunStore

__all__ = ["PointRecord", "TrendLine", "cells_of", "history", "keep_points", "known_lines", "points"]

_ALL = ""  # the intent of a point over all intents
_POINTS = (
    "SELECT r.id AS run, r.name AS suite, p.target, r.started AS time, p.dimension, p.intent, p.cases, p.unscored,"
    " p.mean, p.spread, p.cost, p.partial, r.fingerprint FROM trend_points p JOIN runs r ON r.n = p.run"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRecord:
    """One dimension of one run; ``intent`` is ``None`` over all intents."""

    run: str
    suite: str
    target: str
    time: datetime
    dimension: str
    intent: str | None
    cases: int
    unscored: int
    mean: float | None
    spread: float | None
    cost: float | None
    partial: bool
    fingerprint: Fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendLine:
    """Selects the points of a line; without a dimension, those of all dimensions and intents.

    Manually filtered runs are left out unless ``partial``; the runs of one ``trigger`` were all filtered in the same
    way and make a line of their own.
    """

    dimension: str | None = None
    intent: str | None = None
    suite: str | None = None
    target: str | None = None
    trigger: str | None = None
    partial: bool = False


def keep_points(
    store: RunStore, run: RunRecord, cells: Iterable[Cell], *, partial: bool, some_intents: bool = False
) -> None:
    """Store the points of a run; a run that is closed again replaces its own.

    ``partial`` marks a manually filtered run: its means cover other cases than the rest of the line. In a run of
    ``some_intents`` each intent is complete, and only the point over all of them is not.
    """
    rows = [
        (
            run.n,
            cell.target,
            cell.dimension,
            cell.intent or _ALL,
            cell.cases,
            cell.unscored,
            cell.mean,
            cell.spread,
            cell.cost,
            int(partial or (some_intents and cell.intent is None)),
        )
        for cell in cells
    ]
    with explained(store.folder), transaction(store.database) as database:
        database.execute("DELETE FROM trend_points WHERE run = ?", (run.n,))
        database.executemany(f"INSERT INTO trend_points VALUES ({','.join('?' * 10)})", rows)


def cells_of(store: RunStore, run: RunRecord) -> Iterator[Cell]:
    """Yield the results of a run in each dimension and intent."""
    rows = store.database.execute(
        "SELECT target, dimension, intent, cases, unscored, mean, spread, cost FROM trend_points WHERE run = ?"
        " ORDER BY target, dimension, intent",
        (run.n,),
    )
    for row in rows:
        yield Cell(**{**dict(row), "intent": row["intent"] or None})


def points(store: RunStore, line: TrendLine, *, before: str | None = None, limit: int = 30) -> list[PointRecord]:
    """Return the newest ``limit`` points of one line, the oldest first; with ``before``, only those before that run."""
    where, values = _where(line, before)
    rows = store.database.execute(f"{_POINTS} WHERE {where} ORDER BY r.n DESC, p.target LIMIT ?", (*values, limit))
    return [_point(row) for row in rows][::-1]


def history(store: RunStore, line: TrendLine, *, before: str | None = None, runs: int = 20) -> list[PointRecord]:
    """Return every point of the newest ``runs`` runs of a line, the oldest first."""
    where, values = _where(line, before)
    chosen = (
        f"SELECT DISTINCT r.n FROM trend_points p JOIN runs r ON r.n = p.run WHERE {where} ORDER BY r.n DESC LIMIT ?"
    )
    rows = store.database.execute(
        f"{_POINTS} WHERE {where} AND r.n IN ({chosen}) ORDER BY r.n, p.target, p.dimension, p.intent",
        (*values, *values, runs),
    )
    return [_point(row) for row in rows]


def _where(line: TrendLine, before: str | None) -> tuple[str, list[Any]]:
    where, values = ["1"], []
    chosen: list[tuple[str, Any]] = [("p.dimension = ?", line.dimension), ("r.name = ?", line.suite)]
    chosen += [("p.intent = ?", _ALL if line.intent is None and line.dimension else line.intent)]
    chosen += [("p.target = ?", line.target)]
    # A stored fingerprint omits default values.
    chosen += [("coalesce(json_extract(r.fingerprint, '$.trigger'), 'manual') = ?", line.trigger)]
    chosen += [("r.n < (SELECT n FROM runs WHERE id = ?)", before)]
    for clause, value in chosen:
        if value is not None:
            where.append(clause)
            values.append(value)
    if not line.partial and line.trigger is None:
        where.append("p.partial = 0")
    return " AND ".join(where), values


def _point(row: sqlite3.Row) -> PointRecord:
    return PointRecord(
        **{
            **dict(row),
            "time": datetime.fromisoformat(row["time"]),
            "intent": row["intent"] or None,
            "partial": bool(row["partial"]),
            "fingerprint": decode(Fingerprint, json.loads(row["fingerprint"])),
        }
    )


def known_lines(store: RunStore, *, dimension: str | None = None) -> tuple[set[str], set[str]]:
    """Return every dimension and intent with a point, to suggest corrections of a mistyped one."""
    where, values = ("WHERE dimension = ?", (dimension,)) if dimension else ("", ())
    rows = store.database.execute(f"SELECT DISTINCT dimension, intent FROM trend_points {where}", values).fetchall()
    return {row["dimension"] for row in rows}, {row["intent"] for row in rows if row["intent"]}
