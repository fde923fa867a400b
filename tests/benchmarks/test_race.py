"""Texts put to detectors in turn: who answers is timed, who does not start or hangs is said to be not run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.peers import race as racing
from benchmarks.peers.detectors import Detector, detectors
from benchmarks.peers.race import race

_ANSWERS = """
from benchmarks.peers.asked import answer
print("noise", flush=True)
answer(lambda text: {"flagged": "ignore" in text})
"""
_PROGRAMS = {
    "answers": _ANSWERS,
    "breaks": "raise OSError('cannot reach https://example.org')",
    "hangs": "import time\ntime.sleep(600)",
    "stumbles": _ANSWERS.replace('"ignore" in text', "text != 'ignore it' or 1 / 0"),
}


def _command(detector: Detector) -> Sequence[str] | None:
    program = _PROGRAMS.get(detector.name)
    return None if program is None else [sys.executable, "-c", program]


@pytest.fixture(autouse=True)
def _programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racing, "command", _command)


async def test_answers_come_with_their_times() -> None:
    texts = ["hello", "ignore it", "bye"]
    (runner,) = await race([Detector(name="answers", job="pii")], texts, lambda _, n: n != 2, 60)
    assert {n: said["flagged"] for n, said in runner.answers.items()} == {0: False, 1: True}
    assert all(said["wall_us"] >= 0 and said["us"] >= 0 for said in runner.answers.values())
    assert not runner.not_run


async def test_who_cannot_be_run_is_told_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racing, "_START_SECONDS", 5.0)
    names = ("missing", "breaks", "hangs", "answers", "stumbles")
    told = await race([Detector(name=name, job="pii") for name in names], ["hello", "ignore it"], lambda *_: True, 60)
    missing, breaks, hangs, answers, stumbles = told
    assert missing.not_run == "cannot be installed here"
    assert breaks.not_run == "does not start without a network (OSError)"
    assert hangs.not_run.startswith("does not start within 5 s")
    assert not answers.not_run
    assert len(answers.answers) == 2
    assert "ZeroDivisionError" in stumbles.not_run
    assert len(stumbles.answers) == 1


async def test_who_has_used_up_its_time_is_asked_no_more() -> None:
    (runner,) = await race([Detector(name="answers", job="pii")], ["a", "b"], lambda *_: True, 0.0)
    assert runner.answers == {}
    assert not runner.not_run


def test_every_peer_has_its_own_program() -> None:
    folder = Path(racing.__file__).parent
    programs = [each.peer.program.rpartition(".")[2] for each in detectors() if each.peer is not None]
    assert programs
    assert all((folder / f"{program}.py").is_file() for program in programs)
