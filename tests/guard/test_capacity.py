"""A gate's deadline counts its own work; waiting behind others is bounded apart from it and told as over capacity."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pytest

from proctor.core.step import POINTS
from proctor.core.trajectory import Source
from proctor.core.verdict import Verdict
from proctor.core.work_clock import CURRENT_CLOCK
from proctor.guard.capacity import OVER_CAPACITY, OverCapacityError, QueueLimits, is_busy, over_capacity
from proctor.guard.chain import Chain, Post
from proctor.guard.deadline import Deadline, GateTask
from proctor.guard.engine import Plan, Watch
from proctor.guard.session import Session
from proctor.guard.step import Step

LONG = 30.0


@pytest.fixture
def deadline() -> Iterator[Deadline]:
    made = Deadline()
    yield made
    made.close()


@pytest.fixture
def gate_open() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Works:
    """Holds its thread for a moment, starts a task that does too, and waits for a line that all share."""

    name: ClassVar[str] = "works"
    version: ClassVar[str] = "1"

    line: Line

    async def check(self, step: Step) -> Verdict:
        time.sleep(0.001)  # noqa: ASYNC251 - this is the point
        await asyncio.gather(self._more())
        await self.line.wait()
        return Verdict(action="allow")

    async def _more(self) -> None:
        time.sleep(0.001)  # noqa: ASYNC251


class Line:
    """A queue behind which each waits for its turn, as the batches of a network are; one for each thread of gates.

    A machine that is busy with other things may hold a thread for so long that the guard goes on in another.
    """

    def __init__(self) -> None:
        self.locks: dict[asyncio.AbstractEventLoop, asyncio.Lock] = {}

    async def wait(self) -> None:
        clock = CURRENT_CLOCK.get()
        assert clock is not None
        with clock.queued():
            async with self.locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                await asyncio.sleep(0.001)


async def test_none_of_six_hundred_harmless_steps_is_blocked_by_waiting(deadline: Deadline) -> None:
    timeout = 0.4  # all together work for far longer, and each waits for all before it
    posts = (Post(gate=Works(line=Line()), name="works", timeout=timeout),)
    chains = {point: Chain(point=point, posts=posts, deadline=deadline) for point in POINTS}
    watch = Watch(Plan(chains=chains))
    longest = 0.0

    async def converse() -> list[Verdict]:
        nonlocal longest
        session = Session(watch)
        asked = [
            session.input("My name is Anna Berg."),
            session.tool_call("get_booking", {"code": "A1"}),
            session.tool_result("get_booking", {"status": "confirmed"}),
            session.output("It is confirmed."),
            session.input("Thank you."),
            session.output("You can cancel it.", sources=["It can be cancelled."]),
        ]
        told = [await each for each in asked]
        longest = max(longest, *(each.latency or 0.0 for each in told))
        return told

    told = [each for some in await asyncio.gather(*(converse() for _ in range(100))) for each in some]
    assert [verdict.reason for verdict in told if verdict.action != "allow"] == []
    assert len(told) == 600
    assert longest > timeout  # else nobody waited, and nothing is shown
    assert deadline.busy == 0
    assert deadline.waiting == 0


async def test_a_step_that_finds_the_queue_full_is_over_capacity(gate_open: threading.Event) -> None:
    deadline = Deadline(limits=QueueLimits(steps=2))

    async def wait() -> str:
        await asyncio.to_thread(gate_open.wait)
        return "there"

    held = [asyncio.create_task(deadline.answers([GateTask(ask=wait, timeout=LONG)])) for _ in range(2)]
    while deadline.waiting < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    (refused,) = await deadline.answers([GateTask(ask=wait, timeout=LONG)])
    assert isinstance(refused.error, OverCapacityError)
    assert deadline.busy == 1
    gate_open.set()
    assert [(await each)[0].value for each in held] == ["there", "there"]
    assert (await deadline.answers([GateTask(ask=wait, timeout=LONG)]))[0].value == "there"
    assert (deadline.busy, deadline.waiting) == (1, 0)
    deadline.close()


async def queued_for(seconds: float) -> str:
    clock = CURRENT_CLOCK.get()
    assert clock is not None
    with clock.queued():
        await asyncio.sleep(seconds)
    return "there"


@pytest.mark.parametrize("inline", [False, True])
async def test_time_in_a_queue_is_no_time_of_the_gate_but_is_bounded_too(inline: bool) -> None:
    deadline = Deadline(inline=inline, limits=QueueLimits(seconds=LONG))
    (answer,) = await deadline.answers([GateTask(ask=lambda: queued_for(0.4), timeout=0.2)])
    assert answer.value == "there"
    deadline.limits = QueueLimits(seconds=0.2)
    (answer,) = await deadline.answers([GateTask(ask=lambda: queued_for(LONG), timeout=LONG)])
    assert isinstance(answer.error, OverCapacityError)
    deadline.close()


@pytest.mark.parametrize("inline", [False, True])
async def test_a_patient_deadline_bounds_no_queue(inline: bool) -> None:
    deadline = Deadline(inline=inline, patient=True, limits=QueueLimits(steps=1, seconds=0.1))
    tasks = [GateTask(ask=lambda: queued_for(0.4), timeout=0.2) for _ in range(2)]
    told = await asyncio.gather(*(deadline.answers([task], long=True) for task in tasks))
    assert [answer.value for (answer,) in told] == ["there", "there"]
    deadline.close()


async def test_what_a_gate_itself_awaits_is_its_time(deadline: Deadline) -> None:
    async def child() -> None:
        await asyncio.sleep(LONG)

    async def ask() -> None:
        await asyncio.gather(child(), child())

    (answer,) = await deadline.answers([GateTask(ask=ask, timeout=0.1)])
    assert isinstance(answer.error, TimeoutError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Waits in a queue for as long as it is told."""

    name: ClassVar[str] = "waits"
    version: ClassVar[str] = "1"

    seconds: float = LONG
    asked: list[Step] = field(default_factory=list)

    async def check(self, step: Step) -> Verdict:
        self.asked.append(step)
        await queued_for(self.seconds)
        return Verdict(action="allow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """Says one thing."""

    name: ClassVar[str] = "says"
    version: ClassVar[str] = "1"

    verdict: Any

    async def check(self, step: Step) -> Verdict:
        return self.verdict  # type: ignore[no-any-return]


@pytest.mark.parametrize("on_failure", ["allow", "escalate", "block"])
async def test_over_capacity_fails_closed_with_its_own_cause(on_failure: Any) -> None:
    deadline = Deadline(limits=QueueLimits(seconds=0.1))
    posts = (Post(gate=Waits(), name="waits", timeout=LONG, on_failure=on_failure),)
    verdict = (
        await Chain(point="input", posts=posts, deadline=deadline).decide(Step(point="input", text="hi"))
    ).verdict
    assert (verdict.action, verdict.broken, is_busy(verdict)) == ("block", True, True)
    assert "the guard is over capacity" in verdict.reason
    assert "`queue`" in verdict.reason
    assert [each.kind for each in verdict.findings] == [OVER_CAPACITY]
    deadline.close()


@pytest.mark.parametrize("first", [True, False])
async def test_a_gate_that_blocks_for_a_cause_goes_before_one_that_is_busy(first: bool) -> None:
    deadline = Deadline(limits=QueueLimits(seconds=0.1))
    posts = [
        Post(gate=Says(verdict=Verdict(action="block", reason="an attack")), name="says", timeout=LONG),
        Post(gate=Waits(), name="waits", timeout=LONG),
    ]
    chain = Chain(point="input", posts=tuple(posts if first else posts[::-1]), deadline=deadline)
    verdict = (await chain.decide(Step(point="input", text="hi"))).verdict
    assert verdict.reason == "an attack"
    assert not is_busy(verdict)
    deadline.close()


def test_a_verdict_that_lets_pass_is_never_busy() -> None:
    assert is_busy(over_capacity("waits", "1", "why"))
    assert not is_busy(Verdict(action="allow", broken=True, busy=True))
    assert not is_busy(Verdict(action="block", busy=True))


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"seconds": 0.0}, {"seconds": float("inf")}])
def test_limits_that_let_nothing_through_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        QueueLimits(**wrong)


@pytest.mark.parametrize("on_failure", ["allow", "escalate", "block"])
async def test_a_step_that_is_too_long_is_blocked_unread(on_failure: Any) -> None:
    gate = Waits(seconds=0.0)
    posts = (Post(gate=gate, name="waits", on_failure=on_failure),)
    chain = Chain(point="output", posts=posts, version="3", most_chars=20)
    long = (
        Step(point="output", text="x" * 21),
        Step(point="output", text="short", sources=(Source(id="a", text="y" * 16),)),
    )
    for step in long:
        verdict = (await chain.decide(step)).verdict
        assert (verdict.action, verdict.broken, verdict.by, verdict.version) == ("block", True, "guard", "3")
        assert "21 characters, and at most 20 are read" in verdict.reason
        assert "`most_chars`" in verdict.reason
        assert verdict.latency is not None
    assert gate.asked == []
    assert (await chain.decide(Step(point="output", text="x" * 20))).verdict.action == "allow"
    assert len(gate.asked) == 1
    chain.deadline.close()


class ReadsLess(Waits):
    """Reads at most ten characters, whatever the guard's limit is."""

    most_chars = 10


async def test_the_hint_names_a_gate_that_no_higher_limit_helps() -> None:
    step = Step(point="input", text="x" * 21)
    short = Post(gate=ReadsLess(seconds=0.0), name="short")
    chain = Chain(point="input", posts=(short,), most_chars=20)
    reason = (await chain.decide(step)).verdict.reason
    assert reason.endswith("split it; the gate short reads at most 10, whatever `most_chars` of the guard is")
    assert "raise" not in reason
    posts = (Post(gate=Waits(seconds=0.0), name="acts"), replace(short, shadow=True))
    watching = Chain(point="input", posts=posts, most_chars=20)
    assert "raise `most_chars`" in (await watching.decide(step)).verdict.reason
    chain.deadline.close()
    watching.deadline.close()


async def test_gates_that_only_watch_stop_no_long_step() -> None:
    gate = Waits(seconds=0.0)
    chain = Chain(point="input", posts=(Post(gate=gate, name="waits", shadow=True),), most_chars=20)
    assert (await chain.decide(Step(point="input", text="x" * 21))).verdict.action == "allow"
    assert len(gate.asked) == 1
    chain.deadline.close()
