"""Statistics of the guard's log and of reviews of its decisions."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from proctor import registry
from proctor.config import Config
from proctor.core.errors import InputError, NotFoundError
from proctor.core.event import Event
from proctor.core.gate_decisions import GuardDecisions
from proctor.core.verdict import STOPS
from proctor.monitor.gate_figures import GateFigures, reload_failed
from proctor.store.guard_index import GuardIndex
from proctor.store.guard_log import FOLDER
from proctor.store.guard_log_reader import find_event, read_rows
from proctor.store.review import GUARD, guard_verdicts, open_count
from proctor.store.runs import RunStore
from proctor.text.spans import span_seconds

__all__ = ["decision", "guard_table", "last_reload_error", "last_stopped", "moment_of", "stopped_steps"]

_SECONDS: Final = 0.1  # for reading what is new in the log while a reader waits


def guard_table(config: Config, *, since: datetime | None = None, gate: str | None = None) -> GuardDecisions:
    """Return the figures of all recorded decisions, or of those since a time or of one gate.

    Raises:
        NotFoundError: there is no such gate.
        StoreError: the log or the database cannot be read.
    """
    with RunStore(config.store) as store:
        reviews = guard_verdicts(store)
        waiting = open_count(store, origin=GUARD)
    figures = GateFigures(reviews, gate=gate)
    for row in read_rows(config.store / FOLDER, since=since):
        figures.add(row)
    table = figures.table(waiting=waiting)
    if gate and not table.decisions:
        _check_gate(config, gate)
    return table


def last_stopped(
    config: Config, *, since: datetime | None = None, gate: str | None = None, most: int = 20
) -> list[dict[str, Any]]:
    """Return the last decisions that blocked or escalated a step, newest first.

    Each has id, time, point, gate and reason.

    Raises:
        NotFoundError: there is no such gate.
        StoreError: the log cannot be read.
    """
    found: deque[dict[str, Any]] = deque(maxlen=most)
    for row in read_rows(config.store / FOLDER, since=since):
        told = row.get("verdict")
        if row.get("kind") != "gate" or not isinstance(told, dict):
            continue
        shadow = told.get("shadow")
        verdict = shadow if isinstance(shadow, dict) else told
        by = verdict.get("by") or told.get("by") or ""
        if verdict.get("action") in STOPS and gate in (None, by):
            kept = {"id": row["id"], "time": row["time"], "point": row.get("name") or "", "gate": by}
            found.append({**kept, "action": verdict["action"], "shadow": verdict is shadow, **_why(verdict)})
    if gate and not found:
        _check_gate(config, gate)
    return list(reversed(found))


def last_reload_error(config: Config) -> tuple[str, str] | None:
    """Return time and reason of the last failed reload; none if fixed since, or older than two days.

    Raises:
        StoreError: the log cannot be read.
    """
    failed: tuple[str, str, str] | None = None
    for row in read_rows(config.store / FOLDER, since=datetime.now(UTC) - timedelta(days=2)):
        if row.get("kind") == "note":
            failed = reload_failed(row, failed)
        elif failed is not None and (row.get("verdict") or {}).get("version") not in (None, "", failed[2]):
            failed = None  # a guard with valid settings was started since
    return None if failed is None else (failed[0][:19], failed[1])


def _why(verdict: dict[str, Any]) -> dict[str, Any]:
    return {"reason": verdict.get("reason") or ""}


def _check_gate(config: Config, gate: str) -> None:
    """Raise an error if neither the registry nor the log has a gate of this name."""
    known = set(registry.names("gates"))
    if gate in known:
        return
    for row in read_rows(config.store / FOLDER):
        known.update(part.get("gate", "") for part in (row.get("metadata") or {}).get("parts", ()))
    if gate not in known:
        raise NotFoundError(f"there is no gate {gate!r}", hint=f"known are {', '.join(sorted(filter(None, known)))}")


def decision(config: Config, name: str) -> Event:
    """Return one recorded decision by its id or the beginning of it.

    Raises:
        NotFoundError: no decision, or more than one, matches.
    """
    return find_event(config.store / FOLDER, name)


def moment_of(text: str, *, now: datetime | None = None) -> datetime:
    """Parse a duration before now such as ``24h``, a date or a time.

    Raises:
        InputError: it is none of these.
    """
    now = now or datetime.now(UTC)
    try:
        return now - timedelta(seconds=span_seconds(text))
    except (ValueError, OverflowError):
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        hint = "write a length of time such as 24h or 7 days, or a date such as 2026-11-15"
        raise InputError(f"{text!r} is no time", hint=hint) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def stopped_steps(index: GuardIndex, since: datetime) -> tuple[int, int]:
    """Return how many steps were stopped, and of how many decisions, in whole days in UTC; shadow mode stops nothing.

    Raises:
        StoreError: the log or the database cannot be read.
    """
    index.catch_up(seconds=_SECONDS)
    stopped = total = 0
    for tally in index.tallies(f"{since.astimezone(UTC):%Y-%m-%d}").values():
        for counts in tally.chains.values():
            for (action, _, _, is_shadow, *_), count in counts.marks.items():
                total += count
                stopped += count if action in STOPS and not is_shadow else 0
    return stopped, total
