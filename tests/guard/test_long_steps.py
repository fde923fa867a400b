"""Long texts give way: while short steps wait, their thread pauses, and the pauses are not counted as their work."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from time import monotonic
from types import SimpleNamespace

import pytest

from proctor.core.work_clock import CURRENT_CLOCK, WorkClock
from proctor.guard import worker
from proctor.guard.deadline import Deadline, GateTask
from proctor.text.chunked_regex import breathe

LONG = 30.0


@pytest.fixture
def deadline() -> Iterator[Deadline]:
    made = Deadline()
    yield made
    made.close()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that a thread takes; they take no time here."""
    told: list[float] = []
    monkeypatch.setattr(worker, "time", SimpleNamespace(sleep=told.append))
    return told


async def _work_in_pieces() -> str:
    for _ in range(3):
        begun = monotonic()
        while monotonic() - begun < 2 * worker._STRETCH:
            pass
        breathe()
    return "read"


async def _asked(deadline: Deadline, *, long: bool, others: int) -> str:
    """Ask one while so many short ones wait."""
    done = threading.Event()

    async def wait() -> None:
        await asyncio.to_thread(done.wait)

    waiting = [asyncio.create_task(deadline.answers([GateTask(ask=wait, timeout=LONG)])) for _ in range(others)]
    while deadline.waiting < others:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    try:
        (answer,) = await deadline.answers([GateTask(ask=_work_in_pieces, timeout=LONG)], long=long)
    finally:
        done.set()
        await asyncio.gather(*waiting)
    return str(answer.value)


async def test_a_long_step_pauses_between_its_pieces_while_short_ones_wait(
    deadline: Deadline, pauses: list[float]
) -> None:
    assert await _asked(deadline, long=True, others=3) == "read"
    assert len(pauses) == 3
    assert all(min(3 * 2 * worker._STRETCH, worker._LONGEST_PAUSE) <= pause for pause in pauses)
    assert max(pauses) <= worker._LONGEST_PAUSE


@pytest.mark.parametrize(("long", "others"), [(True, 0), (False, 3)])
async def test_nobody_else_pauses(deadline: Deadline, pauses: list[float], long: bool, others: int) -> None:
    assert await _asked(deadline, long=long, others=others) == "read"
    assert pauses == []


async def test_pauses_are_not_counted_as_work(deadline: Deadline, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of pauses pass, by a clock that only the pauses move, and the job has worked for none of them."""
    moved = 0.0

    def clock() -> float:
        return monotonic() + moved

    def sleep(seconds: float) -> None:
        nonlocal moved
        moved += 100.0  # it overslept by far

    monkeypatch.setattr(worker, "monotonic", clock)
    monkeypatch.setattr("proctor.core.work_clock.monotonic", clock)
    monkeypatch.setattr(worker, "time", SimpleNamespace(sleep=sleep))
    spent: list[float] = []

    async def work() -> None:
        await _work_in_pieces()
        mine = CURRENT_CLOCK.get()
        assert isinstance(mine, WorkClock)
        spent.append(mine.spent)

    lone = worker.Worker(1, crowd=lambda: 1)
    batch = worker.Batch(asyncio.get_running_loop(), 1)
    job = worker.GateJob(work, LONG, batch)
    lone.give([job])
    await batch.wait(LONG)
    lone.end()
    lone.join(LONG)
    assert moved == 300.0
    assert job.error is None
    assert 0.0 < spent[0] < 100.0
