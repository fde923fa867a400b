"""The limiter: never more than its limit, never a lost slot, and close to what each kind of server allows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.wrap.staging import (
    Counting,
    Server,
    Told,
    VirtualLoop,
    ask,
    fixed_window,
    in_virtual_time,
    overload,
    refusal,
    sliding_window,
    token_bucket,
)
from tests.profiles import examples
from tests.tables import table

from proctor.core.chat import Reply
from proctor.core.errors import RateLimitedError, RejectedError
from proctor.core.sockets import Model
from proctor.models.wrap.limit import Limited, Limiter
from proctor.models.wrap.retry import Retrying


def virtual_limiter(limit: int = 50) -> Limiter:
    return Limiter("sim", limit, limit, clock=asyncio.get_running_loop().time)


async def work_through(model: Model, calls: int, workers: int) -> float:
    """Seconds until all calls are answered."""
    left = iter(range(calls))

    async def worker() -> None:
        for number in left:
            await model.complete(ask(str(number)))

    await asyncio.gather(*(worker() for _ in range(workers)))
    return asyncio.get_running_loop().time()


def time_to_finish(server: Server, *, calls: int = 400, workers: int = 50) -> tuple[float, Limiter]:
    async def work() -> tuple[float, Limiter]:
        limiter = virtual_limiter(workers)
        clock = asyncio.get_running_loop().time
        model = Retrying(model=Limited(model=server, limiter=limiter), clock=clock)
        return await work_through(model, calls, workers), limiter

    return in_virtual_time(work)


WINDOWS: list[tuple[str, Callable[[], Counting]]] = [
    ("fixed", lambda: fixed_window(30, 1)),
    ("fixed, about to turn", lambda: fixed_window(30, 1, phase=0.99)),
    ("fixed, half over", lambda: fixed_window(30, 1, phase=0.5)),
    ("sliding", lambda: sliding_window(30, 1)),
    ("bucket", lambda: token_bucket(30, 1)),
    ("large bucket", lambda: token_bucket(30, 1, size=100)),
]


@table("refuse_late", [False, True], ids=["refused at once", "refused late"])
@table("latency", [0.0, 0.05, 0.5])
@table("counting", [make for _, make in WINDOWS], ids=[name for name, _ in WINDOWS])
def test_thirty_a_second_takes_little_longer_than_it_must(
    counting: Callable[[], Counting], latency: float, refuse_late: bool
) -> None:
    server = Server(counting(), latency=latency, refuse_late=refuse_late)
    seconds, _ = time_to_finish(server)
    assert server.answered == 400
    assert seconds <= 1.2 * 400 / 30


@table("counting", [make for _, make in WINDOWS], ids=[name for name, _ in WINDOWS])
def test_a_server_that_names_no_wait_is_found_out_too(counting: Callable[[], Counting]) -> None:
    server = Server(counting(), retry_after=None)
    seconds, _ = time_to_finish(server)
    assert server.answered == 400
    assert seconds <= 1.2 * 400 / 30


def test_slow_calls_are_not_starved_of_room_by_a_limit_on_their_rate() -> None:
    server = Server(fixed_window(30, 1), latency=2.0)
    seconds, limiter = time_to_finish(server)
    assert server.answered == 400
    assert seconds <= 1.25 * 400 / 50 * 2.0 * 1.1  # fifty at once, each 2.2 s on average
    assert limiter.limit > 25


def test_a_minute_window_is_waited_out() -> None:
    server = Server(fixed_window(100, 60), retry_after=10.0)
    seconds, _ = time_to_finish(server, calls=250)
    assert server.answered == 250
    assert seconds <= 1.2 * 150
    assert server.early == 0


def test_no_call_starts_before_the_wait_is_over() -> None:
    server = Server(token_bucket(5, 1), retry_after=2.5)
    time_to_finish(server, calls=60, workers=20)
    assert server.refused > 0
    assert server.early == 0


def test_without_refusals_every_call_runs_at_once() -> None:
    server = Server(lambda now: True, latency=1.0)
    seconds, limiter = time_to_finish(server, calls=50)
    assert seconds < 1.5
    assert limiter.limit == 50
    assert limiter.rate is None
    assert limiter.history == [(0.0, 50, "start")]


async def test_one_cut_for_all_refusals_of_one_episode() -> None:
    limiter = Limiter("x", 16)
    started = [limiter.try_enter() for _ in range(16)]
    for each in started:
        assert each is not None
        limiter.refused(each, 0.0)
    assert limiter.limit == 8
    assert limiter.in_flight == 0
    assert [limit for _, limit, _ in limiter.history] == [16, 8]


async def test_a_second_episode_cuts_again_only_when_something_got_through_between() -> None:
    now = 0.0
    limiter = Limiter("x", 16, clock=lambda: now)

    def refuse_one() -> None:
        nonlocal now
        now += 10
        started = limiter.try_enter()
        assert started is not None
        limiter.refused(started, 0.5)

    refuse_one()
    assert limiter.limit == 8
    refuse_one()
    assert limiter.limit == 8  # the same episode goes on
    now += 10
    started = limiter.try_enter()
    assert started is not None
    limiter.succeeded(started)
    refuse_one()
    assert limiter.limit == 4


async def test_successes_let_the_limit_grow_and_five_hundreds_hold_it() -> None:
    now = 0.0
    limiter = Limiter("x", 4, 6, clock=lambda: now)

    def succeed(times: int) -> None:
        for _ in range(times):
            started = limiter.try_enter()
            assert started is not None
            limiter.succeeded(started)

    succeed(3)
    assert limiter.limit == 4
    succeed(1)
    assert limiter.limit == 5
    assert limiter.try_enter() is not None
    limiter.overloaded()
    succeed(20)
    assert limiter.limit == 5
    now += 6
    succeed(20)
    assert limiter.limit == 6  # and never over its ceiling
    assert [why for _, _, why in limiter.history] == ["start", "grew"]


def test_a_five_hundred_cuts_nothing() -> None:
    limiter = Limiter("x", 8)
    assert limiter.try_enter() is not None
    limiter.overloaded()
    assert (limiter.limit, limiter.in_flight) == (8, 0)


def test_the_limit_never_falls_under_its_floor() -> None:
    now = 0.0
    limiter = Limiter("x", 8, floor=3, clock=lambda: now)
    for _ in range(5):
        for end in (limiter.succeeded, lambda started: limiter.refused(started, 0.0)):
            now += 10
            started = limiter.try_enter()
            assert started is not None
            end(started)
    assert limiter.limit == 3


def test_the_history_is_bounded_and_keeps_its_beginning() -> None:
    now = 0.0
    limiter = Limiter("x", 1000, clock=lambda: now)
    for _ in range(2000):
        now += 1000
        if (started := limiter.try_enter()) is not None:
            limiter.succeeded(started)
        if (started := limiter.try_enter()) is not None:
            limiter.refused(started, 0.1)
    assert len(limiter.history) <= 256
    assert limiter.history[0] == (0.0, 1000, "start")
    assert [step[0] for step in limiter.history] == sorted(step[0] for step in limiter.history)


async def test_a_refusal_in_a_quiet_hour_does_not_slow_a_busy_one() -> None:
    now = 0.0
    limiter = Limiter("x", 20, clock=lambda: now)
    for _ in range(3):
        now += 100
        started = limiter.try_enter()
        assert started is not None
        limiter.succeeded(started)
    now += 100
    started = limiter.try_enter()
    assert started is not None
    limiter.refused(started, 1.0)  # somebody else used up the quota
    now += 2
    assert sum(limiter.try_enter() is not None for _ in range(10)) == 10
    assert limiter.rate is None


async def test_the_queue_is_first_come_first_served() -> None:
    limiter = Limiter("x", 1)
    order: list[int] = []

    async def call(number: int) -> None:
        await limiter.enter()
        order.append(number)
        await asyncio.sleep(0)
        limiter.left()

    await asyncio.gather(*(call(number) for number in range(20)))
    assert order == list(range(20))


async def test_a_wait_beyond_all_patience_is_told_to_everyone_at_once() -> None:
    model = Told(answers=[refusal(3600.0)])
    limited = Limited(model=model, limiter=Limiter("x", 2, patience=600.0))
    with pytest.raises(RateLimitedError, match="slow down"):
        await limited.complete(ask())
    with pytest.raises(RateLimitedError, match="pause of another") as caught:
        await asyncio.wait_for(limited.complete(ask()), 5)
    assert caught.value.retry_after is not None
    assert caught.value.retry_after > 3000
    assert len(model.asked) == 1


async def test_other_errors_give_the_slot_back() -> None:
    model = Told(answers=[RejectedError("wrong"), overload(), refusal(0.0)])
    limiter = Limiter("x", 1)
    limited = Limited(model=model, limiter=limiter)
    for _ in range(3):
        with pytest.raises((RejectedError, RateLimitedError, type(overload()))):
            await limited.complete(ask())
    assert limiter.in_flight == 0
    assert limited.name == "told:model"


@settings(max_examples=examples(60))
@given(
    limit=st.integers(1, 8),
    plan=st.lists(
        st.tuples(
            st.sampled_from(["ok", "429", "429 bare", "503", "bad"]),
            st.floats(0, 2),  # when it is asked
            st.floats(0, 1),  # how long it takes
            st.none() | st.floats(0, 3),  # when it is cancelled
        ),
        min_size=1,
        max_size=40,
    ),
)
def test_never_over_the_limit_and_never_a_lost_slot(
    limit: int, plan: list[tuple[str, float, float, float | None]]
) -> None:
    async def work() -> None:
        limiter = virtual_limiter(limit)
        running = 0
        broken: list[tuple[int, int]] = []

        class Endpoint:
            name = "endpoint"

            def __init__(self, how: str, takes: float) -> None:
                self.how, self.takes = how, takes

            async def complete(self, request: object) -> Reply:
                nonlocal running
                running += 1
                if not running <= limiter.in_flight <= limiter.ceiling:
                    broken.append((running, limiter.in_flight))
                try:
                    await asyncio.sleep(self.takes)
                finally:
                    running -= 1
                errors = {"429": refusal(0.3), "429 bare": refusal(), "503": overload(), "bad": RejectedError("bad")}
                if self.how in errors:
                    raise errors[self.how]
                return Reply(text="ok")

        async def call(how: str, at: float, takes: float) -> None:
            await asyncio.sleep(at)
            await Limited(model=Endpoint(how, takes), limiter=limiter).complete(ask())

        tasks = []
        for how, at, takes, cancelled in plan:
            task = asyncio.ensure_future(call(how, at, takes))
            if cancelled is not None:
                asyncio.get_running_loop().call_later(cancelled, task.cancel)
            tasks.append(task)
        await asyncio.gather(*tasks, return_exceptions=True)
        assert broken == []
        assert (limiter.in_flight, limiter.waiting, running) == (0, 0, 0)
        assert limiter.floor <= limiter.limit <= limiter.ceiling
        # Every slot is still there: as many calls as the limit run side by side again.
        while limiter.in_flight < limiter.limit:
            await asyncio.wait_for(limiter.enter(), 3600)
        assert limiter.try_enter() is None

    in_virtual_time(work)


def test_virtual_time_passes_only_while_everyone_waits() -> None:
    async def work() -> float:
        await asyncio.sleep(3600)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        return loop.time()

    assert in_virtual_time(work) == pytest.approx(3600)
