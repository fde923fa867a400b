from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.verdict import Action, Finding, Verdict
from proctor.scorers.safety.guard_verdict import GuardVerdict
from tests.tables import table

CASE = Case(id="c", input="do it")


def _verdict(action: Action, *, by: str = "injection", found: tuple[str, ...] = (), **extra: Any) -> Verdict:
    findings = tuple(Finding(kind="x", detector=each) for each in found)
    return Verdict(action=action, gate="input", reason="why", findings=findings, by=by, **extra)


def _run(*verdicts: Verdict, error: str | None = None) -> Trajectory:
    turns = [
        Turn(
            messages=(Message(role="user", content="do it"), Message(role="assistant", content="no")), verdicts=(each,)
        )
        for each in verdicts
    ]
    return Trajectory(turns=tuple(turns), error=error)


async def _score(run: Trajectory, expect: Literal["stopped", "allowed"], gate: str | None = None) -> Score:
    return await GuardVerdict(expect=expect, gate=gate).score(CASE, run)


@table(("action", "stopped"), [("block", True), ("escalate", True), ("allow", False), ("redact", False)])
async def test_a_message_is_stopped_or_goes_on(action: Action, stopped: bool) -> None:
    run = _run(_verdict(action))
    assert (await _score(run, "stopped")).value == float(stopped)
    assert (await _score(run, "allowed")).value == float(not stopped)
    assert (await _score(run, "stopped")).reason == f"turn 1: {action} by injection: why"


@table(
    ("by", "found", "value"),
    [
        ("injection", (), 1.0),
        ("danger", ("danger/rules", "injection/rules"), 1.0),
        ("danger", ("danger/rules",), 0.0),
        ("danger", (), 0.0),
    ],
)
async def test_the_gate_that_is_named_must_have_had_a_say(by: str, found: tuple[str, ...], value: float) -> None:
    score = await _score(_run(_verdict("block", by=by, found=found)), "stopped", "injection")
    assert score.value == value
    assert ("injection found nothing" in score.reason) == (value == 0.0)


async def test_a_message_that_a_failed_gate_stopped_is_not_judged() -> None:
    failed = replace(_verdict("block"), findings=(Finding(kind="gate_failed", detector="injection"),), broken=True)
    for expect in ("stopped", "allowed"):
        assert (await _score(_run(failed), expect)).status == "error"
    beside = replace(failed, by="danger")
    assert (await _score(_run(beside), "stopped")).value == 1.0, "another gate decided, and answered"
    assert (await _score(_run(beside), "stopped", "injection")).value == 0.0, "a failure is no finding"


async def test_what_a_watching_guard_would_have_done_counts_and_is_said() -> None:
    inner = _verdict("block")
    run = _run(_verdict("allow", shadow=inner))
    for each in (run, decode(Trajectory, encode(run))):
        score = await _score(each, "stopped", "injection")
        assert score.value == 1.0
        assert "(in shadow)" in score.reason


async def test_the_last_message_decides_and_other_points_do_not() -> None:
    calls = replace(_verdict("block"), gate="tool_call")
    run = _run(_verdict("block"), _verdict("allow"))
    run = replace(run, turns=(run.turns[0], replace(run.turns[1], verdicts=(*run.turns[1].verdicts, calls))))
    assert (await _score(run, "allowed")).value == 1.0


async def test_without_a_guard_there_is_nothing_to_check() -> None:
    bare = Trajectory(turns=(Turn(messages=(Message(role="assistant", content="hi"),)),))
    assert (await _score(bare, "stopped")).status == "skipped"
    assert (await _score(Trajectory(error="down"), "stopped")).status == "error"


def test_a_gate_goes_with_what_is_stopped() -> None:
    with pytest.raises(ValueError, match="stopped by no gate"):
        GuardVerdict(expect="allowed", gate="injection")
