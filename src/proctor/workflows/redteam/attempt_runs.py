"""One attempt in the runs of its campaign: what was said, and what came of it before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from proctor.core.attack import AttackAttempt, AttackResult
from proctor.core.errors import NotFoundError
from proctor.core.report import Result
from proctor.redteam.attack_entries import read_entries
from proctor.store import campaigns
from proctor.store.campaigns import CampaignRun
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.redteam.attempt_results import runs_of

__all__ = ["AttemptRun", "attempt_runs"]

_MOST: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRun:
    """An attempt in one run of its campaign; ``key`` is that of its result in the run."""

    record: CampaignRun
    run: str
    key: int | None
    result: Result
    attempt: AttackAttempt
    judgement: AttackResult

    @property
    def gates(self) -> tuple[str, ...]:
        """The gates that stopped or changed something, in order."""
        acted = (
            (verdict.by or verdict.gate)
            for turn in self.result.trajectory.turns
            for verdict in turn.verdicts
            if verdict.decided.action != "allow"
        )
        return tuple(dict.fromkeys(each for each in (self.judgement.stopped_by, *acted) if each))


def attempt_runs(store: RunStore, campaign: str, case: str, *, most: int = _MOST) -> list[AttemptRun]:
    """Return an attempt in the newest runs of a campaign that have it, the oldest of them first.

    Raises:
        NotFoundError: no run of the campaign has it.
    """
    found: list[AttemptRun] = []
    for record in campaigns.find(store, campaign):
        found += list(_in_record(store, record, case))[:1]
        if len(found) == most:
            break
    if not found:
        raise NotFoundError(
            f"no run of the campaign {campaign!r} has the attempt {case[:60]!r}", hint="its run may have been removed"
        )
    return found[::-1]


def _in_record(store: RunStore, record: CampaignRun, case: str) -> Iterator[AttemptRun]:
    for run in runs_of(store, record):
        try:
            opened = store.get(run)
            result = RunReader(store, opened).find(case)[0]
        except NotFoundError:
            continue
        entries, _ = read_entries([result])
        if not entries:
            continue
        row = store.database.execute(
            "SELECT key FROM results WHERE run = ? AND case_id = ? AND sample = ?", (opened.n, case, result.sample)
        ).fetchone()
        yield AttemptRun(
            record=record,
            run=run,
            key=row["key"] if row is not None else None,
            result=result,
            attempt=entries[0].attempt,
            judgement=entries[0].result,
        )
