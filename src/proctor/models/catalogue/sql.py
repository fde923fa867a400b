"""A catalogue in a database: SQLite read-only, or another through its Python driver."""

from __future__ import annotations

import asyncio
import importlib
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError, Problem, StoreError
from proctor.core.sockets import Kit
from proctor.models.catalogue.local_path import local_path
from proctor.models.catalogue.rows import key_columns
from proctor.text.redact import redact
from proctor.text.titles import same_title

__all__ = ["SqlCatalogue", "SqlSettings", "sql"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?")
_PLACEHOLDER = re.compile(r"(?<!:):key\b")
_MARKS = {"qmark": "?", "numeric": ":1", "format": "%s", "named": ":key", "pyformat": "%(key)s"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlSettings:
    """Settings of a product table.

    ``sql`` is the path of a SQLite file, ``sqlite:///path``, or the address of another database, for which ``driver``
    names the Python module (``psycopg``, ``pymysql``). ``query`` finds a product by ``:key``. Without it ``table`` is
    searched by ``columns``; without those by the columns that are named like ids and titles.
    """

    sql: str = field(repr=False)
    query: str | None = None
    table: str | None = None
    columns: tuple[str, ...] = ()
    driver: str | None = None
    timeout: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlCatalogue:
    """Products from a database. Each query has its own connection."""

    settings: SqlSettings
    path: Path | None = None

    async def find(self, key: str) -> Mapping[str, Any] | None:
        """Return the product with this id or title, from the database.

        Raises:
            StoreError: the database did not answer.
        """
        return await asyncio.to_thread(self._sqlite if self.path is not None else self._driven, key)

    def _sqlite(self, key: str) -> Mapping[str, Any] | None:
        if not key.strip() or self.path is None:
            return None
        try:
            uri = f"file:{quote(str(self.path))}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=self.settings.timeout)) as connection:
                connection.row_factory = sqlite3.Row
                connection.create_function("same_title", 2, _same, deterministic=True)
                if self.settings.query:
                    row = connection.execute(self.settings.query, {"key": key}).fetchone()
                else:
                    row = self._by_columns(connection, key)
                return dict(row) if row is not None else None
        except sqlite3.Error as error:
            raise StoreError(
                f"the database failed: {error}",
                file=str(self.path),
                hint="check `catalogue:` and the database",
            ) from error

    def _by_columns(self, connection: sqlite3.Connection, key: str) -> Any:
        table = self.settings.table or ""
        known = [row["name"] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        if not known:
            raise sqlite3.OperationalError(f"no such table: {table}")
        ids, titles = key_columns(known)
        if self.settings.columns:
            ids = titles = self.settings.columns
        # Ids take precedence over titles: a book's title may equal another's number.
        for test, columns in (("lower(CAST({} AS TEXT)) = lower(:key)", ids), ("same_title({}, :key)", titles)):
            if columns:
                where = " OR ".join(test.format(f'"{column}"') for column in columns)
                statement = f'SELECT * FROM "{table}" WHERE {where} LIMIT 1'  # noqa: S608 - names are checked
                if (row := connection.execute(statement, {"key": key.strip()}).fetchone()) is not None:
                    return row
        return None

    def _driven(self, key: str) -> Mapping[str, Any] | None:
        module = _driver(self.settings.driver or "")
        style = getattr(module, "paramstyle", "qmark")
        statement = _PLACEHOLDER.sub(_MARKS[style], self.settings.query or "")
        count = len(_PLACEHOLDER.findall(self.settings.query or ""))
        values: Any = {"key": key} if style in ("named", "pyformat") else (key,) * (1 if style == "numeric" else count)
        try:
            with closing(module.connect(self.settings.sql)) as connection:
                cursor = connection.cursor()
                cursor.execute(statement, values)
                row = cursor.fetchone()
                names = [each[0] for each in cursor.description or ()]
        except Exception as error:  # each driver has its own exceptions
            said = redact(str(error), (self.settings.sql,))
            raise StoreError(f"the database failed: {said}", hint="check `catalogue:`") from None
        if row is None:
            return None
        return dict(row) if isinstance(row, Mapping) else dict(zip(names, row, strict=False))


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, str) and isinstance(other, str) and same_title(one, other)


def _driver(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ConfigError(
            f"the database driver {name!r} is not installed", field="catalogue.driver", hint=f"pip install {name}"
        ) from error


def sql(kit: Kit) -> SqlCatalogue:
    """Products from a database: SQLite, or any with a Python driver."""
    settings = decode(SqlSettings, kit.settings, strict=True)
    problems = list(_problems(settings))
    if problems:
        raise MalformedError(problems)
    if settings.driver:
        _driver(settings.driver)
        return SqlCatalogue(settings=settings)
    return SqlCatalogue(settings=settings, path=local_path(kit, settings.sql.removeprefix("sqlite:///"), field="sql"))


def _problems(settings: SqlSettings) -> list[Problem]:
    found = []
    if (settings.query is None) == (settings.table is None):
        found.append(Problem(("query",), "give either `query` or `table`", "e.g. `table: products`"))
    for field_name, names in (("table", (settings.table,)), ("columns", settings.columns)):
        if any(name is not None and not _NAME.fullmatch(name) for name in names):
            found.append(Problem((field_name,), "is no name of a table or a column"))
    if settings.query is not None and not _PLACEHOLDER.search(settings.query):
        found.append(Problem(("query",), "never asks for `:key`", "e.g. `select * from products where id = :key`"))
    if settings.driver is None and "://" in settings.sql and not settings.sql.startswith("sqlite:///"):
        found.append(Problem(("driver",), "is missing", "name the Python module, e.g. `driver: psycopg`"))
    if settings.driver is not None and settings.query is None:
        found.append(Problem(("query",), "is missing", "a database with a driver is asked by a query"))
    return found
