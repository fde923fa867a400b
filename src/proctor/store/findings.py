"""Findings of attack campaigns: what was executed, and what people decided about it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from proctor.core.attack_finding import AttackFinding
from proctor.store.db import explained, transaction
from proctor.store.runs import RunStore
from proctor.store.sqlite_store import insert, matching, several_begin_with, unknown_name

__all__ = ["add_findings", "edit_finding", "find_finding", "findings"]

_COLUMNS = (
    "id, campaign, goal, scope, target, title, severity, status, owner, category, note, mitigation, retest, retested,"
    " executed, tried, run, attempts, first_seen, last_seen, held_out, tags, source, person, reason, extra"
)
_EDITABLE: Final = frozenset(
    ("severity", "status", "owner", "category", "note", "mitigation", "retest", "retested", "person")
)
_RANK = "CASE severity WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END"


def add_findings(store: RunStore, found: Iterable[AttackFinding]) -> tuple[list[AttackFinding], list[AttackFinding]]:
    """Add findings; return those that are new, and those that came back after they had been fixed.

    A known finding keeps what people said of it. Its examples, counts, title and last sight are replaced. One that was
    mitigated or fixed and is executed again is open again.
    """
    now = datetime.now(UTC).isoformat()
    new: list[AttackFinding] = []
    back: list[AttackFinding] = []
    with explained(store.folder), transaction(store.database):
        for each in found:
            before = _look_up(store, each.campaign, each.id)
            if before is None:
                _insert(store, each, now)
                new.append(each)
            else:
                _see_again(store, before, each, now)
                if before.status == "retested":
                    back.append(each)
    ids = {(each.campaign, each.id) for each in (*new, *back)}
    kept = {place: _look_up(store, *place) for place in ids}
    return _kept(kept, new), _kept(kept, back)


def findings(
    store: RunStore, campaign: str | None = None, *, statuses: Collection[str] = (), target: str | None = None
) -> list[AttackFinding]:
    """Return findings, the worst first; of one campaign, of some statuses, of one target, or all."""
    where, values = matching(campaign=campaign, target=target)
    if statuses:
        where += f" AND status IN ({','.join('?' * len(statuses))})"
        values += list(statuses)
    rows = store.database.execute(
        f"SELECT {_COLUMNS} FROM attack_findings WHERE {where} ORDER BY {_RANK}, scope, goal, n", values
    )
    return [_finding(row) for row in rows]


def find_finding(store: RunStore, campaign: str, name: str) -> AttackFinding:
    """Return a finding of a campaign by its id or a prefix of it.

    Raises:
        NotFoundError: no finding, or more than one, matches.
    """
    rows = store.database.execute(
        f"SELECT {_COLUMNS} FROM attack_findings WHERE campaign = ? AND substr(id, 1, ?) = ? ORDER BY n",
        (campaign, len(name), name),
    ).fetchall()
    if len(rows) == 1:
        return _finding(rows[0])
    if rows:
        raise several_begin_with(name, [row["id"] for row in rows], f"findings of {campaign}")
    known = [each.id for each in findings(store, campaign)]
    message = f"{campaign} has no finding {name!r}"
    raise unknown_name(name, known, message, f"`proctor redteam triage {campaign}` lists them")


def edit_finding(store: RunStore, finding: AttackFinding, changes: Mapping[str, Any]) -> AttackFinding:
    """Record a person's decision, or the result of a retest; a later one replaces the earlier."""
    unknown = changes.keys() - _EDITABLE
    if unknown:
        raise ValueError(f"not editable: {', '.join(sorted(unknown))}")
    if changes:
        names = ", ".join(f"{name} = ?" for name in changes)
        with explained(store.folder):
            store.database.execute(
                f"UPDATE attack_findings SET {names} WHERE campaign = ? AND id = ?",
                (*changes.values(), finding.campaign, finding.id),
            )
    return find_finding(store, finding.campaign, finding.id)


def _insert(store: RunStore, new: AttackFinding, now: str) -> None:
    values: dict[str, Any] = {name: getattr(new, name) for name in _COLUMNS.split(", ")}
    values |= {"attempts": json.dumps(list(new.attempts)), "tags": json.dumps(list(new.tags))}
    values |= {"extra": json.dumps(dict(new.extra), default=str), "held_out": int(new.held_out)}
    values |= {"first_seen": now, "last_seen": now}
    insert(store.database, "attack_findings", values)


def _see_again(store: RunStore, before: AttackFinding, now_found: AttackFinding, now: str) -> None:
    status = "open" if before.status in ("mitigated", "retested") else before.status
    store.database.execute(
        "UPDATE attack_findings SET title = ?, executed = ?, tried = ?, run = ?, attempts = ?, last_seen = ?,"
        " held_out = ?, tags = ?, reason = ?, extra = ?, status = ? WHERE campaign = ? AND id = ?",
        (
            now_found.title,
            now_found.executed,
            now_found.tried,
            now_found.run,
            json.dumps(list(now_found.attempts)),
            now,
            int(now_found.held_out),
            json.dumps(list(now_found.tags)),
            now_found.reason,
            json.dumps(dict(now_found.extra), default=str),
            status,
            before.campaign,
            before.id,
        ),
    )


def _look_up(store: RunStore, campaign: str, name: str) -> AttackFinding | None:
    row = store.database.execute(
        f"SELECT {_COLUMNS} FROM attack_findings WHERE campaign = ? AND id = ?", (campaign, name)
    ).fetchone()
    return None if row is None else _finding(row)


def _kept(
    stored: Mapping[tuple[str, str], AttackFinding | None], found: Iterable[AttackFinding]
) -> list[AttackFinding]:
    return [stored.get((each.campaign, each.id)) or each for each in found]


def _finding(row: sqlite3.Row) -> AttackFinding:
    data = dict(row)
    for name in ("first_seen", "last_seen"):
        data[name] = datetime.fromisoformat(data[name])
    for name in ("attempts", "tags"):
        data[name] = tuple(json.loads(data[name]))
    return replace(AttackFinding(**{**data, "extra": json.loads(data["extra"])}), held_out=bool(data["held_out"]))
