"""Score recorded answers again with the current scorers, so that two runs can be compared."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from itertools import islice

from proctor.config import Config
from proctor.core.case import Case
from proctor.core.errors import InputError
from proctor.core.report import Fingerprint, Result
from proctor.core.trajectory import Trajectory
from proctor.project import Project
from proctor.release.measures import Baseline, measures
from proctor.release.scorer_change import scorer_change
from proctor.runner.grade import grade
from proctor.store.answers import Answer
from proctor.store.cache import SqliteCache
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.wiring.scorers import GraderFactory
from proctor.workflows.release.baseline import Side
from proctor.workflows.release.baseline_answers import baseline_answers
from proctor.workflows.run.job import Job, open_job

__all__ = ["rescored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scoring:
    """The current scorers and the cases of the run."""

    grader_factory: GraderFactory
    cases: Mapping[str, Case]
    concurrency: int


async def rescored(
    config: Config, store: RunStore, reader: RunReader, job: Job, target: str, before: Side, now: Baseline
) -> tuple[Baseline, Baseline, str]:
    """Return the baseline and the run scored by the current scorers, and a note on what was done.

    Only recorded answers are used; the target is not called. A side that is up to date is not scored again.

    Raises:
        InputError: recorded answers are missing, or the suite cannot be opened.
    """
    cases = {result.case.id: result.case for result in reader.graded(target=target, cases=True)}
    async with _grader_factory(config, job) as grader_factory:
        for case in cases.values():
            grader_factory.graders(case)  # all scorers are known only after all cases
        today = replace(now.fingerprint, scorers=grader_factory.specs(), scorer_hashes=grader_factory.hashes())
        scoring = _Scoring(grader_factory=grader_factory, cases=cases, concurrency=job.run.concurrency)
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
    """Return whether a side was scored by other scorers or checks than the current ones, or it is unknown."""
    by_name = {case.case: case for case in other.cases}
    pairs = [(case, by_name[case.case]) for case in side.cases if case.case in by_name]
    change = scorer_change(side.fingerprint, today, pairs)
    return bool(change) or change.unknown


def _answers(side: Side, store: RunStore) -> Iterator[Answer]:
    try:
        return baseline_answers(side, store)
    except InputError as error:
        told = f"the baseline cannot be scored again: {error.message}"
        raise InputError(told, file=error.file, hint=error.hint) from error


async def _scored(side: Baseline, answers: Iterable[Answer], scoring: _Scoring, today: Fingerprint) -> Baseline:
    """Return a side with figures by the current scorers; cases missing in the run keep their figures."""
    known = (each for each in answers if each[0] in scoring.cases)
    results: list[Result] = []
    while some := list(islice(known, max(1, scoring.concurrency))):
        results += await asyncio.gather(*(_result(each, side.name, scoring) for each in some))
    found = {each.case: each for each in measures(results)}
    # Keep the content of the recorded question, so that a case rewritten since is not compared.
    cases = [
        replace(found[old.case], content=old.content, intent=old.intent) if old.case in found else old
        for old in side.cases
    ]
    fingerprint = replace(side.fingerprint, scorers=today.scorers, scorer_hashes=today.scorer_hashes)
    return replace(side, cases=tuple(cases), fingerprint=fingerprint)


async def _result(answer: Answer, target: str, scoring: _Scoring) -> Result:
    case_id, sample, trajectory = answer
    case = scoring.cases[case_id]
    made = await grade(case, trajectory, scoring.grader_factory.graders(case))
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
async def _grader_factory(config: Config, job: Job) -> AsyncIterator[GraderFactory]:
    """Yield the current scorers of a job's suite, with their models."""
    if named := job.judge or next(iter(job.judges), None):
        config = replace(config, settings=replace(config.settings, judge=named))
    suite = open_job(config, job).loaded.suite
    async with Project(config) as project:
        model_pool = project.model_pool(job.run)
        with closing(SqliteCache(config.store / "cache.db")) as cache:
            model_pool.cache = cache if job.run.cache != "off" else None
            yield GraderFactory(suite, model_pool, only=job.scorers, light=job.light, judges=job.judges)
