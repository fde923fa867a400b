"""Callers who wait at the same time share a call, equal items are computed once, and failure reaches its callers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

import pytest

from proctor.core.work_clock import CURRENT_CLOCK, WorkClock
from proctor.models.local.batcher import Batcher


class Doubling:
    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.threads: set[int] = set()

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.calls.append(list(items))
        self.threads.add(threading.get_ident())
        return [2 * item for item in items]


async def test_callers_who_wait_together_share_a_call() -> None:
    work = Doubling()
    batcher = Batcher(work)
    answers = await asyncio.gather(*(batcher.ask([i, i + 100]) for i in range(10)))
    assert answers == [[2 * i, 2 * i + 200] for i in range(10)]
    assert len(work.calls) < 10
    assert threading.get_ident() not in work.threads


async def test_equal_items_are_computed_once_and_remembered() -> None:
    work = Doubling()
    batcher = Batcher(work)
    assert await batcher.ask([3, 3, 4]) == [6, 6, 8]
    assert await batcher.ask([4, 3]) == [8, 6]
    assert sorted(item for call in work.calls for item in call) == [3, 4]


async def test_what_is_remembered_is_bounded() -> None:
    work = Doubling()
    batcher = Batcher(work, keep=2)
    await batcher.ask([1, 2, 3])
    await batcher.ask([1])
    assert [item for call in work.calls for item in call].count(1) == 2


async def test_a_batch_is_no_larger_than_said() -> None:
    work = Doubling()
    await Batcher(work, most=4).ask(list(range(11)))
    assert [len(call) for call in work.calls] == [4, 4, 3]


async def test_too_few_or_too_many_answers_reach_every_caller_as_a_failure() -> None:
    for wrong in ([1], [1, 2, 3]):
        batcher: Batcher[int, int] = Batcher(lambda items, wrong=wrong: wrong)  # type: ignore[misc]
        for _ in range(2):  # and nobody waits for ever for the next
            found = await asyncio.wait_for(asyncio.gather(batcher.ask([7, 8]), return_exceptions=True), 5)
            assert [type(each) for each in found] == [ValueError]


async def test_failure_reaches_the_caller_and_is_not_remembered() -> None:
    healthy = False

    def work(items: Sequence[int]) -> list[int]:
        if not healthy:
            raise ValueError("broken weights")
        return list(items)

    batcher = Batcher(work)
    with pytest.raises(ValueError, match="broken weights"):
        await batcher.ask([1])
    healthy = True
    assert await batcher.ask([1]) == [1]


async def test_a_caller_who_gives_up_does_not_take_the_answer_from_others() -> None:
    started, leave = threading.Event(), threading.Event()

    def work(items: Sequence[int]) -> list[int]:
        started.set()
        leave.wait(5)
        return list(items)

    batcher = Batcher(work)
    first = asyncio.create_task(batcher.ask([1]))
    await asyncio.to_thread(started.wait, 5)
    second = asyncio.create_task(batcher.ask([2]))
    third = asyncio.create_task(batcher.ask([2]))
    await asyncio.sleep(0)
    second.cancel()
    leave.set()
    assert await third == [2]
    assert await first == [1]


async def test_what_nobody_waits_for_any_more_is_not_computed() -> None:
    started, leave = threading.Event(), threading.Event()
    computed: list[int] = []

    def work(items: Sequence[int]) -> list[int]:
        computed.extend(items)
        started.set()
        leave.wait(5)
        return list(items)

    batcher = Batcher(work)
    first = asyncio.create_task(batcher.ask([1]))
    await asyncio.to_thread(started.wait, 5)
    gone = [asyncio.create_task(batcher.ask([2, 3])) for _ in range(2)]
    other = asyncio.create_task(batcher.ask([3]))
    await asyncio.sleep(0)
    for each in gone:
        each.cancel()
    await asyncio.gather(*gone, return_exceptions=True)
    leave.set()
    assert (await first, await other) == ([1], [3])
    assert computed == [1, 3]
    assert await batcher.ask([2]) == [2]  # asked again, it is computed
    assert computed == [1, 3, 2]


async def test_one_that_is_asked_again_while_it_waits_is_computed() -> None:
    started, leave = threading.Event(), threading.Event()

    def work(items: Sequence[int]) -> list[int]:
        started.set()
        leave.wait(5)
        return list(items)

    batcher = Batcher(work)
    first = asyncio.create_task(batcher.ask([1]))
    await asyncio.to_thread(started.wait, 5)
    gone = asyncio.create_task(batcher.ask([2]))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    again = asyncio.create_task(batcher.ask([2]))
    await asyncio.sleep(0)
    leave.set()
    assert (await first, await again) == ([1], [2])


def test_several_event_loops_may_use_it() -> None:
    batcher = Batcher(Doubling())
    assert asyncio.run(batcher.ask([1])) == [2]
    assert asyncio.run(batcher.ask([2])) == [4]


async def test_nothing_asked_nothing_computed() -> None:
    work = Doubling()
    assert await Batcher(work).ask([]) == []
    assert work.calls == []


async def test_what_is_remembered_is_bounded_in_letters() -> None:
    calls: list[list[str]] = []

    def work(items: Sequence[str]) -> list[int]:
        calls.append(list(items))
        return [len(item) for item in items]

    batcher = Batcher(work, letters=10)
    assert await batcher.ask(["a" * 6, "b" * 6, "c" * 11]) == [6, 6, 11]
    await batcher.ask(["b" * 6])  # the last that fitted
    assert len(calls) == 1
    await batcher.ask(["a" * 6])
    await batcher.ask(["c" * 11])
    assert calls[1:] == [["a" * 6], ["c" * 11]]


async def test_a_batch_is_bounded_in_letters_too() -> None:
    calls: list[list[tuple[str, str]]] = []

    def work(items: Sequence[tuple[str, str]]) -> list[int]:
        calls.append(list(items))
        return [0 for _ in items]

    await Batcher(work).ask([("x" * 20_000, str(i)) for i in range(3)])
    assert [len(call) for call in calls] == [1, 1, 1]


async def test_what_is_being_computed_is_not_computed_again() -> None:
    calls: list[list[int]] = []
    begun, go_on = threading.Event(), threading.Event()

    def work(items: Sequence[int]) -> list[int]:
        calls.append(list(items))
        begun.set()
        assert go_on.wait(30)
        return list(items)

    batcher = Batcher(work)
    first = asyncio.ensure_future(batcher.ask([1]))
    await asyncio.to_thread(begun.wait, 30)
    second = asyncio.ensure_future(batcher.ask([1]))
    await asyncio.sleep(0.01)
    go_on.set()
    assert [await first, await second] == [[1], [1]]
    assert calls == [[1]]


async def test_what_is_settled_at_once_goes_to_no_thread_and_is_remembered() -> None:
    work, asked = Doubling(), list[int]()

    def settle(item: int) -> int | None:
        asked.append(item)
        return -item if item % 2 else None

    batcher = Batcher(work, settle=settle)
    assert await batcher.ask([3, 4]) == [-3, 8]
    assert await batcher.ask([3, 4]) == [-3, 8]
    assert (work.calls, asked) == ([[4]], [3, 4])


async def test_many_items_and_long_ones_do_not_hold_up_the_loop() -> None:
    work = Doubling()
    batcher = Batcher(work, settle=lambda item: -item)
    assert await batcher.ask([1, 2, 3, 4, 5]) == [2, 4, 6, 8, 10]
    long: Batcher[str, int] = Batcher(lambda texts: [len(text) for text in texts], settle=lambda _text: 0)
    assert await long.ask(["a" * 1000, "b" * 1001]) == [0, 1001]


FORKED = """
import asyncio, os
from proctor.core.work_clock import CURRENT_CLOCK, WorkClock
from proctor.models.local.batcher import Batcher

