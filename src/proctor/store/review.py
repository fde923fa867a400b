"""The review queue: items for a person to review, and their verdicts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from proctor.core.codec import content_id
from proctor.core.errors import InputError
from proctor.store.db import explained, transaction
from proctor.store.runs import RunStore
from proctor.store.sqlite_store import insert, matching, several_begin_with, unknown_name

__all__ = [
    "ALERT",
    "GUARD",
    "ReviewItem",
    "ReviewVerdict",
    "add_items",
    "alert_verdicts",
    "check_word",
    "find_item",
    "guard_verdicts",
    "id_of",
    "item_columns",
    "item_of_row",
    "items",
    "look_up",
    "open_count",
    "resolve",
    "words_for",
]

ReviewVerdict = Literal["worse", "acceptable", "right", "wrong"]
GUARD = "guard"  # the origin of a gate's decision in production
ALERT = "alert"  # the origin of a high alert about production
_LET_PASS = ("allow", "redact")
_COLUMNS = (
    "id, origin, run, target, case_id, intent, dimension, part, before, after, reason, opened, resolved, verdict,"
    " person, note, missed"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """One case to review: ``worse`` confirms the alarm, ``acceptable`` marks it as false.

    A gate's decision or an alert is ``right`` or ``wrong``; ``missed`` names the gate that should have stopped a step
    that passed.
    """

    origin: str
    run: str
    target: str
    case_id: str
    intent: str | None = None
    dimension: str = ""
    part: str = ""
    before: float | None = None
    after: float | None = None
    reason: str = ""
    id: str = ""
    opened: datetime | None = None
    resolved: datetime | None = None
    verdict: ReviewVerdict | None = None
    person: str = ""
    note: str = ""
    missed: str = ""


def words_for(origin: str) -> tuple[ReviewVerdict, ...]:
    """Return the possible verdicts: right or wrong for a decision or an alert, worse or acceptable for a case."""
    return ("right", "wrong") if origin in (GUARD, ALERT) else ("worse", "acceptable")


def add_items(store: RunStore, new: Iterable[ReviewItem]) -> int:
    """Add items to the queue and return how many are new.

    A waiting case is not added again: a later run of the same suite and target replaces the earlier one in its item, so
    that a person sees the newest answer. An item reviewed for a run is not added again for that run.
    """
    now = datetime.now(UTC).isoformat()
    added = 0
    with explained(store.folder), transaction(store.database):
        for item in new:
            if item.origin == GUARD or not _is_waiting(store, item):
                added += _insert(store, item, now)
    return added


_GIVEN = ("origin", "run", "target", "case_id", "intent", "dimension", "part", "before", "after", "reason")


def _insert(store: RunStore, item: ReviewItem, now: str) -> int:
    values = {name: getattr(item, name) for name in _GIVEN} | {"id": id_of(item), "opened": now}
    return insert(store.database, "review", values, verb="INSERT OR IGNORE").rowcount


def _is_waiting(store: RunStore, item: ReviewItem) -> bool:
    """Return whether the case is in the queue; an item of an earlier run is updated."""
    place = (item.origin, item.target, item.case_id)
    seen = store.database.execute(
        "SELECT 1 FROM review WHERE origin = ? AND target = ? AND case_id = ? AND run = ?", (*place, item.run)
    ).fetchone()
    if seen is not None:
        return True
    updated = store.database.execute(
        "UPDATE review SET run = ?, intent = ?, dimension = ?, part = ?, before = ?, after = ?, reason = ?"
        " WHERE origin = ? AND target = ? AND case_id = ? AND resolved IS NULL"
        " AND (SELECT name FROM runs WHERE id = review.run) IS (SELECT name FROM runs WHERE id = ?)",
        (
            item.run,
            item.intent,
            item.dimension,
            item.part,
            item.before,
            item.after,
            item.reason,
            *place,
            item.run,
        ),
    )
    return updated.rowcount > 0


def items(
    store: RunStore,
    *,
    state: Literal["open", "resolved", "all"] = "open",
    run: str | None = None,
    origin: str | None = None,
    limit: int = 50,
) -> list[ReviewItem]:
    """Return items of the queue, the oldest first."""
    where, values = matching(run=run, origin=origin)
    where += {"open": " AND resolved IS NULL", "resolved": " AND resolved IS NOT NULL", "all": ""}[state]
    rows = store.database.execute(f"SELECT {_COLUMNS} FROM review WHERE {where} ORDER BY n LIMIT ?", (*values, limit))
    return [item_of_row(row) for row in rows]


def open_count(store: RunStore, *, origin: str | None = None) -> int:
    """Return how many items are unreviewed, of one origin or of all."""
    where, values = ("", ()) if origin is None else (" AND origin = ?", (origin,))
    query = f"SELECT count(*) FROM review WHERE resolved IS NULL{where}"
    count: int = store.database.execute(query, values).fetchone()[0]
    return count


def find_item(store: RunStore, name: str) -> ReviewItem:
    """Return an item by its id or a prefix of it.

    Raises:
        NotFoundError: no item, or more than one, matches.
    """
    if (item := look_up(store, name)) is not None:
        return item
    known = [row["id"] for row in store.database.execute("SELECT id FROM review ORDER BY n DESC LIMIT 200")]
    message = f"there is no item {name!r} in the review queue"
    raise unknown_name(name, known, message, "`proctor review list` shows the items there are")


def look_up(store: RunStore, name: str) -> ReviewItem | None:
    """Return an item by its id or a prefix of it; None if there is none.

    Raises:
        NotFoundError: more than one matches.
    """
    rows = store.database.execute(
        f"SELECT {_COLUMNS} FROM review WHERE substr(id, 1, ?) = ? ORDER BY n", (len(name), name)
    ).fetchall()
    if len(rows) == 1:
        return item_of_row(rows[0])
    if rows:
        raise several_begin_with(name, [row["id"] for row in rows], "items of the review queue")
    return None


def resolve(
    store: RunStore, item: ReviewItem, *, verdict: ReviewVerdict, person: str, note: str = "", missed: str = ""
) -> ReviewItem:
    """Record a person's verdict on an item; a later verdict replaces the earlier.

    Raises:
        InputError: the verdict does not apply to an item of this kind.
    """
    check_word(item, verdict=verdict, missed=missed)
    with explained(store.folder):
        store.database.execute(
            "UPDATE review SET resolved = ?, verdict = ?, person = ?, note = ?, missed = ? WHERE id = ?",
            (datetime.now(UTC).isoformat(), verdict, person, note, missed, item.id),
        )
    return find_item(store, item.id)


def check_word(item: ReviewItem, *, verdict: ReviewVerdict, missed: str = "") -> None:
    """Reject a verdict that does not apply to an item.

    Raises:
        InputError: the verdict is not for an item of this kind, or nothing was missed.
    """
    if verdict not in (words := words_for(item.origin)):
        about = {GUARD: "a gate's decision", ALERT: "an alert"}.get(item.origin, "a case of a run")
        raise InputError(f"{item.id} is {about}: {verdict!r} says nothing of it", hint=f"say {' or '.join(words)}")
    if missed and (verdict != "wrong" or item.part not in _LET_PASS):
        raise InputError(
            f"{item.id}: a gate misses only what was let pass and should not have been",
            hint="leave the missed gate out",
        )


def guard_verdicts(store: RunStore) -> dict[str, tuple[bool, str]]:
    """Return people's verdicts on gates' decisions by event: whether right, and the gate that missed something."""
    rows = store.database.execute(
        "SELECT case_id, verdict, missed FROM review WHERE origin = ? AND resolved IS NOT NULL", (GUARD,)
    )
    return {row["case_id"]: (row["verdict"] == "right", row["missed"]) for row in rows}


def alert_verdicts(store: RunStore) -> dict[str, bool]:
    """Return people's verdicts on alerts: whether each was right."""
    rows = store.database.execute(
        "SELECT case_id, verdict FROM review WHERE origin = ? AND resolved IS NOT NULL", (ALERT,)
    )
    return {row["case_id"]: row["verdict"] == "right" for row in rows}


def id_of(item: ReviewItem) -> str:
    """Return the item's id: the same problem found twice is one item."""
    return content_id([item.origin, item.run, item.target, item.case_id, item.dimension], length=10)


def item_columns() -> str:
    """Return the columns of an item in the database."""
    return _COLUMNS


def item_of_row(row: sqlite3.Row) -> ReviewItem:
    """Return the item of a row with these columns."""
    data = dict(row)
    for name in ("opened", "resolved"):
        data[name] = datetime.fromisoformat(data[name]) if data[name] else None
    return ReviewItem(**data)
