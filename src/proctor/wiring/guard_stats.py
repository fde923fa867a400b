"""The guard's log, what people said of its decisions, and the figures that both come to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from proctor.config import Config
from proctor.core.errors import InputError
from proctor.core.event import Event
from proctor.core.guard_table import GuardTable
from proctor.monitor.gate_figures import GateFigures
from proctor.store.guard_log import FOLDER
from proctor.store.guard_reading import find_event, read_rows
from proctor.store.review import GUARD, guard_verdicts, open_count
from proctor.store.runs import RunStore
from proctor.text.spans import span_seconds

__all__ = ["decision", "guard_table", "moment_of"]


def guard_table(config: Config, *, since: datetime | None = None, gate: str | None = None) -> GuardTable:
    """The figures of all decisions on record, or of those since a moment or of one gate.

    Raises:
        StoreError: the log or the database cannot be read.
    """
    with RunStore(config.store) as store:
        reviews = guard_verdicts(store)
        waiting = open_count(store, origin=GUARD)
    figures = GateFigures(reviews, gate=gate)
    for row in read_rows(config.store / FOLDER, since=since):
        figures.add(row)
    return figures.table(waiting=waiting)


def decision(config: Config, name: str) -> Event:
    """One decision on record, by its id or the beginning of it.

    Raises:
        NotFoundError: no decision, or more than one, answers to the name.
    """
    return find_event(config.store / FOLDER, name)


def moment_of(text: str, *, now: datetime | None = None) -> datetime:
    """The moment that ``24h`` ago was, or that a date or a time names.

    Raises:
        InputError: it is neither.
    """
    now = now or datetime.now(UTC)
    try:
        return now - timedelta(seconds=span_seconds(text))
    except (ValueError, OverflowError):
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        mend = "write a length of time such as 24h or 7 days, or a date such as 2026-11-15"
        raise InputError(f"{text!r} is no time", mend=mend) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
