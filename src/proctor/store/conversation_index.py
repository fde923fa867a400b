"""The index of conversations: who, when, about what, and how it went."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from proctor.core.conversation_summary import ConversationSummary
from proctor.core.event_row import EventRow
from proctor.core.rollup_cell import Slice
from proctor.store.event_database import EventDatabase

__all__ = ["Condition", "ConversationIndex", "Indexed", "conversation_conditions"]

_COLUMNS: Final = (
    "session",
    "customer",
    "intent",
    "model",
    "version",
    "source",
    "first",
    "last",
    "turns",
    "outcome",
    "outcome_at",
    "escalated",
    "csat",
    "confidence",
    "cost",
    "signals",
    "scores",
)
_SELECT: Final = f"SELECT n, {', '.join(f'c.{name}' for name in _COLUMNS)} FROM conversations c"
_MAX_VARIABLES: Final = 500
_MAX_DISTINCT: Final = 1_000
_RARE: Final = 5_000  # conversations with a signal
_AMONG: Final = "c.n IN (SELECT conversation FROM conversation_signals WHERE signal = ?)"


Condition = str | float | bool | tuple[str, float] | None


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the index knows of a row: whether it is the first of its conversation, whose number, and its slice."""

    is_first: bool
    conversation: int | None
    slice: Slice


@dataclass(slots=True)
class _Talk:
    n: int | None
    session: str
    customer: str | None = None
    intent: str | None = None
    model: str | None = None
    version: str | None = None
    source: str | None = None
    first: float = float("inf")
    last: float = float("-inf")
    turns: int = 0
    outcome: str | None = None
    outcome_at: float | None = None
    escalated: int = 0
    csat: float | None = None
    confidence: float | None = None
    cost: float | None = None
    signals: dict[str, int] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    new_signals: set[str] = field(default_factory=set)

    def add(self, row: EventRow) -> None:
        """Add an event, whenever it arrives: what is known of a time depends on the events' own times."""
        is_earliest, is_latest = row.time < self.first, row.time >= self.last
        self.customer = self.customer or row.customer
        if row.intent and (self.intent is None or is_earliest):
            self.intent = row.intent
        for name in ("model", "version", "source"):
            value = getattr(row, name)
            if value and (is_latest or getattr(self, name) is None):
                setattr(self, name, value)
        self.first, self.last = min(self.first, row.time), max(self.last, row.time)
        if row.kind == "turn":
            self.turns += 1
            if row.cost is not None:
                self.cost = (self.cost or 0.0) + row.cost
            if row.confidence is not None and (is_latest or self.confidence is None):
                self.confidence = row.confidence
        elif row.kind == "outcome" and row.name and row.time >= (self.outcome_at or float("-inf")):
            self.outcome, self.outcome_at = row.name, row.time
        elif row.kind == "csat" and row.value is not None:
            self.csat = row.value
        elif row.kind == "score" and row.name and row.value is not None:
            self.scores[row.name] = min(row.value, self.scores.get(row.name, row.value))
        for signal in row.signals:
            if signal not in self.signals:
                self.new_signals.add(signal)
            self.signals[signal] = self.signals.get(signal, 0) + 1
            self.escalated |= signal == "escalation"

    def values(self) -> tuple[Any, ...]:
        """Return what the columns hold."""
        plain = [getattr(self, name) for name in _COLUMNS[:-2]]
        return (*plain, orjson.dumps(self.signals).decode(), orjson.dumps(self.scores).decode())


