"""A deadline on a machine on which no thread gets its share: what the looks were late by is not held against a job."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from proctor.guard import deadline as deadline_module
from proctor.guard.capacity import OverCapacityError
from proctor.guard.deadline import Deadline
from proctor.guard.worker import Batch, GateJob

TIMEOUT = 0.5


class _Machine:
    """A clock, and a batch whose every wait takes as much longer than it should as the test says."""

    def __init__(self, late: Callable[[int], float]) -> None:
        self.now, self.waits = 0.0, 0
        self._late = late

    def __call__(self) -> float:
        return self.now

    async def wait(self, seconds: float) -> None:
        self.now += seconds + self._late(self.waits)
        self.waits += 1
        await asyncio.sleep(0)


class _Job:
    """A job that is at work from the beginning, by the machine's clock, until it has worked for ``needs`` seconds."""

    worker = None
    timeout = TIMEOUT

    def __init__(self, machine: _Machine, *, needs: float) -> None:
        self._machine, self._needs = machine, needs
        self.error: BaseException | None = None

    @property
    def spent(self) -> float:
        return self._machine.now

    @property
    def done(self) -> bool:
        return self.error is not None or self.spent >= self._needs

    def end(self, value: Any = None, error: BaseException | None = None) -> None:
        self.error = error


async def _outcome(machine: _Machine, monkeypatch: pytest.MonkeyPatch, *, needs: float) -> BaseException | None:
    monkeypatch.setattr(deadline_module, "monotonic", machine)
    job = _Job(machine, needs=needs)
    await Deadline()._wait([cast("GateJob", job)], cast("Batch", machine), 0.0)
    return job.error


async def test_a_job_is_given_the_time_that_the_machine_kept_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(lambda wait: 2.0 if wait == 0 else 0.0)  # the whole process stood still for two seconds
    assert await _outcome(machine, monkeypatch, needs=2.3) is None


async def test_lateness_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(lambda wait: 0.1)  # each look takes twice as long as it should
    assert await _outcome(machine, monkeypatch, needs=0.9) is None


async def test_a_job_that_takes_too_long_on_an_idle_machine_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(lambda wait: 0.0)
    assert isinstance(await _outcome(machine, monkeypatch, needs=0.9), TimeoutError)
    assert machine.now == pytest.approx(TIMEOUT, abs=0.01)


async def test_lateness_gives_no_more_than_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(lambda wait: 2.0 if wait == 0 else 0.0)
    assert isinstance(await _outcome(machine, monkeypatch, needs=60.0), TimeoutError)
    assert machine.now == pytest.approx(2.0 + TIMEOUT, abs=0.01)


async def test_looks_that_come_early_take_no_time_away(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(lambda wait: -0.05 if wait < 3 else 0.0)
    assert await _outcome(machine, monkeypatch, needs=0.45) is None


async def test_a_job_that_only_waits_is_over_capacity_however_late_the_looks_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = _Machine(lambda wait: 5.0)
    monkeypatch.setattr(_Job, "spent", 0.0)
    assert isinstance(await _outcome(machine, monkeypatch, needs=60.0), OverCapacityError)
