"""The manga store, copied fresh, run and gated: the clean assistant ships, each fault is held for the right reason.

Of the four scenarios' cases those of two intents are put to each faulty assistant, and to the clean one all that any
faulty one gets, with the real scorers and local models. All tests share these runs. Two faults are tried by default;
with `--slow` all four are, and the clean assistant gets the whole golden suite.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from proctor.config import Config, Environment, load_config
from proctor.release.compare import compare
from proctor.release.decide import ReleaseDecision, decide
from proctor.release.measures import Baseline
from proctor.release.policy import Policy
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.release.baseline import figures_of, policy_of
from tests.cli.conftest import Project
from tests.cli.server import ChatServer
from tests.examples.copied import copied

CLEAN = "assistant"
SCENARIOS = ("scenario-a", "scenario-b", "scenario-c", "scenario-d")
# The intent that each fault is about, and one that it leaves alone.
FAULTS = {
    "off_topic_opening": ("recommendation", "faq"),
    "stale_policy": ("faq", "recommendation"),
    "lost_reference": ("product_question", "faq"),
    "romanised_only": ("product_question", "return_request"),
}
SLOW = ("off_topic_opening", "romanised_only")


def only_slow(*rows: tuple[Any, ...]) -> list[Any]:
    """The rows, of which those of the slow faults are tried only with `--slow`."""
    return [pytest.param(*row, marks=[pytest.mark.slow] if row[0] in SLOW else []) for row in rows]


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture(scope="module")
def manga(tmp_path_factory: pytest.TempPathFactory, server: ChatServer) -> Project:
    return copied("manga_store", tmp_path_factory.mktemp("manga"), server)


@pytest.fixture(scope="module")
def whole(pytestconfig: pytest.Config) -> bool:
    """Whether all faults are tried, and the clean assistant gets every case."""
    return bool(pytestconfig.getoption("--slow"))


@pytest.fixture(scope="module")
def runs(manga: Project, whole: bool) -> Mapping[str, str]:
    """The id of each target's run."""
    faults = {fault: intents for fault, intents in FAULTS.items() if whole or fault not in SLOW}
    tried = sorted({intent for intents in faults.values() for intent in intents})
    manga.run("run", "-q", *([] if whole else chosen(tried)), code=0)
    made = {CLEAN: manga.last_run()}
    for fault, intents in faults.items():
        manga.run("run", "-q", "-t", fault, *chosen(intents))
        made[fault] = manga.last_run()
    assert len(set(made.values())) == len(made)
    return made


def chosen(intents: Iterable[str]) -> list[str]:
    """The options that choose the scenarios' cases of some intents."""
    tags = [word for tag in SCENARIOS for word in ("--tag", tag)]
    return [*tags, *(word for intent in intents for word in ("--intent", intent))]


@pytest.fixture(scope="module")
def config(manga: Project) -> Config:
    return load_config(manga.folder / "proctor.yaml", Environment(values={}), start=manga.folder)


@pytest.fixture(scope="module")
def figures(config: Config, runs: Mapping[str, str]) -> Mapping[str, Baseline]:
    """What each target came to."""
    with RunStore(config.store) as store:
        return {target: figures_of(RunReader(store, store.get(run)), target) for target, run in runs.items()}


@pytest.fixture(scope="module")
def policy(config: Config) -> Policy:
    return policy_of(config, None)[0]


def decision(figures: Mapping[str, Baseline], target: str, policy: Policy) -> ReleaseDecision:
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


def test_the_clean_assistant_passes_nearly_all_and_nothing_goes_unscored(
    figures: Mapping[str, Baseline], whole: bool
) -> None:
    cases = figures[CLEAN].cases
    assert len(cases) >= (200 if whole else 50)
    assert not [case.case for case in cases if case.unscored]
    assert sum(case.outcome == "pass" for case in cases) / len(cases) >= 0.97


@pytest.mark.slow  # part of the suite is too little for the policy; what ships is `test_it_ships_on_a_fresh_checkout`
def test_the_clean_assistant_ships(figures: Mapping[str, Baseline], policy: Policy) -> None:
    assert decision(figures, CLEAN, policy).outcome == "ship"


@pytest.mark.parametrize(
    ("fault", "intent", "dimension", "part", "case"),
    only_slow(
        ("off_topic_opening", "recommendation", "relevance", "intent_relevance", "rec-horror-like-author"),
        ("stale_policy", "faq", "factual_accuracy", "fact_coverage", "faq-return-read"),
        ("lost_reference", "product_question", "consistency", "cross_turn", "prod-second-one"),
        ("romanised_only", "product_question", "fluency", "formatting", "prod-english-original"),
    ),
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
    only_slow(
        ("off_topic_opening", "faq", ("relevance", "factual_accuracy", "consistency", "fluency")),
        ("stale_policy", "recommendation", ("relevance", "factual_accuracy", "consistency", "fluency")),
        ("lost_reference", "faq", ("relevance", "factual_accuracy", "consistency", "fluency")),
        ("romanised_only", "return_request", ("relevance", "consistency")),
    ),
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


def test_it_ships_on_a_fresh_checkout(manga: Project, runs: Mapping[str, str]) -> None:
    assert "SHIP" in manga.run("gate", runs[CLEAN], "--rescore-baseline", code=0).stdout


def test_it_is_never_held_for_its_scorers(manga: Project, runs: Mapping[str, str]) -> None:
    """Where a scorer was changed since the baseline was made, the gate says so instead of blaming the answers."""
    done = manga.run("gate", runs[CLEAN])
    if done.returncode:
        assert done.returncode == 3, done.stdout
        assert "scorers changed since the baseline" in done.stdout


def test_its_baseline_can_be_scored_again_from_its_answers(manga: Project) -> None:
    path = manga.folder / "baselines" / "manga-store.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["fingerprint"]["scorer_hashes"]["quality"] = "of other code"
    data["cases"] = [{**case, "value": 1.0, "dimensions": {}, "parts": {}} for case in data["cases"]]
    other = manga.write("of-other-scorers.json", json.dumps(data))
    shutil.copy(path.with_suffix(".answers.jsonl"), other.with_suffix(".answers.jsonl"))
    # The cases of one scenario, since to score takes its time; `test_it_ships_on_a_fresh_checkout` scores all.
    manga.run("run", "-q", "--tag", SCENARIOS[0], code=0)
    run = manga.last_run()
    told = manga.run("gate", run, "--baseline", other.name, code=3).stdout
    named = re.search(r"scorers changed since the baseline \(([^)]*)\)", told)  # another scorer may have changed too
    assert named, told
    assert "quality" in named[1].split(", ")
    told = manga.run("gate", run, "--baseline", other.name, "--rescore-baseline", code=0).stdout
    assert "the baseline was scored again with today's scorers" in told


def test_a_fault_is_held_against_the_shipped_baseline(manga: Project, runs: Mapping[str, str]) -> None:
    assert "HOLD" in manga.run("gate", runs["stale_policy"], "--rescore-baseline", code=1).stdout


@pytest.fixture(scope="module")
def blessed(manga: Project, runs: Mapping[str, str]) -> str:
    """A baseline of today's clean run: it need not be scored again for each fault."""
    manga.run("bless", runs[CLEAN], "--output", "of-today.json", code=0)
    return "of-today.json"


@pytest.mark.parametrize("fault", only_slow(*((fault,) for fault in FAULTS)))
def test_each_fault_is_held_at_the_command_line(
    manga: Project, runs: Mapping[str, str], blessed: str, fault: str
) -> None:
    assert "HOLD" in manga.run("gate", runs[fault], "--baseline", blessed, code=1).stdout