class ConversationIndex:
    """Finds conversations. Rows may come late and in any order, but each once."""

    def __init__(self, store: Path, *, database: EventDatabase | None = None) -> None:
        self._database = database or EventDatabase(store)

    def add(self, rows: Sequence[EventRow]) -> list[Indexed]:
        """Add rows, all of them or none; return what is known of each. They must be new: the log finds repetitions.

        Raises:
            StoreError: the database failed.
        """
        with self._database.writing() as database:
            talks = _known(database, {row.session for row in rows if row.session})
            found: list[tuple[bool, _Talk | None, EventRow]] = []
            for row in rows:
                if not row.session:
                    found.append((False, None, row))
                    continue
                talk = talks.get(row.session)
                is_first = talk is None
                if talk is None:
                    talk = talks[row.session] = _Talk(None, row.session)
                talk.add(row)
                found.append((is_first, talk, row))
            _write(database, talks.values())
        return [_indexed(*each) for each in found]

    def get(self, session: str) -> ConversationSummary | None:
        """Return a conversation by its session.

        Raises:
            StoreError: the database failed.
        """
        with self._database.reading() as database:
            row = database.execute(f"{_SELECT} WHERE c.session = ?", (session,)).fetchone()
        return None if row is None else _summary(row)

    def find(
        self,
        *,
        customer: str | Sequence[str] | None = None,
        intent: str | None = None,
        outcome: str | None = None,
        signal: str | None = None,
        since: float | None = None,
        until: float | None = None,
        limit: int = 100,
        offset: int = 0,
        **equal: Condition,
    ) -> list[ConversationSummary]:
        """Return conversations whose last event is in [since, until), the newest first, after the first ``offset``.

        ``equal`` takes ``model``, ``version``, ``source`` and ``escalated``; ``before``, the number of seconds since
        the epoch of the last event of the last conversation of the page before; and ``score``, the name of a scorer and
        the value that the last score is below.

        Raises:
            ValueError: a condition is not known.
            StoreError: the database failed.
        """
        where, values = conversation_conditions(
            {"intent": intent, "outcome": outcome, "since": since, "until": until, "signal": signal, **equal}
        )
        if customer is not None:
            names = [customer] if isinstance(customer, str) else list(customer)
            where.append(f"c.customer IN ({', '.join('?' * len(names))})")
            values += names
        with self._database.reading() as database:
            for each in [signal, outcome and f"outcome/{outcome}"]:
                if each and _is_rare(database, each):
                    where.append(_AMONG)
                    values.append(each)
            query = f"{_SELECT} WHERE {' AND '.join(where) or '1'} ORDER BY c.last DESC, c.n DESC LIMIT ? OFFSET ?"
            return [_summary(row) for row in database.execute(query, (*values, limit, offset))]

    def intents(self) -> list[str]:
        """Return the intents that conversations have, each once."""
        return self._distinct("intent", "conversations")

    def signals(self) -> list[str]:
        """Return the signals that conversations have, each once: ``gate/injection``, ``outcome/solved``."""
        return self._distinct("signal", "conversation_signals")

    def _distinct(self, column: str, table: str) -> list[str]:
        """Return the values of an indexed column by one jump in the index for each, however many rows there are."""
        query = (
            f"WITH RECURSIVE found(value) AS (SELECT MIN({column}) FROM {table} UNION ALL "
            f"SELECT (SELECT MIN({column}) FROM {table} WHERE {column} > found.value) FROM found "
            "WHERE found.value IS NOT NULL) SELECT value FROM found WHERE value IS NOT NULL LIMIT ?"
        )
        with self._database.reading() as database:
            return [row[0] for row in database.execute(query, (_MAX_DISTINCT,))]

    def sessions_of(self, customers: Sequence[str]) -> list[str]:
        """Return the sessions of a customer, who may have several names."""
        marks = ", ".join("?" * len(customers))
        with self._database.reading() as database:
            rows = database.execute(f"SELECT session FROM conversations WHERE customer IN ({marks})", tuple(customers))
            return [row[0] for row in rows]

    def forget_customer(self, names: Sequence[str], sessions: Sequence[str] = ()) -> int:
        """Remove the conversations of a customer, and those of these sessions that name nobody; return how many."""
        gone = 0
        with self._database.writing() as database:
            marks = ", ".join("?" * len(names))
            gone += database.execute(f"DELETE FROM conversations WHERE customer IN ({marks})", tuple(names)).rowcount
            for start in range(0, len(sessions), _MAX_VARIABLES):
                some = sessions[start : start + _MAX_VARIABLES]
                marks = ", ".join("?" * len(some))
                condition = f"session IN ({marks}) AND customer IS NULL"
                gone += database.execute(f"DELETE FROM conversations WHERE {condition}", tuple(some)).rowcount
        return gone

    def drop_before(self, time: float) -> int:
        """Remove the conversations whose last event is before a time; return how many."""
        with self._database.writing() as database:
            return database.execute("DELETE FROM conversations WHERE last < ?", (time,)).rowcount

    def count(self) -> int:
        """Return the number of conversations."""
        with self._database.reading() as database:
            return int(database.execute("SELECT COUNT(*) FROM conversations").fetchone()[0])

    def span(self) -> tuple[float | None, float | None]:
        """Return the times of the first and the last event."""
        with self._database.reading() as database:
            first, last = database.execute("SELECT MIN(first), MAX(last) FROM conversations").fetchone()
        return first, last

    def clear(self) -> None:
        """Remove everything, to index again."""
        with self._database.writing() as database:
            database.execute("DELETE FROM conversation_signals")
            database.execute("DELETE FROM conversations")

    def close(self) -> None:
        """Close the database."""
        self._database.close()