batcher = Batcher(lambda items: [2 * item for item in items])
assert asyncio.run(batcher.ask([1])) == [2]
child = os.fork()
assert asyncio.run(asyncio.wait_for(batcher.ask([2]), 30)) == [4]
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def test_a_forked_worker_hires_its_own_threads() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr


async def test_two_networks_are_at_work_at_once_for_one_message() -> None:
    both = threading.Barrier(2, timeout=30)

    def work(items: Sequence[int]) -> list[int]:
        both.wait()  # goes on only when the other one is here too
        return list(items)

    one, other = Batcher(work), Batcher(work)
    for number in (1, 2):  # and again when both threads are free
        assert list(await asyncio.gather(one.ask([number]), other.ask([number]))) == [[number], [number]]


async def test_many_items_go_one_batch_after_the_other() -> None:
    at_work: list[int] = []
    most: list[int] = []

    def work(items: Sequence[int]) -> list[int]:
        at_work.append(1)
        most.append(len(at_work))
        time.sleep(0.02)
        at_work.pop()
        return list(items)

    batchers = [Batcher(work) for _ in range(4)]
    await asyncio.gather(*(each.ask([1, 2, 3]) for each in batchers))
    assert most == [1] * 4


async def test_a_batch_that_fails_leaves_its_place_to_the_next() -> None:
    both = threading.Barrier(2, timeout=30)

    def broken(items: Sequence[int]) -> list[int]:
        both.wait()
        raise ValueError("no weights")

    one, other = Batcher(broken), Batcher(broken)
    for number in (1, 2, 3):
        told = await asyncio.gather(one.ask([number]), other.ask([number]), return_exceptions=True)
        assert all(isinstance(each, ValueError) for each in told)


