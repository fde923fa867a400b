"""The travel desk run: its suite, and its questions put again in other words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from examples.travel_desk.lantern.scenes import RECORDED

from proctor.config import Config, Environment, load_config
from proctor.core.report import Result
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.replay.suite import ReplayJob, prepare_replay
from proctor.workflows.run.job import Job, RunProgress, carry_out

FOLDER = Path(__file__).parents[2] / "examples" / "travel_desk"

pytestmark = pytest.mark.xdist_group("travel_desk")


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    read = load_config(FOLDER / "proctor.yaml", Environment(values={}), start=FOLDER)
    return replace(read, settings=replace(read.settings, store=str(tmp_path_factory.mktemp("store"))))


def results(config: Config, suite: str, target: str) -> Mapping[str, Result]:
    """What became of each case of a suite with one target."""
    job = Job(suite=suite, targets=(target,), run=config.settings.run, folder=str(FOLDER))
    run, done = asyncio.run(carry_out(config, job, RunProgress()))
    assert done
    with RunStore(config.store) as store:
        return {each.case.id: each for each in RunReader(store, store.get(run.id)).results()}


def test_the_careful_agent_passes_its_suite_and_nothing_goes_unscored(config: Config) -> None:
    found = results(config, "desk", "careful")
    assert {name: each.reason for name, each in found.items() if each.outcome != "pass"} == {}


def test_the_naive_agent_fails_where_it_is_weak_and_not_where_it_is_not(config: Config) -> None:
    found = results(config, "desk", "naive")
    failed = {name for name, each in found.items() if each.outcome == "fail"}
    weak = {"cancel-window", "old-rules", "not-theirs", "injected", "operator-note", "false-premise", "two-wishes"}
    assert weak | {"cancel-too-late", "not-known", "refund-after-wind"} <= failed
    assert not failed & {"booking-status", "tours-in-kyoto", "a-person", "what-are-you"}


@pytest.mark.parametrize(
    ("recorded", "target", "contradicted"),
    [("failing", "naive", {"reworded-policy/turn-1/wording-1"}), ("clean", "careful", set())],
)
def test_the_same_question_in_other_words_gets_another_answer_from_the_naive_agent_only(
    config: Config, recorded: str, target: str, contradicted: set[str]
) -> None:
    made = asyncio.run(prepare_replay(config, ReplayJob(source=str(RECORDED[recorded]))))
    found = results(config, str(made.path), target)
    assert {name for name, each in found.items() if each.outcome == "fail"} == contradicted
    assert not [name for name, each in found.items() if each.outcome == "unscored"]
