from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from proctor.guard.deadline import Answer, Deadline, GateTask
from proctor.text.chunked_regex import breathe
from proctor.text.pii import find_pii
from tests.tables import table

LONG = 30.0  # seconds: more than any test takes


@pytest.fixture
def deadline() -> Iterator[Deadline]:
    made = Deadline()
    yield made
    made.close()


@pytest.fixture
def gate_open() -> Iterator[threading.Event]:
    """What holds a thread waits for this; it is opened at the end, so that no thread outlives its test."""
    event = threading.Event()
    yield event
    event.set()


def saying(value: Any) -> Callable[[], Any]:
    async def ask() -> Any:
        return value

    return ask


def blocking(event: threading.Event, value: Any = "late") -> Callable[[], Any]:
    async def ask() -> Any:
        event.wait()
        return value

    return ask


async def one(deadline: Deadline, ask: Callable[[], Any], timeout: float = LONG) -> Answer:  # noqa: ASYNC109
    (answer,) = await deadline.answers([GateTask(ask=ask, timeout=timeout)])
    return answer


async def test_answers_come_in_the_order_of_the_tasks(deadline: Deadline) -> None:
    async def slow() -> str:
        await asyncio.sleep(0.02)
        return "slow"

    answers = await deadline.answers([GateTask(ask=slow, timeout=LONG), GateTask(ask=saying("fast"), timeout=LONG)])
    assert [answer.value for answer in answers] == ["slow", "fast"]
    assert answers[0].seconds > answers[1].seconds > 0


async def test_gates_run_beside_the_callers_thread_unless_inline(deadline: Deadline) -> None:
    async def where() -> str:
        return threading.current_thread().name

    assert (await one(deadline, where)).value.startswith("proctor-guard-")
    inline = Deadline(inline=True)
    assert (await one(inline, where)).value == threading.current_thread().name


@table("error", [ValueError("no"), SystemExit(1), KeyboardInterrupt(), GeneratorExit()])
async def test_what_a_gate_raises_is_its_answer(deadline: Deadline, error: BaseException) -> None:
    async def ask() -> None:
        raise error

    assert (await one(deadline, ask)).error is not None
    assert (await one(deadline, saying(1))).value == 1
    assert deadline.replaced == 0


@pytest.mark.parametrize("inline", [False, True])
async def test_one_that_waits_too_long_is_cut_off(inline: bool) -> None:
    deadline = Deadline(inline=inline)
    cancelled = threading.Event()

    async def ask() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    answers = await deadline.answers([GateTask(ask=ask, timeout=0.05), GateTask(ask=saying("there"), timeout=LONG)])
    assert isinstance(answers[0].error, TimeoutError)
    assert answers[1].value == "there"
    await asyncio.sleep(0)
    assert await asyncio.to_thread(cancelled.wait, 5)
    assert deadline.replaced == 0
    deadline.close()


async def test_one_that_holds_its_thread_is_answered_for_in_time(
    deadline: Deadline, gate_open: threading.Event
) -> None:
    begun = time.monotonic()
    answer = await one(deadline, blocking(gate_open), timeout=0.2)
    assert isinstance(answer.error, TimeoutError)
    assert time.monotonic() - begun < 5  # it would be for ever


async def test_a_held_thread_is_replaced_and_the_others_lose_nothing(
    deadline: Deadline, gate_open: threading.Event
) -> None:
    held = asyncio.create_task(one(deadline, blocking(gate_open), timeout=2.0))
    await asyncio.sleep(0.05)
    innocent = await one(deadline, saying("there"), timeout=LONG)
    assert innocent.value == "there"
    assert deadline.stuck == 1
    assert deadline.replaced == 1
    assert isinstance((await held).error, TimeoutError)


async def test_work_that_had_begun_is_done_again_on_the_new_thread(
    deadline: Deadline, gate_open: threading.Event
) -> None:
    begun: list[str] = []

    async def innocent() -> str:
        begun.append(threading.current_thread().name)
        await asyncio.sleep(0.02)
        return "there"

    both = [GateTask(ask=innocent, timeout=LONG), GateTask(ask=blocking(gate_open), timeout=0.5)]
    answers = await deadline.answers(both)
    assert answers[0].value == "there"
    assert isinstance(answers[1].error, TimeoutError)
    assert len(set(begun)) == 2


async def test_what_was_taken_over_is_not_ended_when_the_old_thread_comes_back(
    deadline: Deadline, gate_open: threading.Event
) -> None:
    begun: list[str] = []

    async def innocent() -> str:
        begun.append(threading.current_thread().name)
        if len(begun) == 2:
            gate_open.set()  # the old thread is free again while the new one is at work
        await asyncio.sleep(0.2)
        return "there"

    tasks = [GateTask(ask=innocent, timeout=LONG), GateTask(ask=blocking(gate_open), timeout=LONG)]
    assert [answer.value for answer in await deadline.answers(tasks)] == ["there", "late"]
    assert len(begun) == 2


async def test_a_slow_one_may_still_answer_from_the_old_thread(deadline: Deadline, gate_open: threading.Event) -> None:
    held = asyncio.create_task(one(deadline, blocking(gate_open, "at last"), timeout=LONG))
    await asyncio.sleep(0.05)
    assert (await one(deadline, saying(1))).value == 1
    gate_open.set()
    assert (await held).value == "at last"
    for _ in range(200):
        if deadline.stuck == 0:
            break
        await asyncio.sleep(0.01)
    assert deadline.stuck == 0
    assert deadline.replaced == 1


