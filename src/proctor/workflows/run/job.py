"""Carry out a run: combine suite, targets, graders, ledger and models."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, closing, suppress
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path

import proctor
from proctor.config import Config, RunSettings
from proctor.core.case import Case, Suite
from proctor.core.codec import content_id
from proctor.core.decode import decode
from proctor.core.errors import InputError, StoreError, SuiteError
from proctor.core.network_choice import networks_in_force
from proctor.core.record import dataclass
from proctor.core.report import Fingerprint, Result, Spend
from proctor.core.sockets import Target
from proctor.project import Project
from proctor.runner.decide import Bar, decide
from proctor.runner.run import Runner, Stopping
from proctor.runner.unit import units
from proctor.store.calls import CallLog
from proctor.store.figures import keep_report
from proctor.store.ledger import RunLedger
from proctor.store.repeats import failed_cases
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunRecord, RunStore
from proctor.store.trends import keep_points
from proctor.suites.select import Selection, select
from proctor.wiring.models import ModelPool
from proctor.wiring.scorers import GraderFactory, check_graders
from proctor.wiring.targets import make_targets, stored
from proctor.workflows.run.budget import budget_notes, carry_spend
from proctor.workflows.run.overview import overview_of_run
from proctor.workflows.run.prompt_suite import existing_suite_path, open_tests, storing_model, suite_path
from proctor.workflows.run.recording_file import write_recording
from proctor.workflows.run.resume import carried_fingerprint, nothing_left, refuse_changed, settings_of, troubles
from proctor.workflows.run.suite_source import Opened
from proctor.workflows.run.trend_points import cells_of_run

__all__ = ["Job", "RunProgress", "carry_out", "open_job", "resumed_job"]


_HELD = 1_000  # cases kept in memory from planning; a larger suite is read again


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The run requested by the user. It is stored with the run, so that a resume needs no flags."""

    suite: str
    targets: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    judge: str | None = None
    judges: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    baseline: bool = False
    store_completions: bool = False
    run: RunSettings = field(default_factory=RunSettings)
    tags: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    first: int | None = None
    sample: int | None = None
    only_failing: str | None = None
    trigger: str = "manual"
    folder: str = ""
    scorers: tuple[str, ...] = ()
    light: bool = False
    conversations: tuple[str, ...] = ()
    format: str = "auto"
    allow_commands: bool = False

    @property
    def partial(self) -> bool:
        """Whether it is limited to selected cases or checks, and so does not represent the suite."""
        chosen = (self.tags, self.not_tags, self.cases, self.first, self.only_failing, self.scorers, self.light)
        return any(chosen)


@dataclass(slots=True, kw_only=True)
class RunProgress:
    """Callbacks for the progress of a run."""

    begun: Callable[[RunRecord, int, int], None] | None = None
    warned: Callable[[str], None] | None = None
    result: Callable[[Result], None] | None = None
    stopping: Stopping = field(default_factory=Stopping)
    spend: Callable[[], tuple[Spend, ...]] | None = None
    refused: Callable[[], int] | None = None


def resumed_job(store: RunStore, run: RunRecord) -> Job:
    """Return the stored job of a run to resume."""
    return decode(Job, run.settings["job"])


def open_job(config: Config, job: Job) -> Opened:
    """Return the cases of a job: a suite, a prompt's tests, or recorded conversations.

    Raises:
        InputError: there is no such file, or something in it is wrong.
    """
    folder = Path(job.folder)
    if job.conversations:
        from proctor.workflows.run.conversations import open_recorded  # noqa: PLC0415 - most runs are of suites

        return open_recorded(
            [folder / each for each in job.conversations],
            format=job.format,
            checks=suite_path(job.suite, config, folder) if job.suite else None,
            scorers=job.scorers,
            target=next(iter(job.targets), None),
        )
    if not job.suite:
        hint = "run the program that made it again"
        raise InputError("the cases of this run were given by a program and are in no file", hint=hint)
    return open_tests(
        existing_suite_path(job.suite, config, folder),
        metrics=[folder / metric for metric in job.metrics],
        baseline=job.baseline,
        judged=bool(job.judges or job.judge or config.settings.judge) or job.light,
    )


