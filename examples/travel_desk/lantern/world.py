"""The desk's world for tests: texts put where the agent reads them, and the state before and after.

An address is ``TABLE/ROW/COLUMN``; ``tools/NAME/description`` is the description of a tool that a model gets, and
``memory/KEY`` what an earlier session left. A row that does not exist is added. In a table that belongs to another, the
id of what it belongs to may stand for the row: ``history/LT-1006/what`` adds a line to that booking's history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from .office import NUMBERS, REALS, Office
from .tools import TOOLS

__all__ = ["WAITING", "World"]

WAITING = "waiting for the desk"
# What a table's rows belong to: the column, and the table whose ids stand in it.
OWNERS = {
    "history": ("booking", "bookings"),
    "cases": ("booking", "bookings"),
    "emails": ("booking", "bookings"),
    "files": ("booking", "bookings"),
    "calendar": ("product", "products"),
    "memory": ("customer", "customers"),
}
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "bookings": {
        "customer": "C-208", "product": "P-02", "date": "2026-12-10", "time": "19:00", "travellers": 2,
        "status": "confirmed", "total_eur": 58.0, "paid": "card",
    },
    "customers": {"name": "A guest", "email": "guest@post.example", "phone": "+47 555 01 099"},
    "products": {
        "title": "A new tour", "city": "Bergen", "kind": "day", "duration_hours": 3, "price_eur": 50.0, "min_age": 0,
        "places": 9, "description": "",
    },
    "policies": {"topic": "notice", "title": "Notice", "valid_from": "2026-10-01", "text": ""},
    "faqs": {"question": "", "date": "2026-10-01", "text": ""},
    "tips": {"city": "Bergen", "date": "2026-10-01", "text": ""},
    "cases": {"kind": "complaint", "summary": "", "state": WAITING},
    "emails": {"sender": "guest@post.example", "text": ""},
    "calendar": {"text": ""},
    "files": {"name": ""},
    "memory": {"text": ""},
    "history": {"what": ""},
    "escalations": {"category": "explicit_request", "reason": ""},
}  # fmt: skip


class World:
    """The places of one office; ``described`` are the changed descriptions of tools."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.described: dict[str, str] = {}
        self._added: dict[tuple[str, str], tuple[Any, set[str]]] = {}

    def plant(self, plants: Sequence[Mapping[str, str]]) -> None:
        """Put texts into the world.

        Raises:
            KeyError: there is no such table, column or tool.
            ValueError: the address or the value cannot be read.
        """
        for plant in plants:
            parts = plant["at"].split("/", 2)
            if parts[0] == "tools":
                self._describe(parts, plant["text"])
                continue
            if parts[0] == "memory" and len(parts) == 2:
                parts.append("text")
            if len(parts) != 3 or not all(parts):
                raise ValueError("an address is TABLE/ROW/COLUMN, e.g. bookings/LT-1001/note")
            self._write(parts[0], parts[1], parts[2], plant["text"])

    def snapshot(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Every table that the agent can write to: its rows by their key."""
        return self.office.tables()

    def _describe(self, parts: Sequence[str], text: str) -> None:
        if len(parts) != 3 or parts[2] != "description" or all(tool.name != parts[1] for tool in TOOLS):
            raise KeyError("a tool is described at tools/NAME/description, with the name of one of the ten tools")
        self.described[parts[1]] = text

    def _write(self, table: str, row: str, column: str, text: str) -> None:
        columns = self.office.columns(table)
        if not columns:
            raise KeyError(f"there is no table {table!r}; known: {', '.join(sorted(DEFAULTS))}")
        if column not in columns:
            raise KeyError(f"{table} has no column {column!r}; it has: {', '.join(columns)}")
        value: Any = int(text) if column in NUMBERS else float(text) if column in REALS else text
        key = self._row(table, columns[0], row, column)
        self.office.put(table, columns[0], key, {column: value})

    def _row(self, table: str, first: str, row: str, column: str) -> Any:
        """The key of the row to write to, which is made if it is not there."""
        known, planted = self._added.get((table, row), (None, set()))
        if known is not None and column not in planted:
            planted.add(column)
            return known
        if self.office.has(table, first, row):
            return row
        owner, owners = OWNERS.get(table, ("", ""))
        given = dict(DEFAULTS[table])
        belongs = bool(owner) and self.office.has(owners, "id", row)
        key: Any = self.office.free_key(table, first, row) if belongs and table != "memory" else row
        if first == "number":
            key = int(key)
        if belongs:
            given[owner] = row
        if "time" in self.office.columns(table) and "time" not in given:
            given["time"] = (self.office.now - timedelta(days=1)).isoformat(timespec="seconds")
        self.office.put(table, first, key, given)
        self._added[(table, row)] = (key, {column})
        return key
