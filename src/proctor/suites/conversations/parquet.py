"""Stream the rows of Parquet files through DuckDB: conversations, or events grouped by their session."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from proctor.core.errors import ConfigError, SuiteError
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.json_text import read_json

__all__ = ["ParquetFacts", "is_parquet", "parquet_entries", "parquet_facts"]

_FETCHED_ROWS = 512
_EVENT_COLUMNS = frozenset({"kind", "time", "session"})
_EVENT = "event"  # the whole event as JSON, in segments that Proctor has sealed
_STRUCTURED = frozenset({"messages", "turns", "trajectory", "recorded", "case", "metadata", "input", "output", "turn"})


class ParquetFacts:
    """The number of rows of a Parquet file, and whether they are events."""

    def __init__(self, rows: int, columns: Sequence[str]) -> None:
        self.rows = rows
        self.columns = tuple(columns)
        self.has_events = set(columns) >= _EVENT_COLUMNS


def is_parquet(path: Path) -> bool:
    """Whether a file is read as Parquet, by its name."""
    return path.suffix.lower() == ".parquet"


def parquet_facts(path: Path) -> ParquetFacts:
    """Return the number of rows and the columns of a file, from its footer alone.

    Raises:
        SuiteError: it is missing, or is not a Parquet file.
    """
    with _Reading(path) as reading:
        rows = reading.all("SELECT num_rows FROM parquet_file_metadata(?)", [str(path)])
        named = reading.all("SELECT * FROM read_parquet(?) LIMIT 0", [str(path)])
        del named
        return ParquetFacts(int(rows[0][0]) if rows else 0, reading.columns)


def parquet_entries(
    files: Sequence[Path], rows: tuple[int, int] | None = None, part: tuple[int, int] | None = None
) -> Iterator[Entry]:
    """Yield the rows of files as entries.

    ``rows`` limits one file to a range of rows. ``part`` is (number, parts): of files with events, those whose session
    falls into this part, ordered by session and time.

    Raises:
        SuiteError: a file is missing, or is not Parquet; or a column of JSON is not JSON.
    """
    first = files[0]
    has_events = parquet_facts(first).has_events
    with _Reading(first) as reading:
        names = [str(file) for file in files]
        if has_events:
            number, parts = part or (0, 1)
            where = "WHERE session IS NOT NULL AND md5_number_lower(session) % $parts = $number" if parts > 1 else ""
            order = "ORDER BY session, time" + (", id" if "id" in parquet_facts(first).columns else "")
            values: dict[str, Any] = {"files": names, **({"parts": parts, "number": number} if parts > 1 else {})}
            query = f"SELECT * FROM read_parquet($files, union_by_name = true) {where} {order}"  # noqa: S608
        else:
            start, stop = rows or (0, 1 << 62)
            where = "WHERE file_row_number >= $start AND file_row_number < $stop" if rows else ""
            values = {"files": names, **({"start": start, "stop": stop} if rows else {})}
            query = f"SELECT * FROM read_parquet($files, file_row_number = true) {where}"  # noqa: S608
        index = rows[0] if rows else 0
        for row in reading.rows(query, values):
            data = _event_data(row, first) if has_events else row
            yield Entry(data=data, file=first, path=(index,))
            index += 1


def _event_data(row: Mapping[str, Any], file: Path) -> Any:
    if isinstance(line := row.get(_EVENT), (str, bytes)):
        try:
            return read_json(line)
        except ValueError as error:
            hint = "seal the segment again, or leave it out"
            raise SuiteError(f"the column `{_EVENT}` is not JSON: {error}", file=str(file), hint=hint) from None
    return row


class _Reading:
    """One connection to DuckDB that reads these files, on one thread, and reports its errors with the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.columns: list[str] = []
        self._spill = tempfile.TemporaryDirectory(prefix="proctor-parquet-")

    def __enter__(self) -> _Reading:
        try:
            import duckdb  # noqa: PLC0415 - an extra, and 30 ms
        except ImportError:
            hint = "install it: pip install 'proctor[history]'"
            raise ConfigError("Parquet files are read by DuckDB, which is not installed", hint=hint) from None
        self._error: type[Exception] = duckdb.Error
        self._database = duckdb.connect(
            config={"threads": 1, "temp_directory": self._spill.name, "autoinstall_known_extensions": "false"}
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._spill.cleanup()

    def all(self, query: str, values: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        return list(self._run(query, values))

    def rows(self, query: str, values: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of a query as JSON-like data, without empty cells."""
        for row in self._run(query, values):
            named = zip(self.columns, row, strict=True)
            yield {
                name: _parsed(value) if name in _STRUCTURED else _plain(value)
                for name, value in named
                if value is not None and name != "file_row_number"
            }

    def _run(self, query: str, values: Any) -> Iterator[tuple[Any, ...]]:
        try:
            cursor = self._database.execute(query, values)
            self.columns = [each[0] for each in cursor.description or ()]
            while some := cursor.fetchmany(_FETCHED_ROWS):
                yield from some
        except self._error as error:
            told = str(error).splitlines()[0] if str(error) else type(error).__name__
            missing = not self._path.exists()
            raise SuiteError(
                "no such file" if missing else f"cannot be read as Parquet: {told[:300]}",
                file=str(self._path),
                hint="check the path" if missing else "copy it again, or leave it out",
            ) from None


def _parsed(value: Any) -> Any:
    """Return the value of a column that is often stored as a text of JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return read_json(value)
        except ValueError:
            return value
    return _plain(value)


def _plain(value: Any) -> Any:
    """Return the value as JSON-like data; empty fields of a structure are left out, as JSON writers do."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return str(value)
