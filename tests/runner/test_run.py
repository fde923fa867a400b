from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.errors import StoreError
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.runner.grade import Grader
from proctor.runner.run import Runner, Stopping
from proctor.runner.unit import unit_key, units
from tests.runner.test_grade import Fixed


@dataclass(kw_only=True)
class Echo:
    """Answers with the question, after whatever ``before`` does."""

    name: str = "echo"
    before: Callable[[Case], Any] | None = None
    asked: list[str] = field(default_factory=list)

    @property
    def spec(self) -> Mapping[str, Any]:
        return {"kind": "echo"}

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        self.asked.append(case.id)
        if self.before:
            await self.before(case)
        return Trajectory(turns=(Turn(messages=(Message(role="assistant", content=case.input or ""),)),))


@dataclass(kw_only=True)
class Memory:
    """A ledger in memory."""

    kept: dict[int, Trajectory] = field(default_factory=dict)
    results: dict[int, Result] = field(default_factory=dict)

    def finished(self, key: int) -> bool:
        return key in self.results

    def pending(self, key: int) -> Trajectory | None:
        return self.kept.get(key)

    def keep_trajectory(self, key: int, *, case: Case, target: str, sample: int, trajectory: Trajectory) -> None:
        self.kept[key] = trajectory

    def keep_result(self, key: int, result: Result) -> None:
        self.results[key] = result


def _cases(count: int) -> Iterator[Case]:
    for number in range(count):
        yield Case(id=f"c{number}", input=f"question {number}")


def _runner(ledger: Memory, **more: Any) -> Runner:
    grader = Grader(scorer=Fixed(given=Score(name="fixed", value=1.0)), name="fixed", threshold=0.5)
    return Runner(graders=lambda case: [grader], ledger=ledger, **more)


async def test_every_case_target_and_sample_gets_one_result() -> None:
    ledger = Memory()
    heard: list[Result] = []
    targets = [Echo(name="a"), Echo(name="b")]
    done = await _runner(ledger, concurrency=3, heard=heard.append).run(units(_cases(5), targets, 2))
    assert done
    assert len(ledger.results) == len(heard) == 20
    assert {(r.case.id, r.target, r.sample) for r in heard} == {
        (f"c{n}", t, s) for n in range(5) for t in "ab" for s in (0, 1)
    }


async def test_a_result_knows_its_place_in_the_suite_however_the_cases_finish() -> None:
    async def late(case: Case) -> None:
        await asyncio.sleep(0.02 if case.id == "c0" else 0)

    heard: list[Result] = []
    await _runner(Memory(), concurrency=3, heard=heard.append).run(units(_cases(3), [Echo(before=late)], 2))
    assert heard[-1].case.id == "c0"
    by_place = sorted(heard, key=lambda result: result.extra["place"])
    assert [(each.case.id, each.sample) for each in by_place] == [
        (f"c{n}", sample) for n in range(3) for sample in (0, 1)
    ]


async def test_no_more_than_the_limit_is_in_flight_and_cases_are_taken_as_they_are_needed() -> None:
    flying, most, taken = 0, 0, 0

    async def hold(case: Case) -> None:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        assert taken - len(ledger.results) <= 4
        await asyncio.sleep(0.001)
        flying -= 1

    def counted() -> Iterator[Case]:
        nonlocal taken
        for case in _cases(40):
            taken += 1
            yield case

    ledger = Memory()
    await _runner(ledger, concurrency=4).run(units(counted(), [Echo(before=hold)], 1))
    assert most == 4
    assert len(ledger.results) == 40


async def test_what_is_finished_is_not_asked_again_and_what_was_answered_is_only_graded() -> None:
    ledger, target = Memory(), Echo()
    await _runner(ledger).run(units(_cases(3), [target], 1))
    del ledger.results[unit_key("c1", "echo", 0)]  # answered, but killed before it was graded
    del ledger.results[unit_key("c2", "echo", 0)]
    del ledger.kept[unit_key("c2", "echo", 0)]
    target.asked.clear()
    await _runner(ledger).run(units(_cases(3), [target], 1))
    assert target.asked == ["c2"]
    assert len(ledger.results) == 3


async def test_a_target_that_breaks_its_promise_is_one_error_record() -> None:
    async def break_second(case: Case) -> None:
        if case.id == "c1":
            raise RuntimeError("boom")

    ledger = Memory()
    assert await _runner(ledger).run(units(_cases(3), [Echo(before=break_second)], 1))
    outcomes = {r.case.id: r.outcome for r in ledger.results.values()}
    assert outcomes == {"c0": "pass", "c1": "unscored", "c2": "pass"}
    assert "boom" in ledger.results[unit_key("c1", "echo", 0)].reason


async def test_a_target_that_hangs_is_one_error_record() -> None:
    async def hang(case: Case) -> None:
        if case.id == "c0":
            await asyncio.sleep(60)

    ledger = Memory()
    await _runner(ledger, timeout=0.05).run(units(_cases(2), [Echo(before=hang)], 1))
    assert ledger.results[unit_key("c0", "echo", 0)].trajectory.error_kind == "timeout"
    assert ledger.results[unit_key("c1", "echo", 0)].outcome == "pass"


async def test_asked_once_it_finishes_what_is_in_flight() -> None:
    stopping, ledger = Stopping(), Memory()

    async def stop_at_third(case: Case) -> None:
        await asyncio.sleep(0.01)
        if case.id == "c2":
            stopping.ask()

    done = await _runner(ledger, concurrency=4).run(units(_cases(50), [Echo(before=stop_at_third)], 1), stopping)
    assert not done
    assert 4 <= len(ledger.results) == len(ledger.kept) < 50


async def test_it_hears_the_asking_though_no_unit_ever_waits() -> None:
    """A signal is heard when the loop comes round: recorded answers and exact scorers never let it by themselves."""
    stopping, ledger = Stopping(), Memory()
    asyncio.get_running_loop().call_soon(stopping.ask)
    assert not await _runner(ledger, concurrency=1).run(units(_cases(50), [Echo()], 1), stopping)
    assert len(ledger.results) <= 2


async def test_asked_when_the_last_are_in_flight_it_is_done_all_the_same() -> None:
    stopping, ledger = Stopping(), Memory()

    async def stop(case: Case) -> None:
        stopping.ask()

    assert await _runner(ledger, concurrency=1).run(units(_cases(1), [Echo(before=stop)], 1), stopping)


async def test_asked_twice_it_drops_what_is_in_flight() -> None:
    stopping, ledger = Stopping(), Memory()

    async def stop_twice(case: Case) -> None:
        if case.id == "c0":
            stopping.ask()
            stopping.ask()
        await asyncio.sleep(60)

    async with asyncio.timeout(5):
        assert not await _runner(ledger, concurrency=2).run(units(_cases(5), [Echo(before=stop_twice)], 1), stopping)
    assert ledger.results == {}


async def test_when_nothing_can_be_kept_the_run_stops_and_says_so() -> None:
    class Full(Memory):
        def keep_result(self, key: int, result: Result) -> None:
            if len(self.results) == 3:
                raise StoreError("the disk is full")
            super().keep_result(key, result)

    ledger = Full()
    with pytest.raises(StoreError, match="full"):
        await _runner(ledger, concurrency=2).run(units(_cases(50), [Echo()], 1))
    assert len(ledger.results) == 3


def test_units_are_told_apart() -> None:
    keys = {unit_key(c, t, s) for c in ("a", "ab", "\ud800") for t in ("b", "") for s in (0, 1)}
    assert len(keys) == 12
