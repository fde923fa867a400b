"""``proctor generate`` with prompts, samples, models and evaluators given in the ways that PromptPex users know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proctor.core.generated_test import GeneratedTest
from proctor.generate.artefacts import read_artefacts
from tests.cli.conftest import Project
from tests.cli.generation_server import PROMPT
from tests.cli.test_generate_answers import RecordingServer, said, stage_of

SAMPLES = """\
---
name: Tags
inputs:
  sentence: {type: string}
testSamples:
  - {sentence: One dog barks., expected: noun}
  - {sentence: Two dogs bark., expected: verb}
  - {sentence: Three dogs sleep., expected: noun}
  - {sentence: Four dogs eat., expected: verb}
---
system:
You tag sentences. Return only one word.
user:
{{sentence}}
"""
GITHUB = """\
name: Tags
messages:
  - role: system
    content: You tag sentences. Return only one word.
  - role: user
    content: "{{sentence}}"
testData:
  - sentence: A dog barks
    expected: barks
evaluators:
  - name: says a word
    string: {contains: bark}
  - name: the expected one
    string: {equals: "{{expected}}"}
"""


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with RecordingServer() as running:
        assert isinstance(running, RecordingServer)
        yield running


def samples_in(folder: Path) -> list[str]:
    tests = read_artefacts(folder).tests
    return [case.inputs["sentence"] for case in tests if GeneratedTest.of(case).strategy == "sample"]


@pytest.mark.parametrize("way", ["option", "stdin", "dash"])
def test_a_prompt_given_as_text_is_saved_and_gets_its_tests(project: Project, way: str) -> None:
    words: dict[str, tuple[tuple[str, ...], str | None]] = {
        "option": (("--prompt", PROMPT), None),
        "stdin": (("-",), PROMPT),
        "dash": (("--prompt", "-"), PROMPT),
    }
    given, text = words[way]
    done = project.run("generate", *given, "--no-model", "-o", "mine", code=0, input=text)
    assert "prompt written to mine/prompt.prompty" in done.stderr
    assert (project.folder / "mine/prompt.prompty").read_text() == PROMPT
    assert read_artefacts(project.folder / "mine").rules


def test_a_prompt_as_text_needs_no_folder_and_stays_the_same(project: Project) -> None:
    first = project.run("generate", "--prompt", PROMPT, "--no-model", code=0)
    again = project.run("generate", "--prompt", PROMPT, "--no-model", code=0)
    assert first.stderr == again.stderr
    assert "up to date" in again.stdout
    (saved,) = project.folder.glob("prompt-*.prompty")
    assert "no tests yet" not in project.run("run", saved.name, "-m", "stub", "--light").stderr


@pytest.mark.parametrize("words", [(), ("tags.prompty", "--prompt", "Say hi.")])
def test_one_prompt_is_named_in_one_way(project: Project, words: tuple[str, ...]) -> None:
    assert "--prompt" in project.run("generate", *words, code=2).stderr


def test_an_empty_prompt_is_refused(project: Project) -> None:
    assert "the prompt is empty" in project.run("generate", "-", "--no-model", code=2, input=" \n").stderr


def test_stages_may_have_models_of_their_own(project: Project, server: RecordingServer) -> None:
    text = (project.folder / "proctor.yaml").read_text()
    other = f'  other: {{provider: compatible, base_url: "{server.url}", model: other, api_key_env: STUB_KEY}}\n'
    project.write("proctor.yaml", text + other)
    project.write("tags.prompty", PROMPT.replace("name: Tags", "name: Tags\npromptPex:\n  baselineModel: other"))
    flags = ("--effort", "low", "--baseline", "--stage-model", "rules=other")
    project.run("generate", "tags.prompty", *flags, code=0)
    by_model = {(data["model"], stage_of(data)) for data in server.bodies}
    assert {("other", "rules"), ("other", "baseline"), ("stub", "intent"), ("stub", "tests")} <= by_model
    assert ("stub", "rules") not in by_model
    models = json.loads((project.folder / "tags.tests/provenance.json").read_text())["models"]
    assert models["rules"] == "compatible:other"
    plan = project.run("generate", "tags.prompty", *flags, "--plan", "--force", code=0).stdout
    assert any(line.split()[:2] == ["rules", "other"] for line in plan.splitlines())
    wrong = project.run("generate", "tags.prompty", "--stage-model", "nothing=other", code=2)
    assert "--stage-model takes STAGE=MODEL" in wrong.stderr


def test_samples_are_limited_and_shuffled_by_the_seed(project: Project) -> None:
    project.write("tags.prompty", SAMPLES)
    project.run("generate", "tags.prompty", "--no-model", "--samples", "2", code=0)
    assert samples_in(project.folder / "tags.tests") == ["One dog barks.", "Two dogs bark."]
    for name in ("one", "two"):
        project.run("generate", "tags.prompty", "--no-model", "--shuffle-samples", "--seed", "3", "-o", name, code=0)
    assert samples_in(project.folder / "one") == samples_in(project.folder / "two")
    assert samples_in(project.folder / "one") != [
        "One dog barks.",
        "Two dogs bark.",
        "Three dogs sleep.",
        "Four dogs eat.",
    ]
    project.write("tags.prompty", SAMPLES.replace("name: Tags", "name: Tags\ntestSamplesCount: 1"))
    done = project.run("generate", "tags.prompty", "--no-model", "-o", "three", code=0)
    assert len(samples_in(project.folder / "three")) == 1
    assert "unknown" not in done.stderr


METRIC = """\
---
name: right tag
tags: [groundtruth, scorer]
inputs:
  input: {type: string}
  output: {type: string}
