from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from proctor.core.sockets import socket
from proctor.core.step import Point
from proctor.core.verdict import Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.deadline import Deadline
from proctor.guard.engine import Plan
from proctor.guard.step import Step
from proctor.wiring import guard_warmup
from proctor.wiring.guard import Guard
from proctor.wiring.wrap_target import guarded


@dataclass(frozen=True, kw_only=True)
class Loads:
    """A gate that needs longer for its first answer than it is given."""

    name: ClassVar[str] = "loads"
    version: ClassVar[str] = "1"

    mark: str = ""
    seconds: float = 1.3
    trouble: bool = False
    asked: list[str] = field(default_factory=list, compare=False)

    async def check(self, step: Step) -> Verdict:
        self.asked.append(step.text)
        if self.trouble:
            raise RuntimeError("no weights")
        if len(self.asked) == 1:
            await asyncio.sleep(self.seconds)
        return Verdict(action="allow", gate=self.name)


@dataclass(frozen=True, kw_only=True)
class AsksElsewhere(Loads):
    """A gate with a model that somebody is paid for."""

    judge: object = socket()


@pytest.fixture
def cold() -> Iterator[Callable[..., Guard]]:
    made: list[Guard] = []

    def build(*gates: Loads) -> Guard:
        deadline = Deadline()
        guard = Guard(_plan(deadline, *gates), deadline=deadline)
        guard._warmth.begin()
        made.append(guard)
        return guard

    yield build
    for guard in made:
        guard.close()


def _plan(deadline: Deadline, *gates: Loads) -> Plan:
    posts = tuple(Post(gate=gate, name=f"loads{n}", timeout=1.0) for n, gate in enumerate(gates))
    chains: Mapping[Point, Chain] = {"input": Chain(point="input", posts=posts, deadline=deadline)}
    return Plan(chains=chains)


def _cold(guard: Guard) -> bool:
    return guard._watch.ready is not None


def test_without_it_the_first_message_would_be_blocked(cold: Callable[..., Guard]) -> None:
    guard = cold(Loads())
    guard._watch.ready = None
    verdict = guard.sync.session().input("hello")
    assert (verdict.action, verdict.broken) == ("block", True)


def test_loading_is_not_held_against_a_gate(cold: Callable[..., Guard]) -> None:
    gate = Loads()
    guard = cold(gate)
    verdict = guard.sync.session().input("hello")
    assert (verdict.action, verdict.broken) == ("allow", False)
    assert verdict.latency is not None
    assert verdict.latency < gate.seconds
    assert len(gate.asked) == 2
    assert not _cold(guard)
    assert guarded(lambda text: text, cold(Loads()))("hello") == "hello"


def test_who_writes_in_another_script_waits_for_what_that_needs(cold: Callable[..., Guard]) -> None:
    plain, foreign = Loads(), Loads()
    cold(plain).sync.session().input("hello")
    cold(foreign).sync.session().input("नमस्ते")
    assert plain.asked[0].isascii()
    assert "नमस्ते" in foreign.asked[0] != foreign.asked[1] == "नमस्ते"


async def test_the_async_doors_wait_too(cold: Callable[..., Guard]) -> None:
    assert (await cold(Loads()).session().input("hello")).action == "allow"
    assert (await cold(Loads()).check(Step(point="input", text="hello"))).action == "allow"


async def test_all_who_come_meanwhile_wait_for_one_warm_up(cold: Callable[..., Guard]) -> None:
    gate = Loads()
    guard = cold(gate)
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(guard.sync.session().input("hello").action)) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    here = await asyncio.gather(*(guard.session().input("hello") for _ in range(5)))
    for thread in threads:
        await asyncio.to_thread(thread.join)
    assert found + [verdict.action for verdict in here] == ["allow"] * 10
    assert len([text for text in gate.asked if text != "hello"]) == 1


@pytest.mark.parametrize("gate", [Loads(trouble=True), Loads(seconds=60)], ids=["raises", "hangs"])
def test_a_gate_that_cannot_be_warmed_answers_for_itself(
    cold: Callable[..., Guard], gate: Loads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard_warmup, "_PATIENCE", 1.5)
    guard = cold(gate)
    first = guard.sync.session().input("hello")
    assert (first.action, first.broken) == (("block", True) if gate.trouble else ("allow", False))
    assert len(gate.asked) == 2
    assert not _cold(guard)


def test_a_warm_up_that_fails_itself_is_no_reason_to_raise(
    cold: Callable[..., Guard], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*args: Any, **named: Any) -> None:
        raise RuntimeError("no thread to be had")

    monkeypatch.setattr(guard_warmup, "warm_up", fails)
    guard = cold(Loads(seconds=60))
    verdict = guard.sync.session().input("hello")
    assert (verdict.action, verdict.broken) == ("block", True)


async def test_a_caller_who_gives_up_leaves_the_warm_up_to_the_next(cold: Callable[..., Guard]) -> None:
    gate = Loads()
    guard = cold(gate)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(guard.session().input("hello"), 0.05)
    assert _cold(guard)
    assert (await guard.session().input("hello")).action == "allow"
    assert gate.asked[-1] == "hello"


def test_what_is_not_of_this_machine_is_not_asked_unless_told(cold: Callable[..., Guard]) -> None:
    gate = AsksElsewhere(judge=object(), seconds=0.0)
    guard = cold(gate)
    guard.sync.session().input("hello")
    assert gate.asked == ["hello"]
    guard.sync.warm()
    assert len(gate.asked) == 2


def test_with_new_settings_only_new_gates_are_waited_for(cold: Callable[..., Guard]) -> None:
    guard = cold(Loads(mark="a"))
    guard.sync.session().input("hello")
    same, other = Loads(mark="a", asked=["before"]), Loads(mark="b")
    guard._watch.plan = _plan(guard._deadline, same, other)
    guard._warmth.begin()
    assert guard.sync.session().input("hello").action == "allow"
    assert same.asked == ["before", "hello"]
    assert len(other.asked) == 2


def test_a_guard_from_a_file_begins_cold_and_so_does_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "proctor.yaml"
    path.write_text("guard:\n  input: [{banned: [attack]}]\n  output: []\n", encoding="utf-8")
    guard = Guard.from_config(path, record=False, reload=False)
    try:
        assert _cold(guard)
        assert guarded(lambda text: text, guard)("hello") == "hello"
        assert not _cold(guard)
        path.write_text("guard:\n  input: [{banned: [storm]}]\n  output: []\n", encoding="utf-8")
        os.utime(path, ns=(time.time_ns(), time.time_ns()))
        assert guard.reload()
        assert _cold(guard)
        guard.sync.warm()
        assert not _cold(guard)
    finally:
        guard.close()


COMPILED = """
import asyncio, sys, threading
from proctor.guard import prefetch
from proctor.text.pattern_prefilter import _every
from proctor.wiring.guard import Guard

def compiled():
    return "phonenumbers" in sys.modules and all(len(each._made) == len(each.patterns) for each in _every)

async def main():
    guard = Guard.from_config(sys.argv[1], record=False)
    if sys.argv[2] == "asked":
        await guard.warm()
    else:
        assert (await guard.session().input("Where is my parcel?")).action == "allow"
        done = threading.Event()
        prefetch.begin(lambda: iter([done.set()]))  # behind what was begun before
        assert done.wait(60)
    assert compiled()
    guard.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["asked", "after the first message"])
def test_no_message_waits_for_patterns_to_be_compiled(way: str, tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("guard: {input: [pii, danger, premises]}\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", COMPILED, str(tmp_path), way], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
