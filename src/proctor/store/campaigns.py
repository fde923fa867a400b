"""Runs of attack campaigns: which command attacked which target, and the runs of its rounds."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from proctor.core.errors import InputError, NotFoundError
from proctor.store.db import explained
from proctor.store.runs import RunStore
from proctor.store.sqlite_store import insert, matching

__all__ = [
    "CampaignKind",
    "CampaignRound",
    "CampaignRun",
    "begin",
    "campaigns",
    "end",
    "find",
    "go_on_or_begin",
    "keep_round",
    "rounds",
]

CampaignKind = Literal["attack", "adaptive", "retest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignRun:
    """One command that attacked a target.

    ``attempts`` is the path of its first attempts file below the store. ``tries`` is the limit per goal of an adaptive
    one. ``mitigation`` is what was changed before a retest, ``repeats`` the number of the campaign run it repeats.
    """

    n: int = 0
    campaign: str
    kind: CampaignKind = "attack"
    target: str
    guarded: bool = False
    attempts: str
    tries: int | None = None
    mitigation: str = ""
    repeats: int | None = None
    started: datetime | None = None
    finished: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignRound:
    """One round: its attempts file, and its run as soon as it has begun."""

    round: int
    attempts: str
    run: str | None = None


_GIVEN = ("campaign", "kind", "target", "guarded", "attempts", "tries", "mitigation", "repeats")
_COLUMNS = "n, campaign, kind, target, guarded, attempts, tries, mitigation, repeats, started, finished"


def begin(store: RunStore, new: CampaignRun) -> CampaignRun:
    """Record a new campaign run."""
    with explained(store.folder):
        return _begin(store, new)


def go_on_or_begin(store: RunStore, wanted: CampaignRun) -> CampaignRun:
    """Return the newest unfinished run that the same command began, else record a new one.

    Processes that ask at the same time get the same run.
    """
    with store.change():
        return _unfinished(store, wanted) or _begin(store, wanted)


def end(store: RunStore, run: CampaignRun) -> CampaignRun:
    """Record that all rounds of a campaign run have been run."""
    with explained(store.folder):
        now = datetime.now(UTC).isoformat()
        store.database.execute("UPDATE campaign_runs SET finished = ? WHERE n = ? AND finished IS NULL", (now, run.n))
        return _get(store, run.n)


def find(
    store: RunStore,
    campaign: str,
    *,
    finished: bool | None = None,
    kind: CampaignKind | None = None,
    target: str | None = None,
) -> list[CampaignRun]:
    """Return the runs of a campaign, the newest first."""
    where, values = matching(campaign=campaign, kind=kind, target=target)
    if finished is not None:
        where += f" AND finished IS {'NOT ' if finished else ''}NULL"
    rows = store.database.execute(f"SELECT {_COLUMNS} FROM campaign_runs WHERE {where} ORDER BY n DESC", values)
    return [_campaign_run(row) for row in rows]


def campaigns(store: RunStore) -> list[str]:
    """Return the names of all campaigns that were run or imported, in order."""
    rows = store.database.execute(
        "SELECT campaign FROM campaign_runs UNION SELECT campaign FROM attack_findings ORDER BY campaign"
    )
    return [row["campaign"] for row in rows]


def keep_round(store: RunStore, run: CampaignRun, new: CampaignRound) -> None:
    """Record a round, or the run that it has begun.

    Raises:
        InputError: it has begun another run: replacing that one would lose its results.
    """
    with explained(store.folder):
        kept = store.database.execute(
            "INSERT INTO campaign_rounds (campaign_run, round, attempts, run) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (campaign_run, round) DO UPDATE SET attempts = excluded.attempts, run = excluded.run"
            " WHERE campaign_rounds.run IS NULL OR campaign_rounds.run = excluded.run",
            (run.n, new.round, new.attempts, new.run),
        )
    if not kept.rowcount:
        raise InputError(
            f"round {new.round} of run {run.n} of the campaign {run.campaign} has begun already",
            hint=f"`proctor redteam show {run.campaign} --run {run.n}` shows how far it is",
        )


def rounds(store: RunStore, run: CampaignRun) -> list[CampaignRound]:
    """Return the rounds of a campaign run in order."""
    rows = store.database.execute(
        "SELECT round, attempts, run FROM campaign_rounds WHERE campaign_run = ? ORDER BY round", (run.n,)
    )
    return [CampaignRound(**dict(row)) for row in rows]


def _unfinished(store: RunStore, wanted: CampaignRun) -> CampaignRun | None:
    """Return the newest unfinished run that the same command began."""
    same = replace(wanted, n=0, started=None, finished=None)
    unfinished = find(store, wanted.campaign, finished=False)
    return next((each for each in unfinished if replace(each, n=0, started=None) == same), None)


def _begin(store: RunStore, new: CampaignRun) -> CampaignRun:
    values = {name: getattr(new, name) for name in _GIVEN} | {"started": datetime.now(UTC).isoformat()}
    row = insert(store.database, "campaign_runs", values)
    return _get(store, row.lastrowid or 0)


def _get(store: RunStore, number: int) -> CampaignRun:
    row = store.database.execute(f"SELECT {_COLUMNS} FROM campaign_runs WHERE n = ?", (number,)).fetchone()
    if row is None:
        raise NotFoundError(f"there is no campaign run {number}", hint="`proctor redteam show` lists the campaigns")
    return _campaign_run(row)


def _campaign_run(row: sqlite3.Row) -> CampaignRun:
    data = dict(row)
    data["guarded"] = bool(data["guarded"])
    for name in ("started", "finished"):
        data[name] = datetime.fromisoformat(data[name]) if data[name] else None
    return CampaignRun(**data)
