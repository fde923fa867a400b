"""Two models of one endpoint and key: one limit is found out and shared, two limits are kept apart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest
from tests.models.wrap.staging import Counting, Server, ask, fixed_window, in_virtual_time
from tests.models.wrap.test_limit import WINDOWS
from tests.tables import table

from proctor.core.sockets import Model
from proctor.models.wrap.limit import Limited, Limiter
from proctor.models.wrap.quota import Quota
from proctor.models.wrap.retry import Retrying

CALLS = 400
IDEAL = CALLS / 30
Plan = Callable[[int, int], Sequence[int]]  # the case's number and how many models there are: which are asked in turn


def each_in_turn(case: int, models: int) -> Sequence[int]:
    """A target and its judge: one is asked after the other."""
    return [step % models for step in range(2)] if models == 2 else [case % models, (case + 1) % models]


def mostly_the_first(case: int, models: int) -> Sequence[int]:
    """Three cases of four are the first model's."""
    return [0, 0] if case % 4 else [1, 1]


def finish(
    servers: Sequence[Server], *, plan: Plan = each_in_turn, shared: bool = True, workers: int = 50
) -> tuple[float, Quota]:
    """Seconds until all calls are answered."""

    async def work() -> tuple[float, Quota]:
        clock = asyncio.get_running_loop().time
        quota = Quota(clock=clock)
        models: list[Model] = []
        for number, server in enumerate(servers):
            own = quota if shared else Quota(clock=clock)
            limiter = Limiter(f"m{number}", workers, workers, clock=clock, quota=own)
            models.append(Retrying(model=Limited(model=server, limiter=limiter), clock=clock))
        left = iter(range(CALLS // 2))

        async def worker() -> None:
            for case in left:
                for number in plan(case, len(models)):
                    await models[number].complete(ask(str(case)))

        await asyncio.gather(*(worker() for _ in range(workers)))
        return clock(), quota

    return in_virtual_time(work)


@table("plan", [each_in_turn, mostly_the_first])
@table("latency", [0.02, 0.5])
@table("counting", [make for _, make in WINDOWS], ids=[name for name, _ in WINDOWS])
def test_two_models_on_one_limit_take_about_the_time_of_one(
    counting: Callable[[], Counting], latency: float, plan: Plan
) -> None:
    server = Server(counting(), latency=latency)
    seconds, _ = finish([server, server], plan=plan)
    assert server.answered == CALLS
    assert seconds <= 1.2 * IDEAL


@pytest.mark.parametrize("plan", [each_in_turn, mostly_the_first])
def test_a_limit_that_each_learns_alone_takes_much_longer(plan: Plan) -> None:
    together, quota = finish([Server(fixed_window(30, 1), latency=0.02)] * 2, plan=plan)
    apart, _ = finish([Server(fixed_window(30, 1), latency=0.02)] * 2, plan=plan, shared=False)
    assert quota.is_shared
    assert apart > 1.4 * together


@pytest.mark.parametrize("count", [3, 5])
def test_more_models_share_it_too(count: int) -> None:
    server = Server(fixed_window(30, 1))
    seconds, _ = finish([server] * count)
    assert seconds <= 1.2 * IDEAL


@table(("slow", "fast"), [(10, 100), (10, 20), (20, 30), (30, 30)])
def test_models_with_a_limit_each_are_not_held_to_the_slower_one(slow: int, fast: int) -> None:
    servers = [Server(fixed_window(slow, 1)), Server(fixed_window(fast, 1))]
    seconds, _ = finish(servers)
    alone = [Server(fixed_window(slow, 1)), Server(fixed_window(fast, 1))]
    apart, _ = finish(alone, shared=False)
    assert seconds <= 1.1 * apart


def test_a_model_that_is_never_refused_is_never_slowed() -> None:
    limited, free = Server(fixed_window(5, 1)), Server(lambda now: True)
    ends: dict[str, float] = {}

    async def work() -> bool:
        clock = asyncio.get_running_loop().time
        quota = Quota(clock=clock)

        async def all_of(name: str, server: Server, calls: int) -> None:
            limiter = Limiter(name, 20, 20, clock=clock, quota=quota)
            model = Retrying(model=Limited(model=server, limiter=limiter), clock=clock)
            left = iter(range(calls))

            async def worker() -> None:
                for number in left:
                    await model.complete(ask(str(number)))

            await asyncio.gather(*(worker() for _ in range(20)))
            ends[name] = clock()

        await asyncio.gather(all_of("limited", limited, 60), all_of("free", free, 2_000))
        return quota.is_shared

    assert not in_virtual_time(work)
    assert ends["free"] <= 1.2 * 2_000 / 20 * 0.058
    assert ends["limited"] <= 1.25 * 60 / 5
