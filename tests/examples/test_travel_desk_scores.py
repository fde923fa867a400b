"""The travel desk graded: each failure of the document is found by the right score, at the right turn.

The recorded conversations are put to the real scorers and local models, with the settings of the example's own checks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from examples.travel_desk.lantern.scenes import RECORDED, Scene, read_scenes
from examples.travel_desk.lantern.stories import Teller
from examples.travel_desk.simulate import simulate

from proctor.config import Environment, load_config
from proctor.core.case import Case, Check
from proctor.core.score import Score
from proctor.core.task import TaskCompletion
from proctor.models.pool import Pool
from proctor.monitor.completion_rules import CompletionRules
from proctor.runner.grade import grade
from proctor.scorers.conversation.part_scorers import GATES
from proctor.suites.conversations.detect import open_conversations
from proctor.suites.load import open_suite
from proctor.wiring.models import ModelPool
from proctor.wiring.scorers import GraderFactory
from proctor.workflows.monitor.completion import CompletionJob, completion_of
from proctor.workflows.monitor.event_source import EventSource
from tests.tables import table

FOLDER = Path(__file__).parents[2] / "examples" / "travel_desk"
SCENES = {scene.id: scene for scene in read_scenes()}
FAILING = [scene for scene in SCENES.values() if scene.kind == "failing"]
HANDED = [scene for scene in SCENES.values() if scene.kind == "handed_over"]
CAUGHT = [(scene, name) for scene in FAILING for name in scene.caught]
WHOLE = "conversation"

Scores = Mapping[tuple[str, str], Score]

pytestmark = pytest.mark.xdist_group("travel_desk")


@pytest.fixture(scope="module")
def scores() -> Scores:
    """Every score of every recorded conversation, by the conversation's id and the scorer's name."""
    return asyncio.run(_scored())


async def _scored() -> dict[tuple[str, str], Score]:
    config = load_config(FOLDER / "proctor.yaml", Environment(values={}), start=FOLDER)
    (whole,) = open_suite(FOLDER / "suites" / "checks.yaml").suite.scorers
    own: Mapping[str, Any] = whole.settings["settings"]
    checks = [Check(scorer=name, settings=own.get(name, {})) for name in (*GATES, "escalation")]
    made: dict[tuple[str, str], Score] = {}
    async with Pool() as pool:
        model_pool = ModelPool(config=config, run=config.settings.run, http=pool)
        grader_factory = GraderFactory(open_suite(FOLDER / "suites" / "checks.yaml").suite, model_pool)
        graders = [grader_factory.grader(check) for check in (*checks, whole)]
        for case in _recorded():
            assert case.recorded is not None
            made |= {(case.id, score.name): score for score in (await grade(case, case.recorded, graders)).scores}
    return made


def _recorded() -> list[Case]:
    return [case for path in RECORDED.values() for case in open_conversations(path, "proctor")]


def turn_of(score: Score) -> int | None:
    """The turn that a score names first, counted from 1."""
    first = next((one.turn for one in score.evidence if one.turn is not None), None)
    return None if first is None else first + 1


def test_every_scene_is_recorded_and_every_failure_has_its_clean_counterpart() -> None:
    there = [case.id for case in _recorded()]
    clean = [f"{scene.id}-clean" for scene in FAILING]
    assert sorted(there) == sorted([*SCENES, *clean])


@table(("scene", "name"), CAUGHT, ids=lambda each: each if isinstance(each, str) else each.id)
def test_the_right_score_catches_each_failure_at_the_right_turn(scene: Scene, name: str, scores: Scores) -> None:
    score = scores[scene.id, name]
    assert score.passed is False, score.reason
    assert turn_of(score) == scene.caught[name], score.reason


@table("scene", FAILING, ids=lambda scene: scene.id)
@table("name", GATES)
def test_no_score_finds_fault_with_the_clean_counterpart(scene: Scene, name: str, scores: Scores) -> None:
    score = scores[f"{scene.id}-clean", name]
    assert score.status != "error", score.reason
    assert score.passed is not False, score.reason


@table("scene", FAILING, ids=lambda scene: scene.id)
def test_one_failed_gate_fails_the_whole_conversation_and_is_named(scene: Scene, scores: Scores) -> None:
    bad, good = scores[scene.id, WHOLE], scores[f"{scene.id}-clean", WHOLE]
    assert bad.value == 0.0
    failed = {part.name for part in bad.parts if part.name in GATES and part.passed is False}
    assert set(scene.caught) <= failed
    assert any(name in bad.reason for name in scene.caught)
    assert good.passed, good.reason


@table("scene", FAILING, ids=lambda scene: scene.id)
def test_the_whole_conversation_names_the_turn_that_failed_it(scene: Scene, scores: Scores) -> None:
    turns = [turn for turn in scene.caught.values() if turn is not None]
    if turns:
        assert f"in turn {min(turns)}: " in scores[scene.id, WHOLE].reason


@table("scene", [scene for scene in SCENES.values() if scene.outcome], ids=lambda scene: scene.id)
def test_safe_failures_are_told_from_unsafe_ones(scene: Scene, scores: Scores) -> None:
    assert scores[scene.id, WHOLE].label == scene.outcome, scores[scene.id, WHOLE].reason


@table("scene", HANDED, ids=lambda scene: scene.id)
def test_each_hand_over_gets_its_category_and_only_two_count_against_the_agent(scene: Scene, scores: Scores) -> None:
    score = scores[scene.id, "escalation"]
    assert score.label == scene.escalation, score.reason
    assert score.value == (0.0 if scene.escalation in ("knowledge_gap", "confidence_failure") else 1.0)
    assert turn_of(score) == len(scene.says)


def test_the_contradiction_is_about_the_hours_and_not_about_anything_else(scores: Scores) -> None:
    quotes = " ".join(one.quote for one in scores["policy-contradicted", "cross_turn"].evidence)
    assert "48 hours" in quotes
    assert "24 hours" in quotes


def test_the_log_of_production_tells_the_two_agents_apart(tmp_path: Path) -> None:
    """Repeat contact is the figure that shows it; the ratings alone would not."""
    naive, careful = (_table(tmp_path / brain, brain) for brain in ("naive", "careful"))
    assert {row.intent for row in naive.rows} >= {"policy_inquiry", "cancellation", "booking_change", "post_trip_issue"}
    assert careful.total.repeats.high is not None
    assert naive.total.repeats.low is not None
    assert careful.total.repeats.high < naive.total.repeats.low
    assert careful.total.completed > naive.total.completed
    assert naive.total.pleased.hits > 0


def _table(out: Path, brain: str) -> TaskCompletion:
    out.mkdir()
    teller = Teller(database=out / "office.db", settings={"brain": brain}, seed=3)
    asyncio.run(simulate(teller, count=200, out=out))
    return asyncio.run(
        completion_of(CompletionJob(events=EventSource(files=(out / "events.jsonl",)), rules=CompletionRules()))
    )
