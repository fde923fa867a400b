"""The database: one SQLite file in WAL mode, updated by an append-only list of migrations."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from proctor.core.errors import StoreError
from proctor.store.masked_json import MaskingConnection
from proctor.store.private_files import private_database

__all__ = ["LABELS_TABLE", "MIGRATIONS", "connect", "explained", "transaction"]

LABELS_TABLE = """
    CREATE TABLE labels (
        n         INTEGER PRIMARY KEY,
        subject   TEXT NOT NULL,
        dimension TEXT NOT NULL,
        value     TEXT NOT NULL,
        person    TEXT NOT NULL,
        time      TEXT NOT NULL,
        note      TEXT NOT NULL DEFAULT '',
        UNIQUE (subject, dimension, person)
    ) STRICT;
    CREATE INDEX labels_by_dimension ON labels (dimension, n);
    """

# Append only. Never edit a released migration: existing files have applied it.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE runs (
        n           INTEGER PRIMARY KEY,
        id          TEXT NOT NULL UNIQUE,
        name        TEXT NOT NULL,
        status      TEXT NOT NULL,
        decision    TEXT,
        reason      TEXT NOT NULL DEFAULT '',
        started     TEXT NOT NULL,
        finished    TEXT,
        total       INTEGER,
        legs        INTEGER NOT NULL DEFAULT 1,
        indexed_to  INTEGER NOT NULL DEFAULT 0,
        fingerprint TEXT NOT NULL,
        settings    TEXT NOT NULL,
        notes       TEXT NOT NULL DEFAULT '[]',
        concurrency TEXT NOT NULL DEFAULT '[]'
    ) STRICT;

    CREATE TABLE results (
        run     INTEGER NOT NULL REFERENCES runs(n) ON DELETE CASCADE,
        key     INTEGER NOT NULL,
        seq     INTEGER NOT NULL,
        case_id TEXT NOT NULL,
        target  TEXT NOT NULL,
        sample  INTEGER NOT NULL,
        intent  TEXT,
        tags    TEXT NOT NULL,
        outcome TEXT NOT NULL,
        value   REAL,
        reason  TEXT NOT NULL,
        latency REAL,
        cost    REAL,
        trajectory_at     INTEGER NOT NULL,
        trajectory_length INTEGER NOT NULL,
        result_at         INTEGER NOT NULL,
        result_length     INTEGER NOT NULL,
        PRIMARY KEY (run, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX results_in_order ON results (run, seq);
    CREATE INDEX results_by_outcome ON results (run, outcome, seq);

    CREATE TABLE scores (
        run      INTEGER NOT NULL REFERENCES runs(n) ON DELETE CASCADE,
        key      INTEGER NOT NULL,
        place    INTEGER NOT NULL,
        name     TEXT NOT NULL,
        status   TEXT NOT NULL,
        value    REAL,
        passed   INTEGER,
        producer TEXT NOT NULL,
        PRIMARY KEY (run, key, place)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE spend (
        run          INTEGER NOT NULL REFERENCES runs(n) ON DELETE CASCADE,
        leg          INTEGER NOT NULL,
        model        TEXT NOT NULL,
        role         TEXT NOT NULL,
        calls        INTEGER NOT NULL,
        cached       INTEGER NOT NULL,
        retries      INTEGER NOT NULL,
        errors       INTEGER NOT NULL,
        input        INTEGER NOT NULL,
        output       INTEGER NOT NULL,
        cached_input INTEGER NOT NULL,
        reasoning    INTEGER NOT NULL,
        cost         REAL,
        PRIMARY KEY (run, leg, model, role)
    ) STRICT, WITHOUT ROWID;
    """,
    # The figures of a finished run, so that showing a run of 100,000 results need not count them again.
    "ALTER TABLE runs ADD COLUMN report TEXT;",
    # Scores over time, decisions about them, and the review queue.
    """
    CREATE TABLE trend_points (
        run       INTEGER NOT NULL REFERENCES runs(n) ON DELETE CASCADE,
        target    TEXT NOT NULL,
        dimension TEXT NOT NULL,
        intent    TEXT NOT NULL,
        cases     INTEGER NOT NULL,
        unscored  INTEGER NOT NULL,
        mean      REAL,
        spread    REAL,
        cost      REAL,
        partial   INTEGER NOT NULL,
        PRIMARY KEY (run, target, dimension, intent)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX trend_points_in_order ON trend_points (dimension, intent, run);

    CREATE TABLE decisions (
        n        INTEGER PRIMARY KEY,
        run      TEXT NOT NULL,
        suite    TEXT NOT NULL,
        target   TEXT NOT NULL,
        baseline TEXT NOT NULL,
        decision TEXT NOT NULL,
        reasons  TEXT NOT NULL,
        time     TEXT NOT NULL
    ) STRICT;

    CREATE TABLE review (
        n         INTEGER PRIMARY KEY,
        id        TEXT NOT NULL UNIQUE,
        origin    TEXT NOT NULL,
        run       TEXT NOT NULL,
        target    TEXT NOT NULL,
        case_id   TEXT NOT NULL,
        intent    TEXT,
        dimension TEXT NOT NULL,
        part      TEXT NOT NULL,
        before    REAL,
        after     REAL,
        reason    TEXT NOT NULL,
        opened    TEXT NOT NULL,
        resolved  TEXT,
        verdict   TEXT,
        person    TEXT NOT NULL DEFAULT '',
        note      TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX review_open ON review (resolved, n);
    """,
    # Labels by people, beside Proctor's own.
    LABELS_TABLE,
    # For a wrong decision of a gate: the gate that should have stopped it. Queried by origin, so that is indexed.
    """
    ALTER TABLE review ADD COLUMN missed TEXT NOT NULL DEFAULT '';
    CREATE INDEX review_by_origin ON review (origin, resolved);
    """,
    # Attack campaigns: each command that attacked a target, the runs it made, and what was found.
    """
    CREATE TABLE campaign_runs (
        n          INTEGER PRIMARY KEY,
        campaign   TEXT NOT NULL,
        kind       TEXT NOT NULL,
        target     TEXT NOT NULL,
        guarded    INTEGER NOT NULL,
        attempts   TEXT NOT NULL,
        tries      INTEGER,
        mitigation TEXT NOT NULL DEFAULT '',
        repeats    INTEGER REFERENCES campaign_runs(n),
        started    TEXT NOT NULL,
        finished   TEXT
    ) STRICT;
    CREATE INDEX campaign_runs_by_campaign ON campaign_runs (campaign, n);

    CREATE TABLE campaign_rounds (
        campaign_run INTEGER NOT NULL REFERENCES campaign_runs(n) ON DELETE CASCADE,
        round        INTEGER NOT NULL,
        attempts     TEXT NOT NULL,
        run          TEXT,
        PRIMARY KEY (campaign_run, round)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE attack_findings (
        n          INTEGER PRIMARY KEY,
        id         TEXT NOT NULL,
        campaign   TEXT NOT NULL,
        goal       TEXT NOT NULL,
        scope      TEXT NOT NULL,
        target     TEXT NOT NULL,
        title      TEXT NOT NULL,
        severity   TEXT NOT NULL,
        status     TEXT NOT NULL DEFAULT 'open',
        owner      TEXT NOT NULL DEFAULT '',
        category   TEXT NOT NULL DEFAULT '',
        note       TEXT NOT NULL DEFAULT '',
        mitigation TEXT NOT NULL DEFAULT '',
        retest     TEXT,
        retested   TEXT NOT NULL DEFAULT '',
        executed   INTEGER NOT NULL DEFAULT 0,
        tried      INTEGER NOT NULL DEFAULT 0,
        run        TEXT NOT NULL DEFAULT '',
        attempts   TEXT NOT NULL DEFAULT '[]',
        first_seen TEXT NOT NULL,
        last_seen  TEXT NOT NULL,
        held_out   INTEGER NOT NULL DEFAULT 0,
        tags       TEXT NOT NULL DEFAULT '[]',
        source     TEXT NOT NULL DEFAULT 'proctor',
        person     TEXT NOT NULL DEFAULT '',
        reason     TEXT NOT NULL DEFAULT '',
        extra      TEXT NOT NULL DEFAULT '{}',
        UNIQUE (campaign, id)
    ) STRICT;
    """,
    # Results that passed and should be reviewed; before, only their reason said so.
    """
    ALTER TABLE results ADD COLUMN in_doubt INTEGER NOT NULL DEFAULT 0;
    UPDATE results SET in_doubt = 1 WHERE outcome = 'pass' AND reason LIKE 'in doubt%';
    CREATE INDEX results_in_doubt ON results (run, seq) WHERE in_doubt = 1;
    """,
    # Which scores put a result in doubt, so that the figures of a scorer count them.
    "ALTER TABLE scores ADD COLUMN in_doubt INTEGER NOT NULL DEFAULT 0;",
    # The place of a result in its suite, by which reports list it; results of earlier versions have none.
    """
    ALTER TABLE results ADD COLUMN place INTEGER;
    CREATE INDEX results_in_suite ON results (run, place, seq);
    """,
    # Results of one outcome and those in doubt are listed in the order of the suite too, a page at a time.
    """
    DROP INDEX results_by_outcome;
    CREATE INDEX results_by_outcome ON results (run, outcome, place, seq);
    DROP INDEX results_in_doubt;
    CREATE INDEX results_in_doubt ON results (run, place, seq) WHERE in_doubt = 1;
    """,
)


