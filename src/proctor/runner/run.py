"""Run units from a stream with limited concurrency, storing each result at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from proctor.core.attack import ATTACK
from proctor.core.case import Case
from proctor.core.record import dataclass
from proctor.core.report import Result
from proctor.core.sockets import Ledger, TimeLimited
from proctor.core.trajectory import Trajectory
from proctor.runner.grade import Grader, grade
from proctor.runner.unit import Unit

__all__ = ["Runner", "Stopping"]


class Stopping:
    """A request to end a run early: first after the units in flight, then immediately."""

    def __init__(self) -> None:
        self.asked = False
        self._workers: list[asyncio.Task[None]] = []

    def ask(self) -> None:
        """Start no more units; those in flight finish. A second call cancels them."""
        if self.asked:
            for worker in self._workers:
                worker.cancel()
        self.asked = True

    def watch(self, workers: list[asyncio.Task[None]]) -> None:
        """Set the tasks to cancel on the second request."""
        self._workers = workers


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs units on their targets and grades the results.

    ``graders`` returns the graders of a case. ``ledger`` stores what is finished; ``heard`` is called with each
    new result, for the progress line. ``refusals`` counts the calls that the budget refused: a unit left unscored
    while it rises is marked, so that a resumed run retries it.
    """

    graders: Callable[[Case], Sequence[Grader]]
    ledger: Ledger
    concurrency: int = 50
    timeout: float | None = None
    heard: Callable[[Result], None] | None = None
    refusals: Callable[[], int] | None = None

    async def run(self, work: Iterable[Unit], stopping: Stopping | None = None) -> bool:
        """Run every unit that has no result yet; return true if nothing was left out.

        A stop request while the last units are in flight does not leave anything out.

        Raises:
            StoreError: results can no longer be stored. Earlier results are safe.
        """
        stopping = stopping or Stopping()
        stream = iter(work)
        workers = [asyncio.create_task(self._work(stream, stopping)) for _ in range(self.concurrency)]
        stopping.watch(workers)
        try:
            done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
            for worker in done:
                if not worker.cancelled() and (error := worker.exception()):
                    raise error
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        dropped = any(worker.cancelled() for worker in workers)
        return not dropped and next(stream, None) is None

    async def _work(self, stream: Iterator[Unit], stopping: Stopping) -> None:
        while not stopping.asked:
            unit = next(stream, None)
            if unit is None:
                return
            if not self.ledger.finished(unit.key):
                await self._one(unit)
            await asyncio.sleep(0)  # recorded answers and exact scorers never yield, so Ctrl-C would not be handled

    async def _one(self, unit: Unit) -> None:
        started, clock = datetime.now(UTC), time.perf_counter()
        refusals = self.refusals or int
        before = refusals()
        trajectory = self.ledger.pending(unit.key)
        if trajectory is None or trajectory.error is not None:
            trajectory = await self._put(unit)
            self.ledger.keep_trajectory(
                unit.key, case=unit.case, target=unit.target.name, sample=unit.sample, trajectory=trajectory
            )
        graded = await grade(unit.case, trajectory, self.graders(unit.case))
        refused = trajectory.error_kind == "budget" or refusals() != before
        result = Result(
            case=unit.case,
            target=unit.target.name,
            sample=unit.sample,
            trajectory=trajectory,
            scores=graded.scores,
            outcome=graded.outcome,
            value=graded.value,
            reason=graded.reason,
            started=started,
            duration=time.perf_counter() - clock,
            extra={
                "place": unit.place,
                **({"refused": "budget"} if refused and graded.outcome == "unscored" else {}),
            },
        )
        self.ledger.keep_result(unit.key, result)
        if self.heard:
            self.heard(result)

    async def _put(self, unit: Unit) -> Trajectory:
        target, limit = unit.target, self.timeout
        if ATTACK in unit.case.metadata and isinstance(target, TimeLimited):
            target, limit = target.within(limit), None  # attempt and twin have the whole time each
        try:
            async with asyncio.timeout(limit):
                return await target.run(unit.case, sample=unit.sample)
        except TimeoutError:
            message = f"no answer within {self.timeout:g} s" if self.timeout else "timed out"
            return Trajectory(target=unit.target.name, error=message, error_kind="timeout")
        except Exception as error:  # a broken target is one error record, never a lost run
            message = f"the target broke: {type(error).__name__}: {error}"[:500]
            return Trajectory(target=unit.target.name, error=message, error_kind="target")
