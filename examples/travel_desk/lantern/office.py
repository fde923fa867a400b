"""The office's database: made from the files in data/, read and written live by the tools."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Mapping
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
    "CREATE TABLE cases (id TEXT PRIMARY KEY, time TEXT, booking TEXT, kind TEXT, summary TEXT, state TEXT)",
    "CREATE TABLE escalations (number INTEGER PRIMARY KEY, time TEXT, category TEXT, reason TEXT)",
)
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
        if not made:
            self._make()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _make(self) -> None:
        with self._database:
            for table in TABLES:
                names, rows = _file(table)
                columns = ", ".join(f"{name} {_kind(name)}" for name in names)
                self._database.execute(f"CREATE TABLE {table} ({columns}, PRIMARY KEY ({names[0]}))")
                marks = ", ".join("?" for _ in names)
                self._database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - own names
            for statement in OWN_TABLES:
                self._database.execute(statement)

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


@cache
def _file(table: str) -> tuple[list[str], list[list[Any]]]:
    with (DATA / f"{table}.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    names = list(rows[0])
    return names, [[row[name] or None for name in names] for row in rows]


def _kind(name: str) -> str:
    return "INTEGER" if name in NUMBERS else "REAL" if name in REALS else "TEXT"
