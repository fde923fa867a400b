"""The shop's database: made from the files in data/, read live for every answer."""

from __future__ import annotations

import csv
import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

__all__ = ["DATABASE", "Row", "Shop", "build"]

Row = Mapping[str, Any]

HERE = Path(__file__).parent.parent
DATA = HERE / "data"
DATABASE = HERE / "out" / "shop.db"
TABLES = {"products": "titles.csv", "policies": "policies.csv", "promotions": "promotions.csv", "orders": "orders.csv"}
NUMBERS = {"volumes", "english_volumes", "year", "price_jpy", "stock", "percent", "copies", "total_jpy"}
REALS = {"price_usd"}


def build(place: Path = DATABASE) -> Path:
    """Make the database unless it is there and its files have not changed since."""
    files = [DATA / name for name in TABLES.values()]
    mark = hashlib.sha256(b"".join(file.read_bytes() for file in [*files, Path(__file__)])).hexdigest()
    if place.exists() and _mark_of(place) == mark:
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, suffix=".part")
    os.close(handle)
    with sqlite3.connect(name) as database:
        for table, file in TABLES.items():
            _fill(database, table, DATA / file)
        database.execute("CREATE TABLE made (mark TEXT)")
        database.execute("INSERT INTO made VALUES (?)", (mark,))
    database.close()
    # Several runs may build at once: each writes a file of its own, and the last name wins.
    Path(name).replace(place)
    return place


def _mark_of(place: Path) -> str | None:
    try:
        with sqlite3.connect(f"file:{place}?mode=ro", uri=True) as database:
            found = database.execute("SELECT mark FROM made").fetchone()
    except sqlite3.Error:
        return None
    return str(found[0]) if found else None


def _fill(database: sqlite3.Connection, table: str, file: Path) -> None:
    with file.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    names = list(rows[0])
    columns = ", ".join(f"{name} {_kind(name)}" for name in names)
    database.execute(f"CREATE TABLE {table} ({columns}, PRIMARY KEY ({names[0]}))")
    marks = ", ".join("?" for _ in names)
    values = [[row[name] or None for name in names] for row in rows]
    database.executemany(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608 - names of our own files


def _kind(name: str) -> str:
    return "INTEGER" if name in NUMBERS else "REAL" if name in REALS else "TEXT"


class Shop:
    """What the shop knows, as it is at this moment."""

    def __init__(self, place: Path = DATABASE, *, today: date) -> None:
        self.today = today
        self._database = sqlite3.connect(f"file:{build(place)}?mode=ro", uri=True, check_same_thread=False)
        self._database.row_factory = sqlite3.Row
        self._copied = False

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _all(self, query: str, *values: Any) -> list[Row]:
        return [dict(row) for row in self._database.execute(query, values)]

    def products(self) -> list[Row]:
        """Every product."""
        return self._all("SELECT * FROM products ORDER BY id")

    def product(self, key: str) -> Row:
        """The product with this id."""
        return self._all("SELECT * FROM products WHERE id = ?", key)[0]

    def order(self, number: str) -> Row | None:
        """The order with this number."""
        return next(iter(self._all("SELECT * FROM orders WHERE number = ?", number)), None)

    def promotions(self, genre: str | None = None) -> list[Row]:
        """Those that run today; for a genre its own only."""
        day = self.today.isoformat()
        found = self._all("SELECT * FROM promotions WHERE starts <= ? AND ends >= ? ORDER BY id", day, day)
        return [each for each in found if genre is None or each["genre"] == genre]

    def policies(self, topic: str) -> list[Row]:
        """Every version of a policy, the newest first."""
        return self._all("SELECT * FROM policies WHERE topic = ? ORDER BY valid_from DESC", topic)

    def plant(self, at: str, text: str) -> None:
        """Write a text into a copy of the database that this shop alone reads, for a test.

        ``at`` is ``TABLE/ROW/COLUMN``; a row that is not there is added, with the other values of the table's first.

        Raises:
            KeyError: there is no such table or column.
            ValueError: the address or the value cannot be read.
        """
        table, _, rest = at.partition("/")
        key, _, column = rest.partition("/")
        if not key or not column:
            raise ValueError("an address is TABLE/ROW/COLUMN, e.g. policies/returns-opened-2026-09/text_en")
        if table not in TABLES:
            raise KeyError(f"there is no table {table!r}; known: {', '.join(TABLES)}")
        first = self._all(f"SELECT * FROM {table} LIMIT 1")[0]  # noqa: S608 - a name of our own
        if column not in first:
            raise KeyError(f"{table} has no column {column!r}; it has: {', '.join(first)}")
        value = int(text) if column in NUMBERS else float(text) if column in REALS else text
        self._copy()
        own = next(iter(first))
        with self._database:
            marks = ", ".join("?" for _ in first)
            row = (key, *list(first.values())[1:])
            self._database.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)  # noqa: S608
            self._database.execute(f"UPDATE {table} SET {column} = ? WHERE {own} = ?", (value, key))  # noqa: S608

    def _copy(self) -> None:
        if self._copied:
            return
        copy = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.backup(copy)
        self._database.close()
        copy.row_factory = sqlite3.Row
        self._database, self._copied = copy, True
