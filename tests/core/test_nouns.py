from __future__ import annotations

import pytest

from proctor.core.case import Ask, Case, Check
from proctor.core.chat import Message, ToolCall, Usage
from proctor.core.errors import ConfigError, MalformedError, Problem
from proctor.core.report import Counts
from proctor.core.score import Score
from proctor.core.trajectory import Source, Trajectory, Turn
from tests.tables import table


def _turn(asked: str, answer: str, **more: object) -> Turn:
    messages = (Message(role="user", content=asked), Message(role="assistant", content=answer))
    return Turn(messages=messages, **more)  # type: ignore[arg-type]


def test_a_trajectory_adds_up_what_its_turns_know() -> None:
    call = ToolCall(name="find")
    run = Trajectory(
        turns=(
            _turn("a", "b", latency=1.0, cost=0.5, usage=Usage(input=1, output=2), tool_calls=(call,)),
            _turn("c", "d", latency=2.0, cost=0.25, usage=Usage(input=3, output=4), sources=(Source(id="s"),)),
        )
    )
    assert (run.answer, run.latency, run.cost) == ("d", 3.0, 0.75)
    assert run.usage == Usage(input=4, output=6)
    assert run.tool_calls == (call,)
    assert [source.id for source in run.sources] == ["s"]
    assert [message.content for message in run.messages] == ["a", "b", "c", "d"]


def test_what_one_turn_does_not_know_the_whole_does_not_know() -> None:
    run = Trajectory(turns=(_turn("a", "b", latency=1.0, cost=1.0), _turn("c", "d", latency=1.0)))
    assert run.cost is None
    assert run.latency == 2.0
    assert Trajectory().latency is None


def test_an_answer_is_the_last_thing_the_agent_said() -> None:
    assert Trajectory().answer == ""
    assert Turn(messages=(Message(role="user", content="hi"),)).answer == ""


def test_a_case_asks_its_turns_or_its_one_input() -> None:
    assert Case(id="a", input="hi").asks == (Ask(text="hi"),)
    assert Case(id="a", input="no", turns=(Ask(text="yes"),)).asks == (Ask(text="yes"),)
    assert Case(id="a").asks == ()


@table(
    ("value", "status"),
    [(1.1, "ok"), (-0.1, "ok"), (None, "ok"), (float("nan"), "ok"), (0.5, "error"), (0.5, "skipped")],
)
def test_a_score_has_a_value_exactly_when_it_is_ok(value: float | None, status: str) -> None:
    with pytest.raises(ValueError, match="score 'x'"):
        Score(name="x", value=value, status=status)  # type: ignore[arg-type]


def test_a_score_passes_at_its_threshold_and_says_nothing_without_one() -> None:
    assert Score(name="x", value=0.5, threshold=0.5).passed is True
    assert Score(name="x", value=0.4, threshold=0.5).passed is False
    assert Score(name="x", value=0.4).passed is None
    assert Score(name="x", status="error", threshold=0.5).passed is None


@table("wrong", [{"threshold": 4}, {"threshold": -0.1}, {"weight": -1}, {"weight": float("nan")}])
def test_a_check_has_a_threshold_from_nought_to_one_and_a_weight_of_nought_or_more(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"a threshold is|a weight is"):
        Check(scorer="exact", **wrong)  # type: ignore[arg-type]


def test_counts_know_their_rates_and_what_they_do_not_know() -> None:
    counts = Counts(passed=6, failed=2, unscored=2)
    assert (counts.total, counts.pass_rate, counts.unscored_rate) == (10, 0.75, 0.2)
    assert Counts(unscored=3).pass_rate is None
    assert Counts().unscored_rate == 0.0


def test_an_error_names_file_line_field_and_mend() -> None:
    error = ConfigError("is wrong", file="proctor.yaml", line=3, field="run.repeat", hint="write 1")
    assert str(error) == "proctor.yaml:3: run.repeat: is wrong\n  hint: write 1"
    assert str(ConfigError("is wrong")) == "is wrong"
    several = MalformedError([Problem(("a", 0, "b"), "is wrong", line=2), Problem(("c",), "too")], file="f.yaml")
    assert str(several) == "f.yaml:2: a[0].b: is wrong (and 1 more)"
    assert several.exit_code == 2