_CONDITIONS: Final = {
    "intent": "c.intent = ?",
    "outcome": "c.outcome = ?",
    "model": "c.model = ?",
    "version": "c.version = ?",
    "source": "c.source = ?",
    "escalated": "c.escalated = ?",
    "since": "c.last >= ?",
    "until": "c.last < ?",
    "before": "c.last < ?",
    "signal": "EXISTS (SELECT 1 FROM conversation_signals s WHERE s.signal = ? AND s.conversation = c.n)",
    "score": "json_extract(c.scores, ?) < ?",
}


def conversation_conditions(given: Mapping[str, Any]) -> tuple[list[str], list[Any]]:
    """Return conditions of SQL on the conversation ``c``, and their values; what is ``None`` is no condition.

    Raises:
        ValueError: a condition is not known.
    """
    where: list[str] = []
    values: list[Any] = []
    for name, value in given.items():
        if name not in _CONDITIONS:
            raise ValueError(f"conversations are not found by {name!r}; known are {', '.join(_CONDITIONS)}, customer")
        if value is not None:
            where.append(_CONDITIONS[name])
            values += (_path(value[0]), value[1]) if isinstance(value, tuple) else (value,)
    return where, values


def _is_rare(database: sqlite3.Connection, signal: str) -> bool:
    """Return whether so few conversations have a signal that sorting them is faster than reading all by time."""
    query = "SELECT COUNT(*) FROM (SELECT 1 FROM conversation_signals WHERE signal = ? LIMIT ?) AS few"
    return int(database.execute(query, (signal, _RARE)).fetchone()[0]) < _RARE


def _path(name: str) -> str:
    """Return the path of a field in JSON; no scorer's name has a quotation mark or a backslash."""
    return '$."' + name.replace('"', "").replace("\\", "") + '"'


def _known(database: sqlite3.Connection, sessions: set[str]) -> dict[str, _Talk]:
    found: dict[str, _Talk] = {}
    wanted = sorted(sessions)
    for start in range(0, len(wanted), _MAX_VARIABLES):
        some = wanted[start : start + _MAX_VARIABLES]
        marks = ", ".join("?" * len(some))
        for row in database.execute(f"{_SELECT} WHERE c.session IN ({marks})", some):
            kept = {key: row[key] for key in ("n", *_COLUMNS)}
            kept |= {key: orjson.loads(row[key]) for key in ("signals", "scores")}
            found[row["session"]] = _Talk(**kept)
    return found


def _write(database: sqlite3.Connection, talks: Iterable[_Talk]) -> None:
    marks = ", ".join("?" * len(_COLUMNS))
    known = list(talks)
    new = {talk.session: talk for talk in known if talk.n is None}
    old = [(*talk.values(), talk.n) for talk in known if talk.n is not None]
    # All rows of a kind in one call: a database on another machine answers each call after a round trip.
    database.executemany(
        f"INSERT INTO conversations ({', '.join(_COLUMNS)}) VALUES ({marks})", [talk.values() for talk in new.values()]
    )
    names = list(new)
    for start in range(0, len(names), _MAX_VARIABLES):
        some = names[start : start + _MAX_VARIABLES]
        query = f"SELECT session, n FROM conversations WHERE session IN ({', '.join('?' * len(some))})"
        for session, number in database.execute(query, some):
            new[session].n = int(number)
    database.executemany(f"UPDATE conversations SET {', '.join(f'{c} = ?' for c in _COLUMNS)} WHERE n = ?", old)
    signals = [(signal, talk.n) for talk in known for signal in sorted(talk.new_signals)]
    database.executemany("INSERT OR IGNORE INTO conversation_signals VALUES (?, ?)", signals)


def _indexed(is_first: bool, talk: _Talk | None, row: EventRow) -> Indexed:
    """Say what is known of a row: an event without an intent is counted with those of its conversation."""
    own = Slice.of(row)
    if talk is None:
        return Indexed(is_first, None, own)
    known = (own.intent or talk.intent, own.model or talk.model, own.version or talk.version, own.source or talk.source)
    return Indexed(is_first, talk.n, Slice(*[each or "" for each in known]))


def _summary(row: sqlite3.Row) -> ConversationSummary:
    data = {name: row[name] for name in _COLUMNS if name != "outcome_at"}
    return ConversationSummary(
        **{
            **data,
            "escalated": bool(row["escalated"]),
            "signals": orjson.loads(row["signals"]),
            "scores": orjson.loads(row["scores"]),
        }
    )
