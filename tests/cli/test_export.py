from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proctor.core.errors import ConfigError
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.generate.artefacts import Artefacts, read_artefacts, write_artefacts
from proctor.suites.exchange.formats import TOOLS
from proctor.suites.exchange.own_export import without_doubt
from proctor.workflows.exchange.files import bundle_of, made_for, save_files
from proctor.workflows.exchange.pytest_suite import PytestSuite
from tests.cli import evals_server
from tests.cli.conftest import Project
from tests.cli.evals_server import EvalsServer
from tests.suites.exchange import making


@pytest.fixture
def service() -> Iterator[EvalsServer]:
    with EvalsServer() as running:
        yield running


@pytest.fixture
def tagger(project: Project) -> Project:
    """A project with a prompt whose tests were generated."""
    sent = making.bundle()
    invalid = making.case("Not a sentence", "x", making.LABEL, valid=False)
    project.write("tagger.prompty", making.PROMPT)
    made = Artefacts(intent=sent.intent, rules=sent.rules, tests=(*sent.cases, invalid), baseline=sent.baseline)
    write_artefacts(project.folder / "tagger.tests", made, name="tagger", prompt="../tagger.prompty")
    return project


def use(project: Project, service: EvalsServer, model: str = "openai:gpt-5", **more: str) -> None:
    provider, _, name = model.partition(":")
    entry = {"provider": provider, "model": name, "base_url": f"{service.url}/v1", "api_key_env": "EVALS_KEY", **more}
    project.write("proctor.yaml", json.dumps({"models": {model: entry, "mini": {**entry, "model": "gpt-5-mini"}}}))
    project.environment["EVALS_KEY"] = evals_server.KEY


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_gets_its_files_the_same_each_time(tagger: Project, tool: str) -> None:
    path = tagger.folder / "tagger.prompty"
    first, second = (made_for(tool, bundle_of(path, models=["openai:gpt-5"])) for _ in range(2))
    assert first == second
    save_files(first.files, tagger.folder / "out")
    everything = b"".join(files(tagger.folder / "out").values()).decode()
    assert "A dog barks." in everything
    assert "VB because" not in everything  # a groundtruth that was not accepted
    assert "Not a sentence" not in everything
    assert "Base." not in everything
    assert "tests that were found invalid and left out: 1" in first.notes
    assert "Base." in "".join(made_for(tool, bundle_of(path, baseline=True)).files.values())


def test_files_that_are_there_are_not_replaced_without_force(tagger: Project) -> None:
    tagger.run("export", "tagger.prompty", "--to", "csv", "-o", "mine.csv", code=0)
    path = tagger.folder / "mine.csv"
    tagger.run("export", "tagger.prompty", "--to", "csv", "-o", "mine.csv", code=0)  # nothing changes
    path.write_text("mine")
    done = tagger.run("export", "tagger.prompty", "--to", "csv", "-o", "mine.csv", code=2)
    assert "is there already" in done.stderr
    assert path.read_text() == "mine"
    tagger.run("export", "tagger.prompty", "--to", "csv", "-o", "mine.csv", "--force", "--baseline", code=0)
    assert "Base." in path.read_text()


def test_an_exported_suite_can_be_run(tagger: Project) -> None:
    tagger.run("export", "tagger.prompty", "--to", "jsonl", code=0)
    tagger.write("always.py", "def answer(request):\n    return 'NN'\n")
    done = tagger.run("run", "tagger.jsonl", "-t", "tagger.prompty", "-m", "rule:always.py:answer", "--light", code=0)
    assert "tagger" in done.stdout


