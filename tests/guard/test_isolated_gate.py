from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import pytest

from proctor.core.verdict import Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.deadline import Deadline
from proctor.guard.engine import Plan, Watch
from proctor.guard.isolated_gate import IsolatedGate
from proctor.guard.session import Session
from proctor.guard.step import Step
from tests.guard.hanging_gates import Pathological, Unsendable

LONG = 60.0
HANGS = "a" * 5_000 + "!"


@pytest.fixture
def gate() -> Iterator[IsolatedGate]:
    made = IsolatedGate(Pathological(), seconds=LONG)
    yield made
    made.close()


@pytest.fixture
def deadline() -> Iterator[Deadline]:
    made = Deadline()
    yield made
    made.close()


async def checked(gate: Any, deadline: Deadline, text: str, timeout: float = LONG, **more: Any) -> Verdict:  # noqa: ASYNC109
    posts = (Post(gate=gate, name="pathological", timeout=timeout, **more),)
    return (await Chain(point="input", posts=posts, deadline=deadline).decide(Step(point="input", text=text))).parts[0]


async def test_it_answers_from_another_process_with_all_its_verdict_says(
    gate: IsolatedGate, deadline: Deadline
) -> None:
    first, second = await checked(gate, deadline, "aaa"), await checked(gate, deadline, "bbb")
    assert (first.action, second.action, first.version) == ("block", "allow", "3")
    assert first.reason.split()[0] == second.reason.split()[0] != str(os.getpid())
    hidden = await checked(gate, deadline, "my secret here")
    assert (hidden.action, hidden.text) == ("redact", "my [x] here")


async def test_it_reads_what_the_session_knows(gate: Any, deadline: Deadline) -> None:
    posts = (Post(gate=gate, name="pathological", timeout=LONG),)
    watch = Watch(Plan(chains={"input": Chain(point="input", posts=posts, deadline=deadline)}))
    session = Session(watch, id="s-1")
    await session.input("Mail anna@mail-host.com")
    verdict = await session.input("bbb")
    assert verdict.reason.split()[1:] == ["s-1", "1"]


@pytest.mark.parametrize("on_failure", ["block", "escalate", "allow"])
async def test_code_that_holds_the_interpreter_is_ended_at_its_deadline_and_nobody_waits_for_it(
    gate: IsolatedGate, deadline: Deadline, on_failure: Any
) -> None:
    assert (await checked(gate, deadline, "bbb")).action == "allow"
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    pulse = asyncio.create_task(beat())
    verdict = await checked(gate, deadline, HANGS, timeout=0.5, on_failure=on_failure)
    pulse.cancel()
    assert (verdict.action, verdict.broken) == (on_failure, True)
    assert "no answer within 0.5 s" in verdict.reason
    assert beats > 5
    assert (await checked(gate, deadline, "bbb")).action == "allow"  # a new process
    assert deadline.stuck == 0


async def test_those_who_wait_behind_one_that_hangs_are_answered(gate: IsolatedGate, deadline: Deadline) -> None:
    await checked(gate, deadline, "bbb")
    hanging = asyncio.create_task(checked(gate, deadline, HANGS, timeout=0.5))
    await asyncio.sleep(0.1)
    behind = await asyncio.gather(*(checked(gate, deadline, "bbb", timeout=20.0) for _ in range(3)))
    assert [each.action for each in behind] == ["allow"] * 3
    assert (await hanging).broken


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("crash", "its process ended with 7"),
        ("raise", "nothing here"),
        ("nonsense", "str, which is no verdict"),
        ("odd", "cannot be taken from another process"),
    ],
)
async def test_a_crash_or_nonsense_is_a_broken_verdict(
    gate: IsolatedGate, deadline: Deadline, text: str, words: str
) -> None:
    verdict = await checked(gate, deadline, text)
    assert (verdict.action, verdict.broken) == ("block", True)
    assert words in verdict.reason
    assert (await checked(gate, deadline, "bbb")).action == "allow"


def test_a_gate_that_cannot_be_sent_is_refused_when_it_is_made() -> None:
    with pytest.raises(ValueError, match=r"cannot be sent to another process.*holds a connection"):
        IsolatedGate(Unsendable(), seconds=1.0)


async def test_its_process_ends_with_it(deadline: Deadline) -> None:
    gate = IsolatedGate(Pathological(), seconds=LONG)
    pid = int((await checked(gate, deadline, "bbb")).reason.split()[0])
    gate.close()
    for _ in range(1000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the process still runs")