_REMEDY = "restore the file from a copy, or move it away to begin without it"
_AGAIN = "move the file away, then make it again: `proctor history rebuild`"
_REMEDIES = {
    "proctor.db": "move the file away; `proctor doctor` then lists the runs to rebuild",
    "index.db": _AGAIN,
    "search.db": _AGAIN,
    "guard.db": "move the file away; it is made again from the guard's log",
}


def connect(
    path: Path,
    migrations: Sequence[str] = MIGRATIONS,
    *,
    check_same_thread: bool = True,
    may_be_read_only: bool = False,
) -> sqlite3.Connection:
    """Open a database, creating or migrating it as needed.

    ``migrations`` are those of the project's database, unless the file is another one. With ``may_be_read_only`` a file
    that cannot be written is opened for reading: an archive, or results mounted from another machine.

    Raises:
        StoreError: the file cannot be created, read or written, or is not a database of ours.
    """
    try:
        private_database(path)
        database = sqlite3.connect(
            path, isolation_level=None, timeout=30.0, factory=MaskingConnection, check_same_thread=check_same_thread
        )
        database.row_factory = sqlite3.Row
        database.execute("PRAGMA journal_mode=WAL")
        # WAL + NORMAL: a killed process loses nothing, a power cut at most the last moment, which the journal has.
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("PRAGMA foreign_keys=ON")
        database.execute("PRAGMA cache_size=-2000")
        _migrate(database, path, migrations)
    except (sqlite3.Error, OSError) as error:
        if may_be_read_only and _is_forbidden(error):
            archive = _open_read_only(path, len(migrations), check_same_thread=check_same_thread)
            if archive is not None:
                return archive
        raise _explained(error, path) from error
    return database


