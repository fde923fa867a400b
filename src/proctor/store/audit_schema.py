"""The tables of the audit, and an item as a row of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from proctor.core.audit import AuditedConversation, AuditItem, AuditSample, AuditStratum
from proctor.core.codec import dumps, encode, loads
from proctor.core.decode import decode
from proctor.core.trajectory import Trajectory

__all__ = ["AUDIT_MIGRATIONS", "audit_item", "audit_sample", "item_row", "of_weeks"]

# Append only. Never edit a released migration: existing files have applied it.
AUDIT_MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE samples (
        week    TEXT PRIMARY KEY,
        created TEXT NOT NULL,
        core    INTEGER NOT NULL,
        scale   INTEGER NOT NULL,
        strata  TEXT NOT NULL
    ) STRICT;

    CREATE TABLE items (
        id           TEXT PRIMARY KEY,
        week         TEXT NOT NULL REFERENCES samples(week) ON DELETE CASCADE,
        conversation TEXT NOT NULL UNIQUE,
        stratum      TEXT NOT NULL,
        probability  REAL NOT NULL,
        is_core      INTEGER NOT NULL,
        raters       INTEGER NOT NULL,
        place        INTEGER NOT NULL,
        reasons      TEXT NOT NULL,
        customer     TEXT,
        first        REAL NOT NULL,
        about        TEXT NOT NULL,
        trajectory   TEXT NOT NULL
    ) STRICT;
    CREATE INDEX items_by_week ON items (week, place);
    CREATE INDEX items_by_customer ON items (customer);

    CREATE TABLE claims (
        item    TEXT NOT NULL REFERENCES items(id) ON DELETE CASCADE,
        rater   TEXT NOT NULL,
        expires TEXT NOT NULL,
        PRIMARY KEY (item, rater)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE ratings (
        n         INTEGER PRIMARY KEY,
        item      TEXT NOT NULL REFERENCES items(id) ON DELETE CASCADE,
        rater     TEXT NOT NULL,
        dimension TEXT NOT NULL,
        value     INTEGER,
        note      TEXT NOT NULL DEFAULT '',
        time      TEXT NOT NULL,
        UNIQUE (item, rater, dimension)
    ) STRICT;

    CREATE TABLE settlements (
        n         INTEGER PRIMARY KEY,
        item      TEXT NOT NULL REFERENCES items(id) ON DELETE CASCADE,
        dimension TEXT NOT NULL,
        value     INTEGER,
        person    TEXT NOT NULL,
        note      TEXT NOT NULL DEFAULT '',
        time      TEXT NOT NULL,
        UNIQUE (item, dimension)
    ) STRICT;

    CREATE TABLE scores (
        item    TEXT NOT NULL REFERENCES items(id) ON DELETE CASCADE,
        name    TEXT NOT NULL,
        value   REAL,
        passed  INTEGER,
        version TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (item, name, version)
    ) STRICT, WITHOUT ROWID;
    """,
)


def item_row(item: AuditItem) -> tuple[Any, ...]:
    """Return an item as the columns of its table."""
    about = {**encode(item.about), "scores": []}  # these have a table of their own
    return (
        item.id,
        item.week,
        item.conversation,
        item.stratum,
        item.probability,
        item.is_core,
        item.raters,
        item.place,
        dumps(list(item.reasons)).decode(),
        item.about.customer,
        item.about.first,
        dumps(about).decode(),
        dumps(item.trajectory).decode(),
    )


def audit_item(row: sqlite3.Row) -> AuditItem:
    """Return the item of a row."""
    return AuditItem(
        id=row["id"],
        week=row["week"],
        conversation=row["conversation"],
        stratum=row["stratum"],
        probability=row["probability"],
        is_core=bool(row["is_core"]),
        raters=row["raters"],
        place=row["place"],
        reasons=tuple(loads(row["reasons"])),
        about=decode(AuditedConversation, loads(row["about"])),
        trajectory=decode(Trajectory, loads(row["trajectory"])),
    )


def of_weeks(weeks: Sequence[str] | None) -> tuple[str, tuple[str, ...]]:
    """Return the condition of items of some weeks, or of all."""
    if weeks is None:
        return "1", ()
    return "week IN (SELECT value FROM json_each(?))", (dumps(list(weeks)).decode(),)


def audit_sample(row: sqlite3.Row) -> AuditSample:
    """Return the sample of a row."""
    strata = tuple(
        AuditStratum(name=name, population=population, drawn=drawn) for name, population, drawn in loads(row["strata"])
    )
    created = datetime.fromisoformat(row["created"])
    return AuditSample(week=row["week"], strata=strata, created=created, core=row["core"], scale=row["scale"])
