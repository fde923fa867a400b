"""The `tools:` of proctor.yaml reach every scorer and gate that asks what a tool does."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from proctor import registry
from proctor.config import Config, Environment, load_config
from proctor.core.case import Check, Suite
from proctor.core.chat import Message, ToolCall
from proctor.core.errors import MalformedError
from proctor.core.trajectory import Trajectory, Turn
from proctor.guard.step import Step
from proctor.wiring.guard_settings import make_plan
from proctor.wiring.scorers import GraderFactory
from proctor.workflows.monitor.escalations import scorer_of as escalation_scorer
from proctor.workflows.replay.questions import key_questions
from tests.tables import table

TOOLS = "tools: {run_query: reads, get_token: changes, 'desk_*': hands_off}\n"
STATED = {"run_query": "reads", "get_token": "changes", "desk_*": "hands_off"}


def config_of(folder: Path, text: str) -> Config:
    path = folder / "proctor.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, Environment(values={}), start=folder)


def bench_of(config: Config) -> GraderFactory:
    return GraderFactory(Suite(name="s"), None, config=config)


def scorer_of(config: Config, scorer: str, **settings: Any) -> Any:
    return bench_of(config).grader(Check(scorer=scorer, settings=settings)).scorer


def test_every_scorer_that_asks_is_given_what_the_project_states(tmp_path: Path) -> None:
    config = config_of(tmp_path, TOOLS)
    asking = []
    for name in registry.names("scorers"):
        kind: Any = registry.load("scorers", name)
        if any(each.name == "tool_effects" for each in dataclasses.fields(kind)):
            asking.append(name)
            assert scorer_of(config, name).tool_effects == STATED
    assert {"completion", "injection_followed", "premises", "loops", "solved", "commitments"} < set(asking)


def test_a_conversation_hands_the_effects_on_to_its_parts(tmp_path: Path) -> None:
    parts = scorer_of(
        config_of(tmp_path, TOOLS), "conversation", settings={"premises": {"tool_effects": {"a": "reads"}}}
    )
    made = parts._made
    assert made["completion"].tool_effects == STATED
    assert made["premises"].tool_effects == {"a": "reads", **STATED}


def test_a_check_overrides_the_project_and_the_revision_names_the_setting(tmp_path: Path) -> None:
    config = config_of(tmp_path, TOOLS)
    own = scorer_of(config, "completion", tool_effects={"get_token": "reads"})
    assert own.tool_effects == {**STATED, "get_token": "reads"}
    grader_factory = bench_of(config)
    grader_factory.grader(Check(scorer="completion"))
    assert " tools " in grader_factory.specs()["completion"]
    plain = bench_of(config_of(tmp_path, "store: .proctor\n"))
    plain.grader(Check(scorer="completion"))
    assert plain.specs()["completion"] == "1"


async def test_a_gate_for_reading_only_goes_by_it(tmp_path: Path) -> None:
    text = "guard: {tool_call: [{arguments: {read_only: true}}]}\n"
    config = config_of(tmp_path, TOOLS + text)
    (post,) = make_plan(config).chains["tool_call"].posts

    async def action(tool: str) -> str:
        step = Step(point="tool_call", call=ToolCall(name=tool))
        return str((await post.gate.check(step)).action)

    assert [await action(tool) for tool in ("run_query", "get_token", "get_order")] == ["allow", "block", "allow"]
    assert make_plan(config).version != make_plan(config_of(tmp_path, text)).version


def test_hand_offs_and_replay_go_by_it(tmp_path: Path) -> None:
    config = config_of(tmp_path, TOOLS)
    assert escalation_scorer(config, light=True).tool_effects == STATED
    said = (Message(role="user", content="What does it cost?"), Message(role="assistant", content="It costs 20 euros."))
    run = Trajectory(turns=(Turn(messages=said, tool_calls=(ToolCall(name="run_query", result="20"),)),))
    assert not key_questions(run)[0]
    assert len(key_questions(run, tool_effects=config.settings.tools)[0]) == 1


@table("written", ["{get_x: read}", "{get_x: unknown}", "[get_x]", "{get_x: }"])
def test_another_effect_is_refused_with_its_place(tmp_path: Path, written: str) -> None:
    with pytest.raises(MalformedError) as caught:
        config_of(tmp_path, f"tools: {written}\n")
    (problem,) = caught.value.problems
    assert problem.path[0] == "tools"
    assert problem.line == 1
