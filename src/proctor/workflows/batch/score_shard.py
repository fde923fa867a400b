"""Score one shard in a worker process; its output file is written whole or not at all."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from proctor.config import Config, load_config, open_config, read_environment
from proctor.core.case import Case
from proctor.core.chat import Reply, Request
from proctor.core.codec import encode
from proctor.core.errors import ProctorError, StoreError
from proctor.core.report import Counts
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.project import Project
from proctor.runner.grade import Grade, grade
from proctor.store.calls import CallLog, Paid
from proctor.store.masked_json import masked_line
from proctor.store.private_files import open_private, private_folder
from proctor.suites.conversations.shards import cases_of_shard
from proctor.suites.conversations.suite import RecordedSuite
from proctor.wiring.models import ModelPool
from proctor.wiring.scorers import GraderFactory
from proctor.workflows.batch.batch_job import (
    BatchJob,
    BatchPlaces,
    ScoreTally,
    ShardEnd,
    ShardFacts,
    ShardTally,
    ShardTask,
)
from proctor.workflows.run.conversations import open_recorded
from proctor.workflows.run.prompt_suite import suite_path

__all__ = ["batch_bench", "batch_config", "open_checks", "run_shard", "whole_file"]


def run_shard(job: BatchJob, task: ShardTask) -> ShardEnd:
    """Score a shard and return how it ended; an error of its input or of a model is data, not an exception."""
    try:
        return asyncio.run(_score(job, task))
    except ProctorError as error:
        return ShardEnd(task=task, kind="broken", reason=str(error))
    except Exception as error:  # one broken shard never stops the others
        return ShardEnd(task=task, kind="broken", reason=f"{type(error).__name__}: {error}"[:500])


@lru_cache(maxsize=2)
def batch_config(job: BatchJob) -> Config:
    """Return the project's settings as this process reads them, with the flags of the batch.

    Raises:
        InputError: proctor.yaml is missing on this machine, or wrong.
    """
    folder = Path(job.folder)
    config = open_config(job.config) if job.config else load_config(None, read_environment(folder), start=folder)
    settings = config.settings
    if job.judges:
        settings = replace(settings, judge=job.judges[0])
    if job.allow_commands:
        settings = replace(settings, allow_commands=True)
    return replace(config, settings=settings)


@lru_cache(maxsize=2)
def open_checks(job: BatchJob) -> RecordedSuite:
    """Return the checks of a batch as a suite without conversations.

    Raises:
        InputError: there is no such suite or scorer.
    """
    config, folder = batch_config(job), Path(job.folder)
    checks = suite_path(job.suite, config, folder) if job.suite else None
    loaded = open_recorded([folder], format=job.format, checks=checks, scorers=job.scorers).loaded
    assert isinstance(loaded, RecordedSuite)
    return loaded


def batch_bench(job: BatchJob, model_pool: ModelPool | None) -> GraderFactory:
    """Return the scorers of a batch with the models of a model pool."""
    only = job.scorers if job.suite else ()
    return GraderFactory(open_checks(job).suite, model_pool, only=only, light=job.light, judges=job.judges)


async def _score(job: BatchJob, task: ShardTask) -> ShardEnd:
    started = time.perf_counter()
    shard, places, counting = task.shard, BatchPlaces(job.out), _Counting()
    config, checks = batch_config(job), open_checks(job)
    async with AsyncExitStack() as stack:
        project = await stack.enter_async_context(Project(config))
        log = _ShardCalls(places.calls_of(shard.name), task.attempt) if job.log_calls else None
        if log is not None:
            stack.callback(log.close)
        run = replace(config.settings.run, budget=task.allowance)
        model_pool = project.model_pool(run, log=log, resumed=True)
        before = log.paid() if log is not None else Paid()
        if model_pool.budget is not None:
            model_pool.budget.carry(spent=before.cost, calls=before.calls, tokens=before.tokens)
        grader_factory = batch_bench(job, model_pool)
        with whole_file(places.scores_of(shard.name)) as draft:
            cases = (checks.with_expectations(case) for case in cases_of_shard(shard, job.format))
            async for case, graded in _graded(cases, grader_factory, job.concurrency):
                draft.out.write(masked_line(_line(case, graded)))
                counting.add(case, graded)
            spent, unpriced = _cost(model_pool, before.cost)
            if model_pool.refused:
                draft.drop()
                reason = f"the budget refused {model_pool.refused} calls"
                return ShardEnd(task=task, kind="budget", reason=reason, spent=spent)
            facts = ShardFacts(
                shard=shard.name,
                content=shard.content,
                tally=counting.tally(),
                seconds=round(time.perf_counter() - started, 3),
                cost=spent,
                unpriced=unpriced,
            )
        # Not before: with the facts of the new input, older scores would count as its scores.
        with whole_file(places.facts_of(shard.name)) as beside:
            beside.out.write(masked_line(encode(facts)))
    with suppress(OSError):
        places.calls_of(shard.name).unlink(missing_ok=True)
    return ShardEnd(task=task, kind="scored", facts=facts, spent=spent)


async def _graded(
    cases: Iterator[Case], grader_factory: GraderFactory, concurrency: int
) -> AsyncIterator[tuple[Case, Grade]]:
    """Grade conversations, several at once, and yield them in the order of the file."""
    waiting: deque[tuple[Case, asyncio.Task[Grade]]] = deque()
    try:
        for case in cases:
            run = case.recorded if isinstance(case.recorded, Trajectory) else Trajectory()
            waiting.append((case, asyncio.ensure_future(grade(case, run, grader_factory.graders(case)))))
            if len(waiting) >= concurrency:
                first, graded = waiting.popleft()
                yield first, await graded
        while waiting:
            first, graded = waiting.popleft()
            yield first, await graded
    finally:
        for _, graded in waiting:
            graded.cancel()
        await asyncio.gather(*(graded for _, graded in waiting), return_exceptions=True)


def _line(case: Case, graded: Grade) -> dict[str, Any]:
    """Return a conversation's line: without times and texts of its own, so that every worker writes the same bytes."""
    told: dict[str, Any] = {"id": case.id, "outcome": graded.outcome, "value": graded.value}
    if case.intent:
        told["intent"] = case.intent
    if graded.reason:
        told["reason"] = graded.reason
    told["scores"] = [encode(score) for score in graded.scores]
    return told


