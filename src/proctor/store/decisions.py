"""Record release decisions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from proctor.store.db import explained
from proctor.store.runs import RunStore

__all__ = ["DecisionRecord", "baseline_of", "decisions", "decisions_on", "false_holds", "keep_decision"]

_COLUMNS = "run, suite, target, baseline, decision, reasons, time"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """One recorded decision: its run, its baseline, and its reasons."""

    run: str
    suite: str
    target: str
    baseline: str
    decision: str
    reasons: tuple[str, ...]
    time: datetime


def keep_decision(
    store: RunStore, *, run: str, suite: str, target: str, baseline: str, decision: str, reasons: Sequence[str]
) -> None:
    """Record a decision; a later one on the same run and baseline replaces it."""
    with explained(store.folder), store.database:
        store.database.execute(
            "DELETE FROM decisions WHERE run = ? AND target = ? AND baseline = ?", (run, target, baseline)
        )
        store.database.execute(
            "INSERT INTO decisions (run, suite, target, baseline, decision, reasons, time)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (run, suite, target, baseline, decision, json.dumps(list(reasons)), datetime.now(UTC).isoformat()),
        )


def decisions(store: RunStore, *, limit: int = 50) -> list[DecisionRecord]:
    """Return the newest decisions first."""
    return _records(store.database.execute(f"SELECT {_COLUMNS} FROM decisions ORDER BY n DESC LIMIT ?", (limit,)))


def decisions_on(store: RunStore, run: str) -> list[DecisionRecord]:
    """Return the decisions on one run, the newest first."""
    return _records(
        store.database.execute(f"SELECT {_COLUMNS} FROM decisions WHERE run = ? ORDER BY n DESC LIMIT 20", (run,))
    )


def _records(rows: Iterable[sqlite3.Row]) -> list[DecisionRecord]:
    return [
        DecisionRecord(
            **{
                **dict(row),
                "reasons": tuple(json.loads(row["reasons"])),
                "time": datetime.fromisoformat(row["time"]),
            }
        )
        for row in rows
    ]


def baseline_of(store: RunStore, *, run: str, target: str) -> str | None:
    """Return the baseline run that a run was last compared with; None if there was no decision."""
    row = store.database.execute(
        "SELECT baseline FROM decisions WHERE run = ? AND target = ? ORDER BY n DESC LIMIT 1", (run, target)
    ).fetchone()
    return row["baseline"] if row is not None else None


def false_holds(store: RunStore) -> tuple[int, int]:
    """Return how many holds reviewers found unnecessary, and out of how many decisions with a known result.

    A hold is unnecessary if everything it queued for review was found acceptable. A hold with open items, or with
    nothing to review, is not counted; a ship counts as a decision without a hold.
    """
    row = store.database.execute(
        """
        WITH looked_at AS (
            SELECT run, target, count(*) AS items, sum(resolved IS NULL) AS open, sum(verdict = 'acceptable') AS fine
            FROM review WHERE origin = 'gate' GROUP BY run, target
        )
        SELECT sum(d.decision = 'hold' AND l.open = 0 AND l.fine = l.items) AS vain,
               sum(d.decision = 'ship' OR (d.decision = 'hold' AND l.open = 0)) AS known
        FROM decisions d LEFT JOIN looked_at l ON l.run = d.run AND l.target = d.target
        """
    ).fetchone()
    return row["vain"] or 0, row["known"] or 0
