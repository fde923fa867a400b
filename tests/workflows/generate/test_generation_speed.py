from __future__ import annotations

from pathlib import Path

import pytest

from proctor.core.chat import Usage
from proctor.generate.plan import GenerationPlan, PlanRow
from proctor.workflows.generate.calls import Shared
from proctor.workflows.generate.generation_speed import keep_speed, planned_seconds, planned_work


def plan(*models: str) -> GenerationPlan:
    rows = tuple(
        PlanRow(stage="rules", model=model, calls=1, most=3, usage=Usage(input=1_000, output=500)) for model in models
    )
    return GenerationPlan(rows=rows, rules=1, tests=1, baseline=0)


def test_the_speed_of_a_local_model_is_kept_for_the_next_plan(tmp_path: Path) -> None:
    shared = Shared(concurrency=1)
    shared.work["local:small"] = 1_000
    shared.work["openai:gpt-5"] = 9_000_000
    shared.began -= 10
    assert planned_seconds(tmp_path, plan("local:small")) is None
    del shared.work["openai:gpt-5"]
    keep_speed(tmp_path, shared)
    assert planned_work(plan("local:small")) == 2_000
    assert planned_seconds(tmp_path, plan("local:small")) == pytest.approx(20, rel=0.05)
    assert planned_seconds(tmp_path, plan("local:small", "openai:gpt-5")) == pytest.approx(20, rel=0.05)
    assert planned_seconds(tmp_path, plan("local:other")) is None


def test_a_few_tokens_say_nothing_about_the_speed(tmp_path: Path) -> None:
    shared = Shared(concurrency=1)
    shared.work["local:small"] = 50
    keep_speed(tmp_path, shared)
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_as_none(tmp_path: Path) -> None:
    (tmp_path / "generate").mkdir()
    (tmp_path / "generate/speed.json").write_text('{"local:small": "fast"}')
    assert planned_seconds(tmp_path, plan("local:small")) is None