def _cost(model_pool: ModelPool, before: float) -> tuple[float, bool]:
    spend = model_pool.spend()
    known = sum(each.cost for each in spend if each.cost is not None)
    return before + known, any(each.cost is None and each.calls > each.cached for each in spend)


class _Counting:
    """The counts of a shard while it is scored."""

    def __init__(self) -> None:
        self._outcomes: Counter[str] = Counter()
        self._intents: dict[str, Counter[str]] = defaultdict(Counter)
        self._scores: dict[str, Counter[str]] = defaultdict(Counter)
        self._totals: dict[str, float] = defaultdict(float)

    def add(self, case: Case, graded: Grade) -> None:
        self._outcomes[graded.outcome] += 1
        self._outcomes["doubt"] += graded.outcome == "pass" and any(score.in_doubt for score in graded.scores)
        if case.intent:
            self._intents[case.intent][graded.outcome] += 1
        for score in graded.scores:
            self._scores[score.name][_word(score)] += 1
            self._totals[score.name] += score.value or 0.0

    def tally(self) -> ShardTally:
        return ShardTally(
            counts=_counts(self._outcomes),
            scorers={name: ScoreTally(total=self._totals[name], **counter) for name, counter in self._scores.items()},
            intents={name: _counts(counter) for name, counter in sorted(self._intents.items())},
        )


def _word(score: Score) -> str:
    if score.value is None:
        return "skipped" if score.status == "skipped" else "errors"
    return "informative" if score.passed is None else "passed" if score.passed else "failed"


def _counts(outcomes: Counter[str]) -> Counts:
    return Counts(
        passed=outcomes["pass"],
        failed=outcomes["fail"],
        unscored=outcomes["unscored"],
        in_doubt=outcomes["doubt"],
    )


class _ShardCalls:
    """The call log of a shard, opened by the first call of a model: most scorers make none."""

    def __init__(self, path: Path, attempt: int) -> None:
        self._path = path
        self._log: CallLog | None = CallLog(path, leg=attempt) if path.exists() else None
        self._attempt = attempt

    def paid(self) -> Paid:
        legs = self._log.paid.values() if self._log else ()
        return Paid(*(sum(parts) for parts in zip(*legs, strict=True))) if legs else Paid()

    def get(self, key: str) -> Reply | None:
        return self._log.get(key) if self._log else None

    def put(self, key: str, request: Request, reply: Reply, *, model: str) -> None:
        if self._log is None:
            self._log = CallLog(self._path, leg=self._attempt)
        self._log.put(key, request, reply, model=model)

    def close(self) -> None:
        if self._log is not None:
            self._log.close()


class _Draft:
    """A file that is being written; ``drop`` leaves the old one, or none."""

    def __init__(self, out: IO[bytes]) -> None:
        self.out = out
        self.is_dropped = False

    def drop(self) -> None:
        self.is_dropped = True


@contextmanager
def whole_file(path: Path) -> Iterator[_Draft]:
    """Write a private file that appears under its name only when the block has ended well and it is on disk.

    Raises:
        StoreError: it cannot be written.
    """
    draft = path.with_name(f".{path.name[-180:]}.{secrets.token_hex(4)}.part")
    try:
        private_folder(path.parent)
        with os.fdopen(open_private(draft, os.O_WRONLY | os.O_EXCL), "wb", buffering=1 << 18) as out:
            made = _Draft(out)
            yield made
            out.flush()
            os.fsync(out.fileno())
        if not made.is_dropped:
            draft.replace(path)
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        raise StoreError(what, file=str(path), hint="check the folder's permissions and space") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