async def test_an_item_that_cannot_be_settled_holds_up_nobody_who_waits_for_another() -> None:
    work = Doubling()

    def settle(item: int) -> int | None:
        if item == 2:
            raise ValueError("broken first stage")
        return None

    batcher = Batcher(work, settle=settle)
    with pytest.raises(ValueError, match="first stage"):
        await batcher.ask([1, 2])
    assert batcher._lines[asyncio.get_running_loop()].lanes[0].worker is not None
    assert await asyncio.wait_for(batcher.ask([1]), 30) == [2]
    assert work.calls == [[1]]


def test_what_is_remembered_is_counted_right_from_several_threads() -> None:
    batcher: Batcher[str, int] = Batcher(lambda texts: [len(text) for text in texts], letters=40)

    def remember(first: int) -> None:
        for number in range(4000):
            batcher._remember("x" * (1 + (first + number) % 37), number)

    before = sys.getswitchinterval()
    threads = [threading.Thread(target=remember, args=(first,)) for first in range(0, 32, 8)]
    sys.setswitchinterval(1e-6)
    try:
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    finally:
        sys.setswitchinterval(before)
    assert batcher._held == sum(map(len, batcher._known)) <= 40


def test_a_count_that_is_wrong_breaks_nothing() -> None:
    batcher: Batcher[str, int] = Batcher(lambda texts: [len(text) for text in texts], letters=10)
    batcher._held = 1000
    batcher._remember("abc", 3)
    assert not batcher._known


async def test_waiting_for_a_batch_is_no_work_of_the_caller_and_its_batch_counts_by_its_share() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def compute(items: Sequence[str]) -> list[str]:
        begun.set()
        while not go_on.is_set():
            pass
        ends = time.thread_time() + 0.05
        while time.thread_time() < ends:
            pass
        return list(items)

    batcher = Batcher(compute)
    clocks: list[WorkClock] = []

    async def ask(text: str) -> None:
        clock = WorkClock()
        clocks.append(clock)
        CURRENT_CLOCK.set(clock)
        assert await batcher.ask([text]) == [text]

    first = asyncio.create_task(ask("first"))
    await asyncio.to_thread(begun.wait, 30)
    behind = [asyncio.create_task(ask(f"{number}" * 10)) for number in range(4)]
    while clocks[0].spent < 0.2:  # noqa: ASYNC110 - a clock has no event
        await asyncio.sleep(0.01)  # they wait behind the first, which works
    waited = [clock.spent for clock in clocks[1:]]
    assert max(waited) < 0.1 < clocks[0].spent
    go_on.set()
    await asyncio.gather(first, *behind)
    shares = [clock.spent - before for clock, before in zip(clocks[1:], waited, strict=True)]
    assert all(share > 0.05 / 4 / 2 for share in shares)
    assert clocks[0].spent > 0.2


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="the system has no clock of one thread")
async def test_a_batch_without_a_processor_is_no_work_of_the_caller() -> None:
    def compute(items: Sequence[str]) -> list[str]:
        time.sleep(0.3)  # as on a machine where other programs have all processors
        return list(items)

    clock = WorkClock()
    CURRENT_CLOCK.set(clock)
    await Batcher(compute).ask(["alone"])
    assert clock.spent < 0.2


async def test_a_short_item_does_not_wait_behind_a_long_one() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def compute(items: Sequence[str]) -> list[int]:
        if len(items[0]) > 1000:
            begun.set()
            go_on.wait(30)
        return [len(item) for item in items]

    batcher = Batcher(compute)
    long = asyncio.create_task(batcher.ask(["x" * 100_000]))
    await asyncio.to_thread(begun.wait, 30)
    assert await batcher.ask(["short"]) == [5]
    assert not long.done()
    go_on.set()
    assert await long == [100_000]
