"""Recorded answers scored again with today's scorers, so that two runs are compared like with like."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from itertools import islice

from proctor.config import Config
from proctor.core.case import Case
from proctor.core.errors import InputError, NotFoundError
from proctor.core.report import Fingerprint, Result
from proctor.core.trajectory import Trajectory
from proctor.project import Project
from proctor.release.measures import Baseline, measures
from proctor.release.scorer_change import scorer_change
from proctor.runner.grade import grade
from proctor.store.answers import Answer, answers_path, read_answers
from proctor.store.cache import SqliteCache
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.wiring.scorers import Bench
from proctor.workflows.release.baseline import Side
from proctor.workflows.run.job import Job, open_job

__all__ = ["rescored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scoring:
    """Today's scorers and the cases they are asked about, as the run has them."""

    bench: Bench
    cases: Mapping[str, Case]
    concurrency: int


async def rescored(
    config: Config, store: RunStore, reader: RunReader, job: Job, target: str, before: Side, now: Baseline
) -> tuple[Baseline, Baseline, str]:
    """The baseline and the run as today's scorers score them, and a sentence on what was done.

    The answers are those on record: nothing is asked of the target. A side that today's scorers scored already is left
    as it is.

    Raises:
        InputError: the recorded answers of a side are not there, or the suite cannot be opened.
    """
    cases = {result.case.id: result.case for result in reader.graded(target=target, cases=True)}
    async with _bench(config, job) as bench:
        for case in cases.values():
            bench.graders(case)  # which scorers there are is known once every case has been looked at
        today = replace(now.fingerprint, scorers=bench.specs(), scorer_hashes=bench.hashes())
        scoring = _Scoring(bench=bench, cases=cases, concurrency=job.run.concurrency)
        done = []
        if _differs(now, now, today):
            own = ((each.case.id, each.sample, each.trajectory) for each in reader.results(target=target))
            now = await _scored(now, own, scoring, today)
            done.append("the run")
        if _differs(before.figures, now, today):
            figures = await _scored(before.figures, _answers(before, store), scoring, today)
            before = replace(before, figures=figures)
            done.append("the baseline")
    if not done:
        return before.figures, now, ""
    verb = "was" if len(done) == 1 else "were"
    return before.figures, now, f"{' and '.join(done)} {verb} scored again with today's scorers"


def _differs(side: Baseline, other: Baseline, today: Fingerprint) -> bool:
    """Whether a side was scored by other scorers or checks than today's, or nobody can tell."""
    by_name = {case.case: case for case in other.cases}
    pairs = [(case, by_name[case.case]) for case in side.cases if case.case in by_name]
    change = scorer_change(side.fingerprint, today, pairs)
    return bool(change) or change.unknown


def _answers(side: Side, store: RunStore) -> Iterator[Answer]:
    """The recorded answers of a baseline: from the file beside it, or from its run where that is on record here."""
    figures = side.figures
    if side.path is not None and figures.answers:
        file = answers_path(side.path)
        if file.is_file():
            return read_answers(file, figures.answers)
    try:
        reader = RunReader(store, store.get(figures.run))
        if reader.targets():
            # A target may be named otherwise by now; a run of one target needs no name.
            named = figures.name if figures.name in reader.targets() else None
            return ((each.case.id, each.sample, each.trajectory) for each in reader.results(target=named))
    except NotFoundError:
        pass
    place = str(answers_path(side.path)) if side.path else None
    raise InputError(
        f"the baseline cannot be scored again: its answers are neither in a file beside it nor in run {figures.run}",
        file=place,
        hint="run the version that it came from again and bless that run",
    )


async def _scored(side: Baseline, answers: Iterable[Answer], scoring: _Scoring, today: Fingerprint) -> Baseline:
    """A side with the figures that today's scorers give its answers; cases that the run lacks keep their figures."""
    known = (each for each in answers if each[0] in scoring.cases)
    results: list[Result] = []
    while some := list(islice(known, max(1, scoring.concurrency))):
        results += await asyncio.gather(*(_result(each, side.name, scoring) for each in some))
    found = {each.case: each for each in measures(results)}
    # The content stays that of the recorded question: a case that was rewritten since is still not compared.
    cases = [
        replace(found[old.case], content=old.content, intent=old.intent) if old.case in found else old
        for old in side.cases
    ]
    fingerprint = replace(side.fingerprint, scorers=today.scorers, scorer_hashes=today.scorer_hashes)
    return replace(side, cases=tuple(cases), fingerprint=fingerprint)


async def _result(answer: Answer, target: str, scoring: _Scoring) -> Result:
    case_id, sample, trajectory = answer
    case = scoring.cases[case_id]
    made = await grade(case, trajectory, scoring.bench.graders(case))
    return Result(
        case=case,
        target=target,
        sample=sample,
        trajectory=Trajectory(),
        scores=made.scores,
        outcome=made.outcome,
        value=made.value,
        reason=made.reason,
    )


@asynccontextmanager
async def _bench(config: Config, job: Job) -> AsyncIterator[Bench]:
    """Today's scorers of a job's suite, with the models that they ask."""
    if named := job.judge or next(iter(job.judges), None):
        config = replace(config, settings=replace(config.settings, judge=named))
    suite = open_job(config, job).loaded.suite
    async with Project(config) as project:
        rack = project.rack(job.run)
        with closing(SqliteCache(config.store / "cache.db")) as cache:
            rack.cache = cache if job.run.cache != "off" else None
            yield Bench(suite, rack, only=job.scorers, light=job.light, judges=job.judges)
