"""The manga store graded: the clean assistant ships, and each fault is held for the right reason.

The whole golden suite is put to the clean assistant, and the cases of the four scenarios to each faulty one, with the
real scorers and local models.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from proctor.config import Config, Environment, load_config
from proctor.release.compare import compare
from proctor.release.decide import Decision, decide
from proctor.release.measures import Baseline
from proctor.release.policy import Policy
from proctor.store.reading import RunReader
from proctor.store.runs import RunStore
from proctor.wiring.job import Job, Watching, carry_out
from proctor.wiring.release import figures_of, policy_of

FOLDER = Path(__file__).parents[2] / "examples" / "manga_store"
CLEAN = "assistant"
SCENARIOS = ("scenario-a", "scenario-b", "scenario-c", "scenario-d")
FAULTS = ("off_topic_opening", "stale_policy", "lost_reference", "romanised_only")

pytestmark = pytest.mark.xdist_group("manga_store")


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    read = load_config(FOLDER / "proctor.yaml", Environment(values={}), start=FOLDER)
    store = str(tmp_path_factory.mktemp("store"))
    return replace(read, settings=replace(read.settings, store=store))


@pytest.fixture(scope="module")
def figures(config: Config) -> Mapping[str, Baseline]:
    """What each target came to; runs that share a process share what the local models have read already."""
    made = graded(config, Job(suite="golden", targets=(CLEAN,), run=config.settings.run, folder=str(FOLDER)))
    some = Job(suite="golden", targets=FAULTS, tags=SCENARIOS, run=config.settings.run, folder=str(FOLDER))
    return made | graded(config, some)


def graded(config: Config, job: Job) -> dict[str, Baseline]:
    run, done = asyncio.run(carry_out(config, job, Watching()))
    assert done
    with RunStore(config.store) as store:
        reader = RunReader(store, store.get(run.id))
        return {target: figures_of(reader, target) for target in job.targets}


@pytest.fixture(scope="module")
def policy(config: Config) -> Policy:
    return policy_of(config, None)[0]


def decision(figures: Mapping[str, Baseline], target: str, policy: Policy) -> Decision:
    """What the gate says of a target whose cases are a part of the clean one's."""
    names = {case.case for case in figures[target].cases}
    before = replace(figures[CLEAN], cases=tuple(case for case in figures[CLEAN].cases if case.case in names))
    return decide(compare(before, figures[target], policy.settings), policy)


def fall(figures: Mapping[str, Baseline], target: str, name: str, intent: str) -> float:
    """How far the mean of a figure is lower than with the clean assistant, over the same cases."""
    before = {case.case: case.figure(name) for case in figures[CLEAN].cases}
    pairs = [(before[case.case], case.figure(name)) for case in figures[target].cases if case.intent == intent]
    falls = [one - other for one, other in pairs if one is not None and other is not None]
    assert falls
    return sum(falls) / len(falls)


def test_the_clean_assistant_passes_nearly_all_and_nothing_goes_unscored(figures: Mapping[str, Baseline]) -> None:
    cases = figures[CLEAN].cases
    assert len(cases) >= 200
    assert not [case.case for case in cases if case.unscored]
    assert sum(case.outcome == "pass" for case in cases) / len(cases) >= 0.97


def test_the_clean_assistant_ships(figures: Mapping[str, Baseline], policy: Policy) -> None:
    assert decision(figures, CLEAN, policy).outcome == "ship"


@pytest.mark.parametrize(
    ("fault", "intent", "dimension", "part", "case"),
    [
        ("off_topic_opening", "recommendation", "relevance", "intent_relevance", "rec-horror-like-author"),
        ("stale_policy", "faq", "factual_accuracy", "fact_coverage", "faq-return-read"),
        ("lost_reference", "product_question", "consistency", "cross_turn", "prod-second-one"),
        ("romanised_only", "product_question", "fluency", "formatting", "prod-english-original"),
    ],
)
def test_each_fault_is_held_and_the_dimension_the_sub_score_and_the_case_are_named(
    fault: str, intent: str, dimension: str, part: str, case: str, figures: Mapping[str, Baseline], policy: Policy
) -> None:
    made = decision(figures, fault, policy)
    assert made.outcome == "hold"
    about = [reason for reason in made.reasons if reason.dimension == dimension]
    assert any(intent in (reason.intent, "all") for reason in about)
    assert any(f"{dimension}.{part}" in reason.parts for reason in about)
    assert any(case in reason.cases for reason in about)
    # The sub-score that the fault is about is the one that falls, and falls far.
    assert fall(figures, fault, f"{dimension}.{part}", intent) > 0.2


@pytest.mark.parametrize(
    ("fault", "intent", "dimensions"),
    [
        ("off_topic_opening", "faq", ("relevance", "factual_accuracy", "consistency", "fluency")),
        ("stale_policy", "recommendation", ("relevance", "factual_accuracy", "consistency", "fluency")),
        ("lost_reference", "faq", ("relevance", "factual_accuracy", "consistency", "fluency")),
        ("romanised_only", "return_request", ("relevance", "consistency")),
    ],
)
def test_a_fault_leaves_alone_what_it_does_not_touch(
    fault: str, intent: str, dimensions: tuple[str, ...], figures: Mapping[str, Baseline]
) -> None:
    for dimension in dimensions:
        assert fall(figures, fault, dimension, intent) == pytest.approx(0.0, abs=0.02)


def test_the_documented_case_of_a_stale_policy_scores_as_it_should(figures: Mapping[str, Baseline]) -> None:
    """The old window is not the expected fact, and what only an old source says counts a little."""
    (case,) = [case for case in figures["stale_policy"].cases if case.case == "faq-return-read"]
    assert case.figure("factual_accuracy.fact_coverage") == 0.0
    hallucination = case.figure("factual_accuracy.no_hallucination")
    assert hallucination is not None
    assert 0.0 < hallucination < 0.7
    assert case.outcome == "fail"
