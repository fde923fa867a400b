"""Results of a campaign run: each attempt with its judgement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.core.report import Result
from proctor.store import campaigns
from proctor.store.campaigns import CampaignRun
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore

__all__ = ["results_of", "runs_of"]


def runs_of(store: RunStore, record: CampaignRun) -> list[str]:
    """Return the runs of a campaign run in the order of its rounds."""
    return [each.run for each in campaigns.rounds(store, record) if each.run]


def results_of(store: RunStore, runs: Sequence[str], *, whole: bool = False) -> Iterator[Result]:
    """Yield the results of some runs, in the order of runs; their conversations only if ``whole``."""
    for name in runs:
        reader = RunReader(store, store.get(name))
        yield from reader.results(by_case=True) if whole else reader.graded(cases=True)
