"""Select runs to learn floors from."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.core.errors import InputError
from proctor.release.measures import Baseline
from proctor.store.decisions import decisions
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunRecord, RunStore
from proctor.workflows.release.baseline import chosen_target, figures_of
from proctor.workflows.run.job import resumed_job

__all__ = ["good_runs"]

_LOOKED_AT = 500


def good_runs(
    store: RunStore, named: Sequence[str], *, suite: str | None, target: str | None, limit: int
) -> list[Baseline]:
    """Return the figures of the named runs, or of the newest good runs of a suite, oldest first.

    A run is good unless it was held, interrupted, or narrowed to some cases, intents or checks. A narrowed run is left
    out even if it is named: its means are those of other cases.

    Raises:
        InputError: there is none, or a named run is invalid.
    """
    chosen = [store.find(name) for name in named] if named else _newest(store, suite, limit)
    whole = [run for run in chosen if not _narrowed(store, run)]
    if chosen and not whole:
        hint = "name runs of the whole suite: without --intent, --tag, --case, --first, --sample or --scorer"
        raise InputError("every run named here was narrowed to a part of its suite", hint=hint)
    chosen = whole
    if not chosen:
        raise InputError("there is no run to go by", hint="`proctor run SUITE` makes one; name it, if it was held")
    figures = []
    for run in chosen:
        reader = RunReader(store, run)
        figures.append(figures_of(reader, chosen_target(reader, target)))
    if not any(each.value is not None or each.dimensions for run in figures for each in run.cases):
        raise InputError("no case of these runs was scored", hint="fix what broke, and run again")
    return figures


def _newest(store: RunStore, suite: str | None, limit: int) -> list[RunRecord]:
    held = {each.run for each in decisions(store, limit=_LOOKED_AT) if each.decision == "hold"}
    found: list[RunRecord] = []
    for run in store.list(limit=_LOOKED_AT):
        if run.status != "finished" or run.id in held or _narrowed(store, run):
            continue
        suite = suite or run.name
        if run.name == suite and len(found) < limit:
            found.append(run)
    return found[::-1]


def _narrowed(store: RunStore, run: RunRecord) -> bool:
    job = resumed_job(store, run)
    return job.partial or bool(job.intents) or job.sample is not None
