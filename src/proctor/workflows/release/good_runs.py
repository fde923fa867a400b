"""Runs to learn floors from."""

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
    """The figures of the runs that were named, or of the newest good ones of a suite, the oldest first.

    A run is good unless it was held, stopped before its end, or was narrowed by hand.

    Raises:
        InputError: there is none, or a run that was named cannot be used.
    """
    chosen = [store.find(name) for name in named] if named else _newest(store, suite, limit)
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
        if run.status != "finished" or run.id in held or resumed_job(store, run).partial:
            continue
        suite = suite or run.name
        if run.name == suite and len(found) < limit:
            found.append(run)
    return found[::-1]
