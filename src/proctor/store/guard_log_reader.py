"""Read the log of gates' decisions: day by day, or one decision by its id."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from proctor.core.codec import loads
from proctor.core.decode import decode
from proctor.core.errors import NotFoundError, StoreError
from proctor.core.event import Event
from proctor.store.sqlite_store import several_begin_with

__all__ = ["days", "find_event", "find_row", "read_rows"]

_PATTERN = "????-??-??.ndjson"


def days(folder: Path, *, since: datetime | None = None) -> list[Path]:
    """Return the files of the log, the oldest first."""
    first = "" if since is None else since.astimezone(UTC).date().isoformat()
    return sorted(path for path in folder.glob(_PATTERN) if path.stem >= first)


def read_rows(folder: Path, *, since: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Yield every event of the log from that time on as raw data; an unfinished last line is skipped.

    Raises:
        StoreError: a file cannot be read, or a line in it is damaged.
    """
    start = None if since is None else since.astimezone(UTC)
    for path in days(folder, since=since):
        for row in _rows(path):
            if start is None or datetime.fromisoformat(row["time"]) >= start:
                yield row
        # Only the first day needs the time filter; later days count entirely.
        start = None


def find_event(folder: Path, name: str) -> Event:
    """Return a decision by its id or a prefix of it; the newest days are searched first.

    Raises:
        NotFoundError: no decision, or more than one, matches.
        StoreError: a file cannot be read.
    """
    if (row := find_row(folder, name)) is not None:
        return decode(Event, row)
    raise NotFoundError(
        f"there is no decision {name!r} in the guard's log",
        hint="`proctor guard stats --ids` names the last that were stopped, `proctor review list` those to look at",
    )


def find_row(folder: Path, name: str) -> dict[str, Any] | None:
    """Return a decision's row by its id or a prefix of it; None if there is none.

    Raises:
        NotFoundError: more than one matches.
        StoreError: a file cannot be read.
    """
    mark = b'"id":"' + name.encode()
    for path in reversed(days(folder)):
        found = {row["id"]: row for row in _rows(path, mark=mark) if str(row.get("id", "")).startswith(name)}
        if name in found or len(found) == 1:
            return found.get(name) or next(iter(found.values()))
        if found:
            raise several_begin_with(name, list(found), "decisions")
    return None


def _rows(path: Path, *, mark: bytes = b"") -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return
                if mark in line and not line.isspace():  # a line that was erased is blank
                    yield _parsed(line, number, path)
    except OSError as error:
        raise StoreError(f"cannot be read: {error.strerror}", file=str(path), hint="check its permissions") from error


def _parsed(line: bytes, number: int, path: Path) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            row = loads(line)  # orjson rejects half a surrogate pair
        except ValueError:
            row = None
    if not isinstance(row, dict) or "time" not in row:
        hint = "take the line out, or restore the file from a copy"
        raise StoreError("this line is damaged", file=str(path), line=number, hint=hint)
    return row