async def carry_out(
    config: Config,
    job: Job,
    watching: RunProgress,
    *,
    resume: str | None = None,
    redo_unscored: bool = False,
    record: Path | None = None,
    opened: Opened | None = None,
) -> tuple[RunRecord, bool]:
    """Run the job until it ends or is asked to stop; return true if it reached the end.

    ``opened`` is given if the suite is not in a file, or a target or scorer is a Python object. ``record`` is a file
    for all model calls, to be replayed later.

    Raises:
        InputError: the suite, a target, a scorer or a setting is wrong; nothing was run.
        StoreError: results can no longer be stored; earlier ones are safe.
    """
    if named := job.judge or next(iter(job.judges), None):
        settings = dataclasses.replace(config.settings, judge=named)
        config = dataclasses.replace(config, settings=settings)
    if job.allow_commands:
        config = dataclasses.replace(config, settings=dataclasses.replace(config.settings, allow_commands=True))
    opened = opened or open_job(config, job)
    async with AsyncExitStack() as stack:
        project = await stack.enter_async_context(Project(config))
        store = project.store
        run_id = store.find(resume).id if resume else _new_id()
        stack.enter_context(store.sole_writer(run_id))
        before = store.get(run_id) if resume else None
        leg = before.legs + 1 if before else 1
        log = stack.enter_context(closing(CallLog(_log_of(store, run_id), whole=record is not None, leg=leg)))
        pool = project.model_pool(job.run, log=log, resumed=resume is not None)
        if job.run.cache != "off":
            from proctor.store.cache import SqliteCache  # noqa: PLC0415 - off by default

            pool.cache = stack.enter_context(closing(SqliteCache(config.store / "cache.db")))
        plan = await _plan(config, job, opened, store, pool, watching)
        if job.store_completions:
            plan = dataclasses.replace(plan, targets=stored(plan.targets, run_id))
        if pool.budget is not None and before is not None:
            carry_spend(pool.budget, store, before, log, pool.price_of)
        run = before or _begun(store, run_id, plan, job)
        ledger = RunLedger(store, run, redo_unscored=redo_unscored)
        stack.callback(ledger.close)
        if before is not None:
            refuse_changed(before, plan.fingerprint)
            if record is None and nothing_left(before, settings_of(job, before), ledger, _total(plan, job)):
                _log_of(store, run_id).unlink(missing_ok=True)
                return before, True
            made_of, changes = carried_fingerprint(before, plan.fingerprint)
            run = store.reopen(
                before,
                settings=settings_of(job, before),
                notes=[*budget_notes(job, before), *changes],
                fingerprint=made_of,
            )
        _warn(
            watching,
            (*opened.warnings, *opened.seen(), *_warnings(plan.targets), *troubles(ledger, log, pool.budget)),
        )
        watching.spend = pool.spend
        watching.refused = lambda: pool.refused
        if watching.begun:
            watching.begun(run, _total(plan, job), store.counts(run).total if resume else 0)
        try:
            done = await _run(plan, job, ledger, watching, _spend_keeper(store, run, pool), lambda: pool.refused)
        except BaseException:
            with suppress(StoreError):  # report the first error
                _close_books(store, run, ledger, pool, job, plan, done=False)
            raise
        _close_books(store, run, ledger, pool, job, plan, done=done)
        if record:
            write_recording(log, record)
        if done and not pool.refused:  # calls refused by the budget are retried later; keep the log to avoid repeats
            log.close()
            _log_of(store, run_id).unlink(missing_ok=True)
    return run, done


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What a run will do, and what it is made of."""

    suite: Suite
    targets: list[Target]
    factory: GraderFactory
    cases: Callable[[], Iterator[Case]]
    count: int
    fingerprint: Fingerprint


async def _plan(
    config: Config, job: Job, opened: Opened, store: RunStore, pool: ModelPool, watching: RunProgress
) -> _Plan:
    """Read every case once before any call: count and hash the cases, and check that each can be graded."""
    loaded, suite = opened.loaded, opened.loaded.suite
    targets = opened.targets or make_targets(
        job.targets,
        job.models or (storing_model(opened.prompt) if job.store_completions else ()),
        config=config,
        model_pool=pool,
        http=pool.http,
        prompt=opened.prompt,
        suite=loaded,
    )
    factory = GraderFactory(suite, pool, only=job.scorers, light=job.light, judges=job.judges, given=opened.scorers)
    only = RunReader(store, store.find(job.only_failing)).case_ids("fail", "unscored") if job.only_failing else None
    selection = Selection(
        tags=job.tags,
        not_tags=job.not_tags,
        intents=job.intents,
        ids=job.cases,
        first=job.first,
        sample=job.sample,
        seed=job.run.seed,
        only=frozenset(only) if only is not None else None,
    )

    def cases() -> Iterator[Case]:
        chosen = select(loaded.cases(), selection)
        return (case for case in chosen if factory.graders(case)) if factory.narrowed else chosen

    digest, count = hashlib.sha256(content_id(suite).encode()), 0
    held: list[Case] = []
    for case in cases():
        digest.update(content_id(case).encode())
        check_graders(factory, case, loaded)
        count += 1
        if count <= _HELD:
            held.append(case)
        elif count % _HELD == 0:
            await asyncio.sleep(0)  # a large suite takes seconds; allow Ctrl-C
            if watching.stopping.asked:
                raise KeyboardInterrupt
    if not count:
        what = f"no case failed in run {job.only_failing}" if job.only_failing else "no case is left after filtering"
        if factory.narrowed:
            what = "no case has a check that is left" + (" without a model" if job.light else "")
        raise SuiteError(what, file=str(loaded.path), hint="leave a filter out, or correct it")
    fingerprint = Fingerprint(
        suite=digest.hexdigest()[:16],
        targets={target.name: content_id(dict(target.spec)) for target in targets},
        scorers=factory.specs(),
        scorer_hashes=factory.hashes(),
        models=pool.specs(),
        networks=networks_in_force().name,
        proctor=proctor.__version__,
        python=platform.python_version(),
        seed=job.run.seed,
        trigger=job.trigger,
    )
    again = held.__iter__ if count <= _HELD else cases
    return _Plan(suite=suite, targets=targets, factory=factory, cases=again, count=count, fingerprint=fingerprint)


def _warnings(targets: list[Target]) -> Iterator[str]:
    """Yield warnings about parts of a prompt file that Proctor ignores."""
    for target in targets:
        yield from getattr(getattr(target, "prompt", None), "warnings", ())


def _warn(watching: RunProgress, warnings: Iterable[str]) -> None:
    if watching.warned:
        for warning in dict.fromkeys(warnings):
            watching.warned(warning)


def _total(plan: _Plan, job: Job) -> int:
    return plan.count * len(plan.targets) * job.run.repeat


def _begun(store: RunStore, run_id: str, plan: _Plan, job: Job) -> RunRecord:
    return store.begin(
        run_id,
        name=plan.suite.name,
        fingerprint=plan.fingerprint,
        settings=settings_of(job),
        total=_total(plan, job),
    )


async def _run(
    plan: _Plan,
    job: Job,
    ledger: RunLedger,
    watching: RunProgress,
    tick: Callable[[], None],
    refusals: Callable[[], int],
) -> bool:
    def heard(result: Result) -> None:
        tick()
        if watching.result:
            watching.result(result)

    runner = Runner(
        graders=plan.factory.graders,
        ledger=ledger,
        concurrency=job.run.concurrency,
        timeout=job.run.timeout,
        heard=heard,
        refusals=refusals,
    )
    return await runner.run(units(plan.cases(), plan.targets, job.run.repeat), watching.stopping)


def _spend_keeper(store: RunStore, run: RunRecord, pool: ModelPool) -> Callable[[], None]:
    """Return a function that records the spend about once a second, so that a killed run has it too."""
    last = time.monotonic()

    def tick() -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > 1.0:
            last = now
            store.keep_spend(run, pool.spend())

    return tick


def _close_books(
    store: RunStore,
    run: RunRecord,
    ledger: RunLedger,
    pool: ModelPool,
    job: Job,
    plan: _Plan,
    *,
    done: bool,
) -> None:
    ledger.flush()
    store.keep_spend(run, pool.spend())
    decision, reason = None, "stopped before its end"
    if done:
        bar = Bar(pass_rate=job.run.pass_rate, unscored=job.run.unscored)
        failed = failed_cases(store, run) if job.run.repeat > 1 else None
        decision, reason = decide(store.counts(run), bar, failed_cases=failed)
        # Before the end is recorded: a run that has ended is not resumed, and would stay without them.
        cells = cells_of_run(RunReader(store, run))
        keep_points(store, run, cells, partial=job.partial, some_intents=bool(job.intents))
    store.end(
        run,
        status="finished" if done else "interrupted",
        decision=decision,
        reason=reason,
        notes=[*plan.factory.notes(), *pool.notes()],
        concurrency=pool.concurrency(),
    )
    if done:
        keep_report(store, run, overview=overview_of_run(RunReader(store, run)))


def _log_of(store: RunStore, run_id: str) -> Path:
    return store.folder_of(run_id) / "calls.ndjson"


def _new_id() -> str:
    """Return an id that sorts by time and has a short unique beginning."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"
