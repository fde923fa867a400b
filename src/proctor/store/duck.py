"""Connections to DuckDB, which reads and writes the sealed segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from proctor.core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

__all__ = ["connect_duck", "duck_errors", "in_batches", "quoted"]

_HINT: Final = "pip install 'proctor[history]'"
_FETCHED_ROWS: Final = 2_000


def connect_duck(temporary: Path | None = None, *, threads: int = 2, memory: str = "1GB") -> duckdb.DuckDBPyConnection:
    """Open a database in memory that uses little of the machine and nothing of the network.

    Raises:
        StoreError: DuckDB is not installed.
    """
    try:
        import duckdb  # noqa: PLC0415 - an extra, and 0.13 s
    except ImportError as error:
        raise StoreError("sealed history needs DuckDB, which is not installed", hint=_HINT) from error
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": threads,
        "memory_limit": memory,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    if temporary is not None:
        settings["temp_directory"] = str(temporary)
    database = duckdb.connect(":memory:", config=settings)
    database.execute("SET parquet_metadata_cache = true")  # a segment is never changed, only replaced
    return database


@contextmanager
def duck_errors(path: Path) -> Iterator[None]:
    """Convert errors of DuckDB inside the block to a StoreError that names the file."""
    import duckdb  # noqa: PLC0415

    try:
        yield
    except duckdb.Error as error:
        text = str(error).splitlines()[0]
        hint = "free some space" if "space" in text else "move the file away if it is damaged"
        raise StoreError(text, file=str(path), hint=hint) from error


def in_batches(found: duckdb.DuckDBPyConnection) -> Iterator[Sequence[Any]]:
    """Yield the rows of an executed query, a few at a time."""
    while rows := found.fetchmany(_FETCHED_ROWS):
        yield from rows


def quoted(path: Path | str) -> str:
    """Return a path as a literal of SQL, for statements that take no parameters."""
    text = str(path).replace("'", "''")
    return f"'{text}'"
