"""The answer that failed is judged again by the checks of its test, and a test that cannot fail is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proctor.config import Config, Environment, load_config
from proctor.core.case import Case, Check
from proctor.core.chat import Message
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.wiring.scorers import PRIMARY
from proctor.workflows.promote.judged_again import why_not_failed

SIGNALS = ("score/grounded",)
GROUNDED = Check(scorer="grounded", settings={"light": True})
SAID = (
    Message(role="user", content="Was kostet der Dispokredit?"),
    Message(role="assistant", content="Der Dispokredit ist kostenlos."),
)
FAILED = Trajectory(
    turns=(Turn(messages=SAID, sources=(Source(id="fees", text="Der Dispokredit kostet 9,9 % im Jahr."),)),)
)


def _config(folder: Path) -> Config:
    path = folder / "proctor.yaml"
    path.write_text("", encoding="utf-8")
    return load_config(path, Environment(values={}), start=folder)


def _why(folder: Path, *checks: Check, signals: tuple[str, ...] = SIGNALS, **more: Any) -> str:
    case = Case(id="a", input="Was kostet der Dispokredit?", checks=checks, **more)
    return why_not_failed(_config(folder), case, FAILED, signals)


def test_a_check_that_skips_the_answer_is_told_with_its_reason(tmp_path: Path) -> None:
    assert _why(tmp_path, GROUNDED).startswith("nothing to judge: grounded: ")


def test_a_check_that_fails_the_answer_again_is_fine(tmp_path: Path) -> None:
    assert not _why(tmp_path, Check(scorer="grounded"), metadata={"section": "price"})
    assert not _why(tmp_path, GROUNDED, Check(scorer="forbidden", settings={"value": ["kostenlos"]}))


def test_a_check_that_passes_the_answer_is_told(tmp_path: Path) -> None:
    said = Check(scorer="contains", settings={"value": "kostenlos"})
    assert _why(tmp_path, said, signals=("score/contains",)) == "every check passes"


def test_what_cannot_be_asked_here_is_not_judged(tmp_path: Path) -> None:
    judge = Check(scorer="judge", settings={PRIMARY: "is polite"})
    assert not _why(tmp_path, judge, signals=("score/judge",))
    assert not _why(tmp_path, Check(scorer="guard_verdict"), signals=("gate/injection",))
    assert not _why(tmp_path, Check(scorer="latency", settings={"at_most": 2}), signals=())


def test_a_check_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    assert "judge" in _why(tmp_path, Check(scorer="judge"), signals=("score/judge",))
    assert "nosuch" in _why(tmp_path, Check(scorer="nosuch"), signals=("score/nosuch",))
