"""A run that is resumed: what may have changed, what is left to do, and what the user should know."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from proctor.core.codec import encode
from proctor.core.errors import InputError
from proctor.core.report import Fingerprint
from proctor.models.wrap.budget import Budget
from proctor.store.calls import CallLog
from proctor.store.ledger import RunLedger
from proctor.store.runs import RunRecord

__all__ = ["nothing_left", "refuse_changed", "settings_of", "troubles"]


def settings_of(job: Any, before: RunRecord | None = None) -> dict[str, Any]:
    """What is kept of a job with its run; a resumed run keeps what the user changed."""
    earlier = dict(before.settings) if before else {}
    return {**earlier, "job": encode(job), "run": dataclasses.asdict(job.run)}


def refuse_changed(before: RunRecord, now: Fingerprint) -> None:
    """Refuse to go on with a run of something else.

    Raises:
        InputError: the suite, the targets or the scorers are not those that the run began with.
    """
    changed = [
        name
        for name in ("suite", "targets", "scorers", "scorer_hashes")
        if getattr(before.fingerprint, name) != getattr(now, name)
    ]
    if changed:
        raise InputError(
            f"run {before.id} cannot go on: its {' and '.join(changed)} changed since it began",
            hint="start a new run, or put back what was changed",
        )


def nothing_left(before: RunRecord, settings: Mapping[str, Any], ledger: RunLedger, total: int) -> bool:
    """Whether a run came to its end before: another process that resumed it may have been quicker."""
    same = dict(settings) == dict(before.settings)
    return before.status == "finished" and same and not ledger.skipped and ledger.count >= total


def troubles(ledger: RunLedger, log: CallLog, budget: Budget | None) -> Iterator[str]:
    """Lines that were lost and are made good, and a budget that is spent already."""
    for damage in ledger.skipped:
        yield f"journal.ndjson: {damage}; it was skipped, and its case is run again"
    for damage in log.skipped:
        yield f"calls.ndjson: {damage}; it was skipped, and its call is made again"
    if budget is not None and budget.money is not None and budget.is_spent:
        yield f"the budget is spent (${budget.spent:.4g} of ${budget.money:g}): raise it with --budget"
