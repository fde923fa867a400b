"""Labels by people on hand-offs, results and turns, beside Proctor's own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from proctor.core.codec import dumps, loads
from proctor.core.event import Label
from proctor.store.db import explained, transaction
from proctor.store.sqlite_store import several_begin_with, unknown_name

__all__ = ["PROCTOR", "LabelPlace", "find_subject", "keep_labels", "labels_of", "people_said"]

PROCTOR = "proctor"  # the author of Proctor's own labels
_COLUMNS = "subject, dimension, value, person, time, note"


class LabelPlace(Protocol):
    """A database with labels: that of the runs, or one that several servers share."""

    @property
    def folder(self) -> Path:
        """Where it is, for messages."""

    @property
    def database(self) -> sqlite3.Connection:
        """The connection."""


def keep_labels(store: LabelPlace, labels: Iterable[Label]) -> int:
    """Store labels; a later one by the same person replaces the earlier. Return how many there were."""
    now = datetime.now(UTC)
    rows = [
        (each.subject, each.dimension, dumps(each.value).decode(), each.by, (each.time or now).isoformat(), each.note)
        for each in labels
    ]
    with explained(store.folder), transaction(store.database) as database:
        database.executemany(
            f"INSERT INTO labels ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (subject, dimension, person) DO UPDATE SET value = excluded.value, time = excluded.time,"
            " note = excluded.note",
            rows,
        )
    return len(rows)


def labels_of(store: LabelPlace, dimension: str, *, subject: str | None = None) -> Iterator[Label]:
    """Yield the labels in one dimension, including Proctor's own, in the order they were first given."""
    where, values = "dimension = ?", [dimension]
    if subject is not None:
        where += " AND subject = ?"
        values.append(subject)
    for row in store.database.execute(f"SELECT {_COLUMNS} FROM labels WHERE {where} ORDER BY n", values):
        yield _label(row)


def people_said(store: LabelPlace, dimension: str) -> dict[str, list[Label]]:
    """Return people's labels in one dimension, by subject."""
    found: dict[str, list[Label]] = {}
    for label in labels_of(store, dimension):
        if label.by != PROCTOR:
            found.setdefault(label.subject, []).append(label)
    return found


def find_subject(store: LabelPlace, dimension: str, name: str) -> str:
    """Return the full name of a labelled subject from a prefix of it.

    Raises:
        NotFoundError: nothing, or more than one subject, matches.
    """
    rows = store.database.execute(
        "SELECT DISTINCT subject FROM labels WHERE dimension = ? AND substr(subject, 1, ?) = ? ORDER BY subject",
        (dimension, len(name), name),
    ).fetchall()
    names = [row["subject"] for row in rows]
    if name in names:
        return name
    if len(names) == 1:
        return str(names[0])
    if names:
        raise several_begin_with(name, names, "names")
    known = [
        row["subject"]
        for row in store.database.execute(
            "SELECT DISTINCT subject FROM labels WHERE dimension = ? LIMIT 500", (dimension,)
        )
    ]
    message = f"there is no {dimension} {name!r} on record"
    raise unknown_name(name, known, message, "`proctor escalations FILE` puts hand-offs on record")


def _label(row: sqlite3.Row) -> Label:
    return Label(
        subject=row["subject"],
        dimension=row["dimension"],
        value=loads(row["value"]),
        by=row["person"],
        time=datetime.fromisoformat(row["time"]),
        note=row["note"],
    )