async def test_with_too_many_held_threads_all_is_refused_at_once_until_one_comes_back(
    gate_open: threading.Event,
) -> None:
    deadline = Deadline(most_stuck=2)
    held = [asyncio.create_task(one(deadline, blocking(gate_open), timeout=LONG)) for _ in range(3)]
    while "held up" not in str((await one(deadline, saying(1), timeout=0.3)).error):
        pass
    names = [thread.name for thread in threading.enumerate()]
    refused = await one(deadline, saying(1), timeout=0.3)
    assert "held up" in str(refused.error)
    assert refused.seconds < 0.3
    patient = asyncio.create_task(one(deadline, saying("patient"), timeout=LONG))
    await asyncio.sleep(0.05)
    assert deadline.stuck == 2
    assert [thread.name for thread in threading.enumerate()] == names
    gate_open.set()
    assert [(await each).value for each in held] == ["late"] * 3
    assert (await patient).value == "patient"
    assert (await one(deadline, saying(1))).value == 1
    deadline.close()


async def test_a_gate_whose_own_task_holds_the_thread_is_answered_for_too(deadline: Deadline) -> None:
    over = threading.Event()

    async def ask() -> None:
        async def work() -> None:
            while not over.is_set():
                time.sleep(0.005)  # noqa: ASYNC251 - this is the point

        await asyncio.gather(work())

    try:
        assert isinstance((await one(deadline, ask, timeout=0.3)).error, TimeoutError)
        assert (await one(deadline, saying(1))).value == 1
    finally:
        over.set()


async def test_a_caller_that_gives_up_takes_its_gates_with_it(deadline: Deadline) -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def ask() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    caller = asyncio.create_task(one(deadline, ask, timeout=60.0))
    assert await asyncio.to_thread(begun.wait, 30)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await asyncio.to_thread(cancelled.wait, 5)


async def test_many_callers_at_once_each_get_their_own_answer(deadline: Deadline) -> None:
    async def call(number: int) -> Any:
        async def ask() -> int:
            await asyncio.sleep(0.001 * (number % 7))
            return number

        return (await one(deadline, ask)).value

    assert await asyncio.gather(*(call(number) for number in range(300))) == list(range(300))
    assert deadline.replaced == 0


def test_callers_on_several_loops_share_it(deadline: Deadline) -> None:
    found: list[Any] = []

    def work(number: int) -> None:
        found.append(asyncio.run(one(deadline, saying(number))).value)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))


async def test_the_callers_context_reaches_the_gate(deadline: Deadline) -> None:
    from contextvars import ContextVar

    word: ContextVar[str] = ContextVar("word", default="none")
    word.set("mine")

    async def ask() -> str:
        return word.get()

    assert (await one(deadline, ask)).value == "mine"


async def test_its_thread_ends_with_it() -> None:
    before = {thread for thread in threading.enumerate() if thread.name.startswith("proctor-guard-")}
    deadline = Deadline()
    await one(deadline, saying(1))
    mine = {thread for thread in threading.enumerate() if thread.name.startswith("proctor-guard-")} - before
    assert len(mine) == 1
    del deadline
    gc.collect()
    (thread,) = mine
    await asyncio.to_thread(thread.join, 5)
    assert not thread.is_alive()


async def test_nothing_asked_is_nothing_answered(deadline: Deadline) -> None:
    assert await deadline.answers([]) == []


async def test_closed_it_can_be_used_again(deadline: Deadline) -> None:
    assert (await one(deadline, saying(1))).value == 1
    deadline.close()
    deadline.close()
    assert (await one(deadline, saying(2))).value == 2


async def test_a_long_one_holds_up_no_other(deadline: Deadline, gate_open: threading.Event) -> None:
    held = [GateTask(ask=blocking(gate_open), timeout=LONG)]
    waiting = asyncio.create_task(deadline.answers(held, long=True))
    await asyncio.sleep(0)
    assert (await one(deadline, saying("short"))).value == "short"
    assert not gate_open.is_set()
    assert deadline.replaced == 0
    gate_open.set()
    assert [answer.value for answer in await waiting] == ["late"]


@pytest.mark.parametrize("long", [True, False])
async def test_work_on_a_long_text_ends_when_its_time_is_over(deadline: Deadline, long: bool) -> None:
    ended: list[str] = []
    text = "My card is 4111 1111 1111 1111 and my address is anna@mail-host.com, please. " * 100_000

    async def read() -> None:
        try:
            find_pii(text)
        except BaseException as error:
            ended.append(type(error).__name__)
            raise
        ended.append("read to its end")

    (answer,) = await deadline.answers([GateTask(ask=read, timeout=0.05)], long=long)
    assert isinstance(answer.error, TimeoutError)
    for _ in range(3000):
        if ended:
            break
        await asyncio.sleep(0.01)
    assert ended == ["GivenUp"]
    assert (await one(deadline, saying("next"))).value == "next"


async def test_work_that_a_caller_gives_up_ends_too(deadline: Deadline) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def work() -> None:
        begun.set()
        try:
            while True:
                breathe()
        finally:
            ended.set()

    caller = asyncio.create_task(one(deadline, work))
    assert await asyncio.to_thread(begun.wait, LONG)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await asyncio.to_thread(ended.wait, LONG)


async def test_a_task_that_given_up_work_has_started_goes_on(deadline: Deadline) -> None:
    """What is read for several callers at once must not end with the first of them."""
    told, over = threading.Event(), threading.Event()
    left: list[asyncio.Task[None]] = []

    async def shared() -> None:
        while not over.is_set():
            breathe()
            await asyncio.sleep(0.001)
        breathe()
        told.set()

    async def first() -> None:
        left.append(asyncio.get_running_loop().create_task(shared()))
        await asyncio.sleep(LONG)

    assert isinstance((await one(deadline, first, 0.05)).error, TimeoutError)
    over.set()
    assert await asyncio.to_thread(told.wait, LONG)
