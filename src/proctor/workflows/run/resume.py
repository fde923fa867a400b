"""Resume a run: what may change, what is left to do, and notes for the user."""

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

__all__ = ["carried_fingerprint", "nothing_left", "refuse_changed", "settings_of", "troubles"]

_SUITE_CHECKS = ""  # the key of the suite's own checks among the hashes of scorers
_JOIN = "+"  # between the hashes of a scorer whose code changed while the run was stopped


def settings_of(job: Any, before: RunRecord | None = None) -> dict[str, Any]:
    """Return the settings of a job to store with its run; changes made on resume are kept."""
    earlier = dict(before.settings) if before else {}
    return {**earlier, "job": encode(job), "run": dataclasses.asdict(job.run)}


def refuse_changed(before: RunRecord, now: Fingerprint) -> None:
    """Refuse to resume a run whose content changed.

    Raises:
        InputError: the suite, the targets or the scorers differ from those at the start of the run.
    """
    then = before.fingerprint
    changed = [name for name in ("suite", "targets", "scorers") if getattr(then, name) != getattr(now, name)]
    if then.scorer_hashes.get(_SUITE_CHECKS) != now.scorer_hashes.get(_SUITE_CHECKS):
        changed.append("checks")
    if changed:
        raise InputError(
            f"run {before.id} cannot go on: its {' and '.join(changed)} changed since it began",
            hint="start a new run, or put back what was changed",
        )


def carried_fingerprint(before: RunRecord, now: Fingerprint) -> tuple[Fingerprint, list[str]]:
    """The fingerprint of a resumed run, and a note for its record where the code of scorers changed since it began.

    An upgrade changes the code of scorers and not their versions. Such a run goes on. Its fingerprint has both hashes,
    so that `gate` and `compare` see that the run is not of one set of scorers and offer to score it again.
    """
    then = before.fingerprint.scorer_hashes
    changed = {
        name: f"{then[name]}{_JOIN}{code}" if name in then else code
        for name, code in now.scorer_hashes.items()
        if code not in then.get(name, "").split(_JOIN)
    }
    if not changed:
        return before.fingerprint, []
    note = (
        f"the code of scorers changed since the run began ({', '.join(sorted(changed))}): results before leg "
        f"{before.legs + 1} keep their scores; `proctor gate {before.id} --rescore-baseline` scores all of them again"
    )
    return dataclasses.replace(before.fingerprint, scorer_hashes={**then, **changed}), [note]


def nothing_left(before: RunRecord, settings: Mapping[str, Any], ledger: RunLedger, total: int) -> bool:
    """Return whether the run is already complete; another process may have resumed and finished it."""
    same = dict(settings) == dict(before.settings)
    return before.status == "finished" and same and not ledger.skipped and ledger.count >= total


def troubles(ledger: RunLedger, log: CallLog, budget: Budget | None) -> Iterator[str]:
    """Yield notes on lost lines that are repeated, and on an exhausted budget."""
    for damage in ledger.skipped:
        yield f"journal.ndjson: {damage}; it was skipped, and its case is run again"
    for damage in log.skipped:
        yield f"calls.ndjson: {damage}; it was skipped, and its call is made again"
    if budget is not None and budget.money is not None and budget.is_spent:
        yield f"the budget is spent (${budget.spent:.4g} of ${budget.money:g}): raise it with --budget"