def _open_read_only(path: Path, version: int, *, check_same_thread: bool) -> sqlite3.Connection | None:
    """Return a connection that only reads; None if the file cannot be read, or has to be migrated first."""
    if not os.access(path, os.R_OK):
        return None
    log = path.with_name(path.name + "-wal")
    # Without its shared-memory file a WAL database opens only as immutable. That would miss what is still in the log.
    ways = ["mode=ro"] if log.is_file() and log.stat().st_size else ["mode=ro", "immutable=1"]
    for way in ways:
        address = f"{path.resolve().as_uri()}?{way}"
        try:
            database = sqlite3.connect(
                address,
                uri=True,
                isolation_level=None,
                timeout=30.0,
                factory=MaskingConnection,
                check_same_thread=check_same_thread,
            )
        except sqlite3.Error:
            continue
        database.row_factory = sqlite3.Row
        try:
            if database.execute("PRAGMA user_version").fetchone()[0] == version:
                database.execute("SELECT count(*) FROM sqlite_master").fetchone()
                return database
        except sqlite3.Error:
            pass
        database.close()
    return None


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Convert database errors inside the block to a StoreError with a hint."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explained(error, path) from error


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run the block as one write transaction; an exception undoes all of it."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield database
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:  # SQLite ends it by itself when the disk is full
            database.execute("ROLLBACK")
        raise


def _migrate(database: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version > len(migrations):
        raise StoreError(
            f"was written by a newer Proctor (format {version}, this one knows {len(migrations)})",
            file=str(path),
            hint="upgrade Proctor, or name another folder under `store:` in proctor.yaml",
        )
    for number in range(version, len(migrations)):
        script = f"BEGIN IMMEDIATE;\n{migrations[number]}\nPRAGMA user_version = {number + 1};\nCOMMIT;"
        try:
            database.executescript(script)
        except sqlite3.OperationalError:
            if database.in_transaction:
                database.execute("ROLLBACK")
            # Another process may have applied this migration first.
            if database.execute("PRAGMA user_version").fetchone()[0] <= number:
                raise


def _is_forbidden(error: Exception) -> bool:
    if isinstance(error, OSError):
        return isinstance(error, PermissionError) or error.errno == errno.EROFS
    return "readonly" in str(error) or "unable to open" in str(error)


def _explained(error: Exception, path: Path) -> StoreError:
    # An OSError's own text has its number, and the path once more.
    text = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    if _is_forbidden(error):
        return StoreError(
            "cannot be written", file=str(path), hint="make the folder writable, or name another under `store:`"
        )
    if "not a database" in text or "malformed" in text:
        return StoreError(
            "is not a Proctor database (or is damaged)",
            file=str(path),
            hint=_REMEDIES.get(path.name, _REMEDY) if path.suffix == ".db" else _REMEDIES["proctor.db"],
        )
    if "full" in text or getattr(error, "errno", None) == errno.ENOSPC:
        return StoreError("the disk is full", file=str(path), hint="free some space, then try again")
    if "locked" in text:
        return StoreError("is locked by another process", file=str(path), hint="wait for it to end, then try again")
    return StoreError(text, file=str(path), hint="check the folder under `store:` in proctor.yaml")