def outcome_of(tagger: Project) -> subprocess.CompletedProcess[str]:
    """What pytest says of the exported file; it needs no plugin, and loading those that are here takes seconds."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rs", "test_tagger.py"],
        cwd=tagger.folder / "exported",
        env=tagger.variables() | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_the_pytest_file_is_run_by_pytest_with_a_scripted_model(tagger: Project) -> None:
    rules = [Rule(text="A tag.", predicate='one of "NN", "VB"'), Rule(text="Short.", predicate="words <= 1")]
    sent = making.bundle()
    tests = [making.case(each.inputs["sentence"], each.inputs["word"], rules[0]) for each in sent.cases]
    made = Artefacts(rules=tuple(rules), tests=tuple(tests))
    write_artefacts(tagger.folder / "tagger.tests", made, name="tagger", prompt="../tagger.prompty")
    tagger.run("export", "tagger.prompty", "--to", "pytest", "-o", "exported", code=0)
    tagger.write(
        "always.py",
        "def answer(request):\n    return 'It is a noun' if 'run' in request.messages[-1].content else 'NN'\n",
    )
    tagger.environment["PROCTOR_TEST_MODEL"] = "rule:always.py:answer"
    done = outcome_of(tagger)
    assert "1 failed, 3 passed" in done.stdout, done.stdout + done.stderr
    assert "rules" in done.stdout
    assert done.returncode == 1


def test_a_rule_nobody_can_judge_is_skipped_and_never_passed(tagger: Project) -> None:
    tagger.run("export", "tagger.prompty", "--to", "pytest", "-o", "exported", code=0)
    (tagger.folder / "proctor.yaml").unlink()
    only = (tagger.folder / "exported/tagger.jsonl").read_text().splitlines()
    header: dict[str, Any] = json.loads(only[0])
    judged = [rule for rule in header["suite"]["scorers"][0]["settings"]["rules"] if "predicate" not in rule]
    header["suite"]["scorers"][0]["settings"]["rules"] = judged
    case = {**json.loads(only[1]), "metadata": {"rules": [making.JUDGED.id]}}
    (tagger.folder / "exported/tagger.jsonl").write_text(json.dumps(header) + "\n" + json.dumps(case) + "\n")
    tagger.write("exported/always.py", "def answer(request):\n    return 'NN'\n")
    tagger.environment["PROCTOR_TEST_MODEL"] = "rule:always.py:answer"
    done = outcome_of(tagger)
    assert "1 failed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert "1 of 1 tests could not be judged" in done.stdout
    assert "PROCTOR_TEST_JUDGE" in done.stdout


def test_an_eval_is_created_with_a_run_for_each_model(tagger: Project, service: EvalsServer) -> None:
    use(tagger, service)
    words = ["--to", "openai-evals", "--upload", "-m", "openai:gpt-5", "-m", "mini", "--judge", "mini"]
    done = tagger.run("export", "tagger.prompty", *words, code=0)
    assert [path for path, _ in service.requests] == ["/v1/evals", "/v1/evals/eval_1/runs", "/v1/evals/eval_1/runs"]
    assert [body["data_source"]["model"] for _, body in service.requests[1:]] == ["gpt-5", "gpt-5-mini"]
    graders = service.evals["eval_1"]["testing_criteria"]
    assert {grader["model"] for grader in graders if "model" in grader} == {"gpt-5-mini"}
    assert "eval eval_1" in done.stdout
    assert "run run_2 on openai:gpt-5" in done.stdout
    assert evals_server.KEY not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("version", "path"),
    [
        ({}, "/openai/v1/evals"),
        ({"api_version": "2025-04-01-preview"}, "/openai/evals?api-version=2025-04-01-preview"),
    ],
)
def test_azure_has_the_same_shape_at_its_own_address(
    tagger: Project, service: EvalsServer, version: dict[str, str], path: str
) -> None:
    use(tagger, service, "azure:gpt-5", base_url=service.url, **version)
    tagger.run("export", "tagger.prompty", "--to", "azure-evals", "--upload", "-m", "azure:gpt-5", code=0)
    assert service.requests[0][0] == path
    judges = {each["model"] for each in service.evals["eval_1"]["testing_criteria"] if "model" in each}
    assert judges == {"gpt-5"}


def test_a_refusal_names_the_eval_that_was_made_and_hides_the_key(tagger: Project, service: EvalsServer) -> None:
    use(tagger, service)
    service.models = {"gpt-5"}
    words = ["--to", "openai-evals", "--upload", "-m", "openai:gpt-5", "-m", "mini"]
    done = tagger.run("export", "tagger.prompty", *words)
    assert done.returncode == 3
    assert "eval_1" in done.stderr
    assert "mini" in done.stderr
    tagger.environment["EVALS_KEY"] = "sk-wrong-0123456789abcdef"
    refused = tagger.run("export", "tagger.prompty", *words)
    assert refused.returncode == 3
    assert "sk-wrong-0123456789abcdef" not in refused.stdout + refused.stderr


def test_what_cannot_be_uploaded_is_told_before_anything_is_sent(tagger: Project, service: EvalsServer) -> None:
    use(tagger, service)
    tagger.write("always.py", "def answer(request):\n    return 'NN'\n")
    for words, said in (
        ([], "no model is named"),
        (["-m", "rule:always.py:answer"], "is not behind an API that has evals"),
    ):
        done = tagger.run("export", "tagger.prompty", "--to", "openai-evals", "--upload", *words, code=2)
        assert said in done.stderr
    assert service.requests == []


def test_stored_completions_carry_what_they_belong_to(tagger: Project, service: EvalsServer) -> None:
    use(tagger, service)
    tagger.run("run", "tagger.prompty", "-m", "openai:gpt-5", "--store-completions", "--light")
    bodies = [body for path, body in service.requests if path.endswith("/chat/completions")]
    assert len(bodies) == 4
    for body in bodies:
        assert body["store"] is True
        assert {"run", "test", "prompt", "dataset"} <= set(body["metadata"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["last"], "Name a file with -o, or a tool with --to"),
        (["last", "-o", "x.html", "--baseline"], "goes with --to"),
        (["tagger.prompty", "--to", "csv", "--upload"], "--upload goes with"),
        (["tagger.prompty", "--to", "csv", "--outcome", "fail"], "--outcome is for runs"),
        (["none.prompty", "--to", "csv"], "no such file"),
        (["untested.prompty", "--to", "csv"], "proctor generate"),
        (["tagger.prompty", "--to", "word"], "word"),
    ],
)
def test_mistakes_are_told(tagger: Project, words: list[str], said: str) -> None:
    tagger.write("untested.prompty", "system:\n{{q}}\n")
    done = tagger.run("export", *words, code=2)
    assert said in done.stderr


def test_a_run_is_exported_as_ever(tagger: Project, suite_of: Any) -> None:
    suite = suite_of(3, bad=(1,))
    tagger.run("run", suite, "-m", "stub", "-q", code=1)
    tagger.run("export", "last", "-o", "a.json", "-o", "b.csv", "--outcome", "fail", code=0)
    assert [each["outcome"] for each in json.loads((tagger.folder / "a.json").read_text())["results"]] == ["fail"]
    tagger.run("export", "-o", "c.html", code=0)
    assert (tagger.folder / "c.html").stat().st_size > 1000


def test_a_suite_is_exported_too(tagger: Project, suite_of: Any) -> None:
    done = tagger.run("export", suite_of(2), "--to", "promptfoo", "-o", "out", code=0)
    assert "say n1" in (tagger.folder / "out/promptfooconfig.yaml").read_text()
    assert "no model is named" in done.stderr


@pytest.mark.parametrize("tool", ["promptfoo", "openai-evals", "github-models", "promptpex"])
def test_what_we_export_comes_back_with_its_rules_and_predicates(tagger: Project, tool: str) -> None:
    tagger.run("export", "tagger.prompty", "--to", tool, "-m", "openai:gpt-5", "-o", "there", code=0)
    source = {"github-models": "there/tagger.prompt.yml", "promptpex": "there/tagger"}.get(tool, "there")
    done = tagger.run("import", source, "-o", "back", code=0)
    before, after = (read_artefacts(tagger.folder / each) for each in ("tagger.tests", "back/tagger.tests"))
    assert after.rules == before.rules, done.stdout + done.stderr
    sent = [
        without_doubt(case) for case in before.tests if GeneratedTest.of(case).is_usable
    ]  # invalid ones stay behind
    assert [case.id for case in after.tests] == [case.id for case in sent]
    assert [dict(case.metadata) for case in after.tests] == [dict(case.metadata) for case in sent]
    assert (tagger.folder / "back/tagger.prompty").read_text() == (tagger.folder / "tagger.prompty").read_text()


def test_tests_for_a_tool_need_the_name_of_a_prompt(tagger: Project) -> None:
    assert "Name the prompt" in tagger.run("export", "--to", "promptfoo", code=2).stderr


def test_an_exported_pytest_file_asks_the_models_of_the_export(tagger: Project) -> None:
    tagger.run("export", "tagger.prompty", "--to", "pytest", "-m", "openai:gpt-5", "-m", "small", "-o", "out", code=0)
    (file,) = (tagger.folder / "out").glob("test_*.py")
    assert "models=['openai:gpt-5', 'small'])" in file.read_text()
    suite = PytestSuite(str(file), suite="tagger.jsonl", prompt="tagger.prompty", models=("openai:gpt-5", "small"))
    assert list(suite.models) == ["openai:gpt-5", "small"]
    unnamed = PytestSuite(str(file), suite="tagger.jsonl", prompt="tagger.prompty")
    with pytest.raises(ConfigError, match="no model is set") as raised:
        unnamed.check(unnamed.case_ids[0], "")
    assert "PROCTOR_TEST_MODEL" in (raised.value.hint or "")


def test_results_in_doubt_are_written_alone(project: Project) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "search_faq", "arguments": "{}"}}
    said = [
        {"role": "user", "content": "What does breakfast cost?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": '{"text": "Breakfast costs 18 euros per person."}'},
    ]
    answers = {"wrong": "Breakfast costs 28 euros per person.", "right": "Breakfast costs 18 euros per person."}
    lines = [
        json.dumps({"id": name, "messages": [*said, {"role": "assistant", "content": answer}]})
        for name, answer in answers.items()
    ]
    project.write("log.jsonl", "\n".join(lines) + "\n")
    project.run("score", "log.jsonl", "--light", "-q", code=0)
    project.run("export", "last", "--outcome", "doubt", "-o", "doubt.csv", code=0)
    written = (project.folder / "doubt.csv").read_text()
    assert "wrong" in written
    assert "right" not in written
