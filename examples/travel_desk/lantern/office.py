"""The office's database: made from the files in data/, read and written live by the tools."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["NOW", "Office", "Row"]

Row = Mapping[str, Any]

DATA = Path(__file__).parent.parent / "data"
# The example has a moment of its own, so that "48 hours before the start" means the same whenever it is run.
NOW = datetime(2026, 11, 15, 10, 0)
TABLES = ("policies", "faqs", "products", "tips", "customers", "bookings", "history")
NUMBERS = {"travellers", "places", "min_age", "duration_hours", "number"}
REALS = {"price_eur", "total_eur"}
OWN_TABLES = (
    "CREATE TABLE IF NOT EXISTS cases "
    "(id TEXT PRIMARY KEY, time TEXT, booking TEXT, kind TEXT, summary TEXT, state TEXT)",
    "CREATE TABLE IF NOT EXISTS escalations (number INTEGER PRIMARY KEY, time TEXT, category TEXT, reason TEXT)",
    "CREATE TABLE IF NOT EXISTS memory (key TEXT PRIMARY KEY, customer TEXT, text TEXT)",
    "CREATE TABLE IF NOT EXISTS emails (id TEXT PRIMARY KEY, booking TEXT, time TEXT, sender TEXT, text TEXT)",
    "CREATE TABLE IF NOT EXISTS calendar (id TEXT PRIMARY KEY, product TEXT, day TEXT, text TEXT)",
    "CREATE TABLE IF NOT EXISTS files (id TEXT PRIMARY KEY, booking TEXT, name TEXT)",
)
# Every table with its key; and those that a tool or a hand-over can write to.
KEYS = {
    **dict.fromkeys(("policies", "faqs", "products", "tips", "customers", "bookings", "cases"), "id"),
    **dict.fromkeys(("emails", "calendar", "files"), "id"),
    **dict.fromkeys(("history", "escalations"), "number"),
    "memory": "key",
}
WRITTEN = ("bookings", "history", "cases", "escalations", "memory")
FIRST_CASE = 5001


class Office:
    """What the office knows at this moment.

    Without a place it is a copy of its own in memory, so that conversations that run side by side cannot disturb each
    other; with one it is a file that is made when it is not there, and what is written stays.
    """

    def __init__(self, place: Path | None = None, *, now: datetime = NOW) -> None:
        self.now = now
        made = place is not None and place.exists()
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(place or ":memory:", check_same_thread=False)
        self._database.row_factory = sqlite3.Row
        self._database.execute("PRAGMA synchronous = OFF")  # an example may lose its last write in a power cut
        if place is None:
            self._database.deserialize(_template())  # ten times as fast as to make it again from the files
        elif not made:
            fill(self._database)
        else:
            for statement in OWN_TABLES:  # a database that was made before one of them
                self._database.execute(statement)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _all(self, query: str, *values: Any) -> list[Row]:
        return [dict(row) for row in self._database.execute(query, values)]

    def _one(self, query: str, *values: Any) -> Row | None:
        return next(iter(self._all(query, *values)), None)

    def policies(self) -> list[Row]:
        """Every version of every policy, the newest first."""
        return self._all("SELECT * FROM policies ORDER BY valid_from DESC, id")

    def faqs(self) -> list[Row]:
        """Every question with its answer."""
        return self._all("SELECT * FROM faqs ORDER BY id")

    def products(self) -> list[Row]:
        """Every tour."""
        return self._all("SELECT * FROM products ORDER BY id")

    def product(self, key: str) -> Row | None:
        """The tour with this id or title."""
        return self._one("SELECT * FROM products WHERE id = ? OR lower(title) = lower(?)", key, key)

    def tips(self, city: str) -> list[Row]:
        """Tips for a city."""
        return self._all("SELECT * FROM tips WHERE lower(city) = lower(?) ORDER BY id", city)

    def customer(self, key: str) -> Row | None:
        """The customer with this id."""
        return self._one("SELECT * FROM customers WHERE id = ?", key)

    def booking(self, key: str) -> Row | None:
        """The booking with this number, with its customer and its tour."""
        return self._one(
            "SELECT b.*, c.name, c.email, c.phone, p.title, p.city, p.kind, p.places FROM bookings b "
            "JOIN customers c ON c.id = b.customer JOIN products p ON p.id = b.product WHERE b.id = upper(?)",
            key,
        )

    def bookings_of(self, customer: str) -> list[Row]:
        """The bookings of a customer, the next first."""
        return self._all("SELECT * FROM bookings WHERE customer = ? ORDER BY date", customer)

    def history(self, booking: str) -> list[Row]:
        """What happened to a booking so far."""
        return self._all("SELECT time, what FROM history WHERE booking = upper(?) ORDER BY number", booking)

    def change(self, booking: str, what: str, **values: Any) -> None:
        """Write new values into a booking, and into its history that it was done."""
        unknown = set(values) - {"date", "travellers", "status", "total_eur"}
        if unknown:
            raise ValueError(f"a booking's {', '.join(sorted(unknown))} cannot be changed")
        columns = ", ".join(f"{name} = ?" for name in values)
        with self._database:
            self._database.execute(f"UPDATE bookings SET {columns} WHERE id = upper(?)", (*values.values(), booking))  # noqa: S608
            self.note(booking, what)

    def note(self, booking: str, what: str) -> None:
        """Put a line into a booking's history."""
        with self._database:
            self._database.execute(
                "INSERT INTO history VALUES ((SELECT max(number) + 1 FROM history), upper(?), ?, ?)",
                (booking, self.now.isoformat(timespec="seconds"), what),
            )

    def add_customer(self, key: str, name: str, email: str, phone: str) -> None:
        """A new customer."""
        with self._database:
            self._database.execute("INSERT INTO customers VALUES (?, ?, ?, ?)", (key, name, email, phone))

    def add_booking(self, key: str, customer: str, product: Row, start: datetime, travellers: int, status: str) -> None:
        """A new booking of a tour."""
        total = round(float(product["price_eur"]) * travellers, 2)
        day, time = start.date().isoformat(), f"{start:%H:%M}"
        row = (key, customer, product["id"], day, time, travellers, status, total, "card", None)
        with self._database:
            self._database.execute("INSERT INTO bookings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def open_case(self, booking: str | None, kind: str, summary: str) -> str:
        """A new case in the CRM; its number."""
        with self._database:
            (count,) = self._database.execute("SELECT count(*) FROM cases").fetchone()
            key = f"CS-{FIRST_CASE + count}"
            row = (key, self.now.isoformat(timespec="seconds"), booking, kind, summary, "open")
            self._database.execute("INSERT INTO cases VALUES (?, ?, ?, ?, ?, ?)", row)
        return key

    def close_case(self, key: str) -> None:
        """A person has resolved a case."""
        with self._database:
            self._database.execute("UPDATE cases SET state = 'resolved' WHERE id = ?", (key,))

    def cases_of(self, booking: str) -> list[Row]:
        """The cases about a booking, the newest last."""
        return self._all("SELECT * FROM cases WHERE booking = upper(?) ORDER BY id", booking)

    def case(self, key: str) -> Row | None:
        """The case with this number."""
        return self._one("SELECT * FROM cases WHERE id = ?", key)

    def remember(self, customer: str | None, text: str) -> None:
        """Keep a text for later sessions of a customer."""
        with self._database:
            (count,) = self._database.execute("SELECT count(*) FROM memory").fetchone()
            key = f"{customer or 'everybody'}-{count + 1}"
            self._database.execute("INSERT INTO memory VALUES (?, ?, ?)", (key, customer, text))

    def remembered(self, customer: str | None) -> dict[str, str]:
        """What earlier sessions left for a customer, or for everybody."""
        found = self._all("SELECT * FROM memory WHERE customer IS NULL OR customer = ? ORDER BY key", customer)
        return {str(row["key"]): str(row["text"]) for row in found}

    def letters(self, booking: str) -> list[Row]:
        """The e-mails and files that came in about a booking, as lines of its history."""
        mails = self._all("SELECT * FROM emails WHERE booking = upper(?) ORDER BY id", booking)
        files = self._all("SELECT * FROM files WHERE booking = upper(?) ORDER BY id", booking)
        return [
            *({"time": each["time"], "what": f"E-mail from {each['sender']}: {each['text']}"} for each in mails),
            *({"time": None, "what": f"File received: {each['name']}"} for each in files),
        ]

    def calendar(self, product: str) -> list[str]:
        """The entries about a tour in the guides' calendar."""
        return [
            str(row["text"]) for row in self._all("SELECT text FROM calendar WHERE product = ? ORDER BY id", product)
        ]

    def waiting_cases(self, booking: str) -> list[str]:
        """The cases about a booking that a colleague gave back to the desk."""
        query = "SELECT summary FROM cases WHERE booking = upper(?) AND state = 'waiting for the desk' ORDER BY id"
        return [str(row["summary"]) for row in self._all(query, booking)]

    def tables(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Every table that the agent can write to: its rows by their key."""
        return {
            table: {
                str(row[KEYS[table]]): row
                for row in map(dict, self._database.execute(f"SELECT * FROM {table}"))  # noqa: S608 - own names
            }
            for table in WRITTEN
        }

    def columns(self, table: str) -> list[str]:
        """The columns of a table, its key first; none if there is no such table."""
        if table not in KEYS:
            return []
        return [str(row["name"]) for row in self._all(f"PRAGMA table_info({table})")]

    def has(self, table: str, key: str, value: Any) -> bool:
        """Whether a table has this row."""
        return self._one(f"SELECT 1 AS found FROM {table} WHERE {key} = ?", value) is not None  # noqa: S608 - own names

    def free_key(self, table: str, key: str, base: str) -> Any:
        """A key for a new row."""
        (highest, count) = self._database.execute(f"SELECT max({key}), count(*) FROM {table}").fetchone()  # noqa: S608
        return int(highest or 0) + 1 if key == "number" else f"{base}-{count + 1}"

    def put(self, table: str, key: str, row: Any, values: Mapping[str, Any]) -> None:
        """Write values into a row, which is made if it is not there."""
        with self._database:
            self._database.execute(f"INSERT OR IGNORE INTO {table} ({key}) VALUES (?)", (row,))  # noqa: S608 - own names
            for column, value in values.items():
                self._database.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (value, row))  # noqa: S608

    def hand_over(self, category: str, reason: str) -> int:
        """Put a conversation into the queue of the people at the desk; its place in it."""
        with self._database:
            written = self._database.execute(
                "INSERT INTO escalations (time, category, reason) VALUES (?, ?, ?)",
                (self.now.isoformat(timespec="seconds"), category, reason),
            )
        return int(written.lastrowid or 0)

    def escalations(self) -> list[Row]:
        """Every hand-over so far."""
        return self._all("SELECT * FROM escalations ORDER BY number")


def fill(database: sqlite3.Connection) -> None:
    """Make every table, and put the rows of the files into it."""
    with database:
        for table in TABLES:
            names, rows = _file(table)
            columns = ", ".join(f"{name} {_kind(name)}" for name in names)
            database.execute(f"CREATE TABLE {table} ({columns}, PRIMARY KEY ({names[0]}))")
            marks = ", ".join("?" for _ in names)
            database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - own names
        for statement in OWN_TABLES:
            database.execute(statement)


@cache
def _template() -> bytes:
    """The database as it is made from the files."""
    with closing(sqlite3.connect(":memory:")) as database:
        fill(database)
        return database.serialize()


@cache
def _file(table: str) -> tuple[list[str], list[list[Any]]]:
    with (DATA / f"{table}.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    names = list(rows[0])
    return names, [[row[name] or None for name in names] for row in rows]


def _kind(name: str) -> str:
    return "INTEGER" if name in NUMBERS else "REAL" if name in REALS else "TEXT"
