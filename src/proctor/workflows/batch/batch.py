"""Carry out a batch: plan shards, skip finished ones, run the rest on a pool, and sum up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import proctor
from proctor.config import Config
from proctor.core.case import Case
from proctor.core.codec import content_id, dumps, encode, loads
from proctor.core.decode import decode
from proctor.core.errors import InputError, MalformedError, StoreError
from proctor.core.record import dataclass
from proctor.core.report import Decision
from proctor.project import Project
from proctor.runner.decide import Bar, decide
from proctor.store.lock import sole_writer
from proctor.suites.conversations.shards import Shard, ShardPlan, named_files, plan_shards
from proctor.workflows.batch.batch_job import BatchJob, BatchPlaces, ShardEnd, ShardFacts, ShardTally, ShardTask
from proctor.workflows.batch.score_shard import batch_bench, batch_config, whole_file

__all__ = ["BatchOutcome", "BatchProgress", "BatchRequest", "ShardPool", "read_batch", "score_batch"]

MAX_ATTEMPTS = 3  # of a shard whose worker died
_WAIT_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRequest:
    """What the user asked for: the files, the job, where it runs, and its limits."""

    patterns: tuple[str, ...]
    job: BatchJob
    on: Literal["local", "ray"] = "local"
    workers: int | None = None
    address: str | None = None
    budget: float | None = None
    shard_rows: int = 50_000
    shard_bytes: int = 64_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenShard:
    """A shard without output, and why."""

    shard: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOutcome:
    """The figures of a batch. ``waiting`` shards were not finished: stopped, or refused by the budget."""

    shards: int = 0
    finished: int = 0
    tally: ShardTally = field(default_factory=ShardTally)
    broken: tuple[BrokenShard, ...] = ()
    waiting: int = 0
    refused: int = 0
    retried: int = 0
    cost: float = 0.0
    unpriced: bool = False
    decision: Decision | None = None
    reason: str = ""


@dataclass(slots=True, kw_only=True)
class BatchProgress:
    """Callbacks for the progress of a batch; ``stopping`` is asked between shards."""

    begun: Callable[[int, int], None] | None = None
    ended: Callable[[ShardEnd], None] | None = None
    warned: Callable[[str], None] | None = None
    stopping: Callable[[], int] = int


class ShardPool(Protocol):
    """Where shards are scored: processes of this machine, or a cluster."""

    @property
    def slots(self) -> int:
        """How many shards may be under way at once."""
        ...

    def submit(self, task: ShardTask) -> None:
        """Start a shard."""
        ...

    def wait(self, seconds: float) -> list[ShardEnd]:
        """Return the shards that have ended, waiting this long for one."""
        ...

    def close(self) -> None:
        """End all workers."""
        ...


def score_batch(config: Config, request: BatchRequest, progress: BatchProgress) -> BatchOutcome:
    """Score the named files into the output folder; what is finished there is not scored again.

    Raises:
        InputError: no file fits, a scorer or setting is wrong, or the folder holds results of other scorers.
        StoreError: the output folder cannot be written.
    """
    job = request.job
    places = BatchPlaces(job.out)
    files = [each for each in named_files(request.patterns, Path(job.folder)) if not each.is_relative_to(places.out)]
    if not files:
        raise InputError("no file to score", hint="the output folder itself is left out")
    with sole_writer(places.lock, f"the batch in {places.out}"):
        _remove_drafts(places)
        identity = _identity(job)
        root = _agreed(places, identity)
        plan = plan_shards(files, root=root, format=job.format, rows=request.shard_rows, size=request.shard_bytes)
        _keep_manifest(places, identity, plan)
        scoring = _Scoring(request, places, plan, progress)
        scoring.run()
        outcome = scoring.outcome(Bar(pass_rate=config.settings.run.pass_rate, unscored=config.settings.run.unscored))
        _keep(places.summary, encode(outcome))
    return outcome


def read_batch(out: Path) -> BatchOutcome:
    """Return the summary of an output folder.

    Raises:
        InputError: it has none, or it cannot be read.
    """
    path = BatchPlaces(out).summary
    try:
        return decode(BatchOutcome, loads(path.read_bytes()))
    except FileNotFoundError:
        hint = "name the folder given with -o; a batch that is still running has no summary yet"
        raise InputError("there is no finished batch here", file=str(out), hint=hint) from None
    except (OSError, ValueError, MalformedError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path), hint="run the batch again") from None


class _Scoring:
    """The shards of a batch while they are scored."""

    def __init__(self, request: BatchRequest, places: BatchPlaces, plan: ShardPlan, progress: BatchProgress) -> None:
        self._request, self._places, self._plan, self._progress = request, places, plan, progress
        self._facts: dict[str, ShardFacts] = {}
        self._broken: dict[str, str] = {each.file: each.reason for each in plan.unreadable}
        self._left: deque[ShardTask] = deque()
        self._under_way: dict[str, ShardTask] = {}
        self._spent: dict[str, float] = {}  # by shard, finished or not
        self._refused: set[str] = set()
        self._retried = 0
        self._stuck = 0

    def run(self) -> None:
        for shard in self._plan.shards:
            known = _finished(self._places, shard)
            if known is None:
                self._left.append(ShardTask(shard=shard))
            else:
                self._facts[shard.name] = known
                self._spent[shard.name] = known.cost
        if self._progress.begun:
            self._progress.begun(len(self._left), len(self._facts))
        for name, reason in self._broken.items():
            self._warn(f"{name}: not scored: {reason}")
        if not self._left:
            return
        pool = _pool(self._request, len(self._left))
        try:
            self._carry(pool)
        finally:
            pool.close()

    def _carry(self, pool: ShardPool) -> None:
        while self._left or self._under_way:
            asked = self._progress.stopping()
            if asked > 1 or (asked and not self._under_way):
                return
            slots = pool.slots
            while self._left and not asked and len(self._under_way) < slots and self._start(pool, slots):
                pass
            if not self._under_way:
                return  # the budget covers no further shard
            for end in pool.wait(_WAIT_SECONDS):
                self._heard(end)

    def _start(self, pool: ShardPool, slots: int) -> bool:
        """Start the next shard with its share of the money that is left."""
        task = self._left[0]
        name = task.shard.name
        if self._request.budget is not None:
            granted = sum(max(0.0, (t.allowance or 0.0) - self._spent.get(n, 0.0)) for n, t in self._under_way.items())
            rest = self._request.budget - sum(self._spent.values()) - granted
            sharing = max(1, min(slots - len(self._under_way), len(self._left)))
            if rest <= 0 and self._refused:
                return False
            task = replace(task, allowance=self._spent.get(name, 0.0) + max(0.0, rest) / sharing)
        self._left.popleft()
        self._under_way[name] = task
        pool.submit(task)
        return True

    def _heard(self, end: ShardEnd) -> None:
        name = end.task.shard.name
        self._under_way.pop(name, None)
        if end.kind == "scored" and end.facts is not None:
            self._facts[name] = end.facts
            self._spent[name] = end.facts.cost
            self._refused.discard(name)
        elif end.kind == "budget":
            self._out_of_money(end)
        elif end.kind == "died" and end.task.attempt < MAX_ATTEMPTS:
            self._retried += 1
            self._left.append(replace(end.task, attempt=end.task.attempt + 1))
            self._warn(f"{name}: {end.reason}; it is scored again")
        else:
            times = f" {MAX_ATTEMPTS} times" if end.kind == "died" else ""
            self._broken[name] = f"{end.reason}{times}"
            self._warn(f"{name}: not scored: {self._broken[name]}")
        if self._progress.ended:
            self._progress.ended(end)

    def _out_of_money(self, end: ShardEnd) -> None:
        """Put the shard back; it goes on from its log when more of the budget is free."""
        name, before = end.task.shard.name, self._spent.get(end.task.shard.name, 0.0)
        self._spent[name] = max(before, end.spent)
        self._refused.add(name)
        if end.spent > before:
            self._left.append(end.task)
        else:
            self._stuck += 1  # nothing was spent, as with a model whose price is not known
            self._warn(f"{name}: not scored: {end.reason}")

    def outcome(self, bar: Bar) -> BatchOutcome:
        tally = ShardTally()
        for shard in self._plan.shards:
            if shard.name in self._facts:
                tally = tally.plus(self._facts[shard.name].tally)
        waiting = len(self._left) + len(self._under_way) + self._stuck
        whole = not waiting and not self._broken
        decision, reason = decide(tally.counts, bar)
        if not whole and decision == "passed":
            decision, reason = "unjudged", f"{waiting + len(self._broken)} shards are not scored; {reason}"
        return BatchOutcome(
            shards=len(self._plan.shards) + len(self._plan.unreadable),
            finished=len(self._facts),
            tally=tally,
            broken=tuple(BrokenShard(shard=name, reason=why) for name, why in sorted(self._broken.items())),
            waiting=waiting,
            refused=len(self._refused),
            retried=self._retried,
            cost=sum(self._spent.values()),
            unpriced=any(facts.unpriced for facts in self._facts.values()),
            decision=decision,
            reason=reason,
        )

    def _warn(self, text: str) -> None:
        if self._progress.warned:
            self._progress.warned(text)


def _pool(request: BatchRequest, shards: int) -> ShardPool:
    if request.on == "ray":
        from proctor.workflows.batch.ray_cluster import RayCluster  # noqa: PLC0415 - loads Ray

        return RayCluster(request.job, address=request.address, workers=request.workers)
    from proctor.workflows.batch.local_pool import LocalPool  # noqa: PLC0415

    return LocalPool(request.job, min(shards, request.workers or _processors()))


def _processors() -> int:
    import os  # noqa: PLC0415

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _identity(job: BatchJob) -> dict[str, Any]:
    """Return what decides the scores, after checking that the scorers can be made.

    Raises:
        InputError: there is no such scorer, or one lacks its model.
    """
    with Project(batch_config(job)) as project:
        grader_factory = batch_bench(job, project.model_pool())
        if not grader_factory.graders(Case(id="check")):
            hint = "name another scorer" + (", or leave --light out" if job.light else "")
            raise InputError("no scorer is left", hint=hint)
        hashes = dict(grader_factory.hashes())
    return {
        "scorers": dict(grader_factory.specs()),
        "hash": content_id([hashes, job.judges, job.light, job.suite, job.format]),
        "proctor": proctor.__version__,
    }


def _agreed(places: BatchPlaces, identity: dict[str, Any]) -> Path | None:
    """Return the folder that shards are named from, if the output folder has results of the same scorers.

    Raises:
        InputError: it has results of others.
    """
    try:
        before = loads(places.manifest.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}", file=str(places.manifest), hint="name another folder") from None
    if before.get("hash") != identity["hash"]:
        was = ", ".join(before.get("scorers") or ())
        raise InputError(
            f"holds results of other scorers or settings ({was})",
            file=str(places.out),
            hint="name another folder with -o, or remove this one",
        )
    return Path(str(before["root"]))


def _keep_manifest(places: BatchPlaces, identity: dict[str, Any], plan: ShardPlan) -> None:
    if not places.manifest.exists():
        _keep(places.manifest, {**identity, "root": plan.root})


def _keep(path: Path, data: Any) -> None:
    with whole_file(path) as draft:
        draft.out.write(dumps(data) + b"\n")


def _finished(places: BatchPlaces, shard: Shard) -> ShardFacts | None:
    """Return the facts of a shard that is finished and whose input has not changed since."""
    if not places.scores_of(shard.name).is_file():
        return None
    try:
        facts = decode(ShardFacts, loads(places.facts_of(shard.name).read_bytes()))
    except (OSError, ValueError, MalformedError):
        return None
    return facts if facts.content == shard.content else None


def _remove_drafts(places: BatchPlaces) -> None:
    """Remove what killed workers were writing."""
    try:
        for draft in places.out.rglob(".*.part"):
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot be written: {error.strerror}", file=str(places.out)) from error