---
system:
Grade the tag MARKER.
user:
{{input}} {{output}}
"""


def test_a_metric_with_the_tag_groundtruth_grades_expected_outputs(project: Project, server: RecordingServer) -> None:
    project.write("tags.prompty", PROMPT)
    project.write("tag.metric.prompty", METRIC)

    def graded(data: dict[str, Any], number: int) -> dict[str, Any] | None:
        if "MARKER" not in json.dumps(data["messages"]):
            return None
        return said(json.dumps({"explanation": "by the author's metric", "score": 90, "confidence": 1}))

    server.replace = graded
    project.run("generate", "tags.prompty", "--effort", "min", "--groundtruth", "stub", code=0)
    assert not [data for data in server.bodies if "response_format" in data and stage_of(data) == "truth"]
    truths = [GeneratedTest.of(case).groundtruth for case in read_artefacts(project.folder / "tags.tests").tests]
    known = [truth for truth in truths if truth]
    assert known
    assert all(truth["score"] == 0.9 and truth["accepted"] and truth["metrics"] == ["tag"] for truth in known)


def test_generate_and_run_share_a_cache(project: Project, server: RecordingServer) -> None:
    project.write("tags.prompty", PROMPT)
    project.run("generate", "tags.prompty", "--effort", "min", "--groundtruth", "stub", "--cache", code=0)
    server.bodies.clear()
    project.run("run", "tags.prompty", "-m", "stub", "--light", "--cache", "on")
    assert server.bodies == []  # every answer of the model under test was known as groundtruth


def test_what_has_no_effect_without_a_model_is_said(project: Project) -> None:
    front = "name: Tags\ninstructions: {rules: be brief}\nscenarios:\n  - {name: French, instructions: in French}"
    project.write("tags.prompty", PROMPT.replace("name: Tags", front))
    flags = (
        "--expansions",
        "2",
        "--baseline",
        "--agreement",
        "--instruction",
        "tests=short",
        "--stage-model",
        "rules=x",
    )
    done = project.run("generate", "tags.prompty", "--no-model", *flags, code=0)
    for what in ("--expansions", "--baseline", "--agreement", "--instruction", "--stage-model"):
        assert f"without a model, {what} has no effect: use -m" in done.stderr
    assert "the instructions of the scenario French" in done.stderr
    assert "`instructions:` for rules" in done.stderr
    project.write("tags.prompty", PROMPT)
    assert "no effect" not in project.run("generate", "tags.prompty", "--no-model", "--tests-per-rule", "1").stderr


def test_an_expected_answer_of_a_sample_is_graded_by_default(project: Project) -> None:
    project.write("tags.prompty", SAMPLES)
    project.run("generate", "tags.prompty", "--no-model", code=0)
    project.write("always.py", "def answer(request):\n    return 'noun'\n")
    project.run("run", "tags.prompty", "-m", "rule:always.py:answer", "--light")
    project.run("export", "last", "-o", "out.jsonl", code=0)
    rows = [json.loads(line) for line in (project.folder / "out.jsonl").read_text().splitlines()]
    by_input = {row["case"]["inputs"]["sentence"]: row for row in rows if row.get("case")}
    wrong = by_input["Two dogs bark."]
    assert wrong["outcome"] == "fail"
    assert any(score["name"] == "expected" and score["value"] == 0 for score in wrong["scores"])
    assert any(score["name"] == "expected" and score["value"] == 1 for score in by_input["One dog barks."]["scores"])


def test_the_evaluators_of_a_prompt_file_are_used(project: Project, server: RecordingServer) -> None:
    project.write("tags.prompt.yml", GITHUB)
    project.run("generate", "tags.prompt.yml", "--no-model", code=0)
    rules = read_artefacts(project.folder / "tags.tests").rules
    assert [rule.predicate for rule in rules if rule.origin == "evaluator" and rule.polarity == "positive"] == [
        'contains "bark" ignoring case'
    ]
    project.write("always.py", "def answer(request):\n    return 'meows'\n")
    project.run("run", "tags.prompt.yml", "-m", "rule:always.py:answer", "--light")
    project.run("export", "last", "-o", "out.jsonl", code=0)
    rows = [json.loads(line) for line in (project.folder / "out.jsonl").read_text().splitlines()]
    sample = next(row for row in rows if row.get("case", {}).get("inputs", {}).get("sentence") == "A dog barks")
    named = {score["name"]: score.get("value") for score in sample["scores"]}
    assert named["the expected one"] == 0
    assert "says a word" not in named  # it is a rule now, and judged once
    assert named["rules"] is not None


def test_the_model_for_stored_completions_is_named_in_the_prompts_file(
    project: Project, server: RecordingServer
) -> None:
    text = (project.folder / "proctor.yaml").read_text()
    other = f'  other: {{provider: compatible, base_url: "{server.url}", model: other, api_key_env: STUB_KEY}}\n'
    project.write("proctor.yaml", text + other)
    project.write("tags.prompty", PROMPT.replace("name: Tags", "name: Tags\npromptPex:\n  storeModel: other"))
    project.run("generate", "tags.prompty", "--no-model", code=0)
    project.run("run", "tags.prompty", "--store-completions", "--light")
    assert {(data["model"], data.get("store")) for data in server.bodies} == {("other", True)}
    server.bodies.clear()
    project.run("run", "tags.prompty", "--light")
    assert {data["model"] for data in server.bodies} == {"stub"}


def test_a_prompt_given_twice_is_said_to_be(project: Project) -> None:
    project.write("a.txt", "Say hello.")
    assert "The prompt is given twice" in project.run("generate", "a.txt", "--prompt", "Say bye.", code=2).stderr
