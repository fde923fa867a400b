from __future__ import annotations

import json

import pytest

from proctor.generate.artefacts import read_artefacts
from proctor.prompts.load import load_prompt
from proctor.suites.load import open_suite
from proctor.workflows.exchange.files import import_files
from tests.cli.conftest import Project

FOO = """\
prompts: ["Say {{q}}"]
providers: [openai:gpt-5]
defaultTest: {assert: [{type: contains, value: x}]}
tests:
  - {vars: {q: x1}, assert: [{type: javascript, value: "1"}]}
  - {vars: {q: x2}}
"""
GITHUB = """\
name: Echo
model: openai/gpt-4o
messages: [{role: user, content: "say {{q}}"}]
testData: [{q: one, expected: one}, {q: two, expected: zwei}]
evaluators: [{name: same, string: {equals: "{{expected}}"}}]
"""


def test_promptfoo_becomes_a_prompt_with_tests_that_run(project: Project) -> None:
    project.write("in/foo.yaml", FOO)
    done = project.run("import", "in/foo.yaml", "-o", "out", code=0)
    assert "foo (promptfoo): 2 tests" in done.stdout
    assert "javascript is code" in done.stderr
    assert "openai:gpt-5" in done.stdout
    assert load_prompt(project.folder / "out/foo.prompty").inputs == {"q": {"type": "string"}}
    found = read_artefacts(project.folder / "out/foo.tests")
    assert [case.inputs for case in found.tests] == [{"q": "x1"}, {"q": "x2"}]
    assert [check.scorer for case in found.tests for check in case.checks] == ["contains", "contains"]
    run = project.run("run", "out/foo.prompty", "-m", "stub", code=0)
    assert "2" in run.stdout


def test_a_github_models_file_is_left_where_it_is_and_its_tests_run(project: Project) -> None:
    path = project.write("echo.prompt.yml", GITHUB)
    before = path.read_bytes()
    project.run("import", "echo.prompt.yml", code=0)
    assert path.read_bytes() == before
    failed = project.run("run", "echo.prompt.yml", "-m", "stub", code=1)
    assert "zwei" in failed.stdout


def test_nothing_is_replaced_without_force(project: Project) -> None:
    project.write("echo.prompt.yml", GITHUB)
    project.run("import", "echo.prompt.yml", "-o", "out", code=0)
    tests = project.folder / "out/echo.tests/tests.yaml"
    tests.write_text("name: mine\ncases: [{id: a, inputs: {q: mine}}]\n")
    refused = project.run("import", "echo.prompt.yml", "-o", "out", code=2)
    assert "is there already" in refused.stderr
    assert "--force" in refused.stderr
    assert "mine" in tests.read_text()
    project.run("import", "echo.prompt.yml", "-o", "out", "--force", code=0)
    assert "mine" not in tests.read_text()


def test_a_promptpex_folder_brings_rules_tests_and_answers(project: Project) -> None:
    folder = "pex/p"
    project.write(f"{folder}/rules.txt", "Say yes or no.\nBe short.\n")
    project.write(f"{folder}/inverse_rules.txt", "Say maybe.\nBe long.\n")
    tests = [
        {"ruleid": "1", "question": "say yes", "testinput": "say yes", "groundtruth": "yes", "groundtruthScore": 100},
        {"ruleid": "4", "question": "say no", "testinput": "say no", "groundtruth": "??", "groundtruthScore": 10},
    ]
    project.write(f"{folder}/tests.json", json.dumps(tests))
    results = [{"testinput": "say yes", "model": "ollama/x:1", "output": "yes", "compliance": "ok"}]
    project.write(f"{folder}/test_results.json", json.dumps(results))
    prompt = project.write("p.prompty", "system:\nAnswer.\n\nuser:\n{{question}}\n")
    done = project.run("import", folder, "--prompt", str(prompt), "-o", "out", code=0)
    assert "2 rules, 2 tests, 1 recorded answers" in done.stdout
    found = read_artefacts(project.folder / "out/p.tests")
    assert [rule.text for rule in found.rules] == ["Say yes or no.", "Say maybe.", "Be short.", "Be long."]
    aimed = [case.metadata["rules"] for case in found.tests]
    assert aimed == [[found.rules[0].id], [found.rules[3].id]]
    assert [case.expect.reference for case in found.tests] == ["yes", None]
    recording = project.folder / "out/p.recorded/ollama-x-1.jsonl"
    row = json.loads(recording.read_text())
    assert (row["id"], row["answer"]) == (found.tests[0].id, "yes")


def test_recorded_answers_are_graded_by_the_imported_rules(project: Project) -> None:
    project.write("pex/p/rules.txt", "One word.\n")
    project.write("pex/p/tests.json", json.dumps([{"ruleid": "1", "q": "a", "testinput": "a"}]))
    answers = [{"testinput": "a", "model": name, "output": text} for name, text in (("good", "yes"), ("bad", "no no"))]
    project.write("pex/p/test_results.json", json.dumps(answers))
    project.write("pex/p.prompty", "system:\n{{q}}\n")
    project.run("import", "pex/p", code=0)
    rules = project.folder / "p.tests/rules.yaml"
    rules.write_text("rules: [{text: One word., predicate: words = 1}]\n")
    words = ["-t", "recording:p.recorded/good.jsonl", "-t", "recording:p.recorded/bad.jsonl", "-o", "r.json"]
    project.run("run", "p.prompty", *words, code=1)
    results = json.loads((project.folder / "r.json").read_text())["results"]
    assert [each["outcome"] for each in results] == ["pass", "fail"]


def test_an_openai_eval_without_a_prompt_is_a_plain_suite(project: Project) -> None:
    grader = {
        "type": "string_check",
        "name": "has",
        "input": "{{sample.output_text}}",
        "reference": "n",
        "operation": "like",
    }
    config = {"type": "custom", "item_schema": {}}
    project.write("e/eval.json", json.dumps({"name": "E", "data_source_config": config, "testing_criteria": [grader]}))
    project.write("e/items.jsonl", json.dumps({"item": {"input": "say n1"}}) + "\n")
    project.run("import", "e", code=0)
    loaded = open_suite(project.folder / "e.yaml")
    assert [case.input for case in loaded.cases()] == ["say n1"]
    project.run("run", "e.yaml", "-m", "stub", code=0)


def test_bare_text_becomes_a_prompty_with_its_inputs(project: Project) -> None:
    project.write("bare.txt", "Translate {text} to French.")
    done = project.run("import", "bare.txt", code=0)
    assert "the prompt alone" in done.stdout
    assert "text" in load_prompt(project.folder / "bare.prompty").inputs
    again = project.run("import", "bare.prompty", code=2)
    assert "already" in again.stderr


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.yaml", "cases: [hello]\n", "whose file this is"),
        ("x.json", "{", "not valid JSON"),
        ("x.bin", "\x01", "whose file this is"),
        ("empty/readme.txt", "x", "nothing that can be imported"),
    ],
)
def test_what_cannot_be_read_is_told_with_what_can(project: Project, name: str, text: str, said: str) -> None:
    path = project.write(name, text)
    given = path.parent if name.startswith("empty") else path
    done = project.run("import", str(given), code=2)
    assert said in done.stderr
    assert "hint:" in done.stderr


def test_a_path_that_is_not_there_names_its_neighbours(project: Project) -> None:
    project.write("echo.prompt.yml", GITHUB)
    done = project.run("import", "eco.prompt.yml", code=2)
    assert "echo.prompt.yml" in done.stderr


def test_the_help_is_quick_to_read(project: Project) -> None:
    assert "promptfoo" in project.run("import", "--help", code=0).stdout


def test_a_name_from_a_file_cannot_lead_out_of_the_folder(project: Project) -> None:
    tests = [{"ruleid": "1", "q": "a", "testinput": "a"}]
    answer = [{"testinput": "a", "model": "../../../m", "output": "x"}]
    context = {
        "name": "../../evil",
        "prompt": {"content": "system:\n{{q}}\n"},
        "rules": {"content": "One.\n"},
        "promptPexTests": tests,
        "testOutputs": {"content": json.dumps(answer)},
    }
    path = project.write("in/promptpex_context.json", json.dumps(context))
    (made,) = import_files(path, project.folder / "deep" / "out")
    inside = (project.folder / "deep" / "out").resolve()
    assert {file.resolve().is_relative_to(inside) for file in made.files} == {True}
    assert [file.name for file in made.files] == ["evil.prompty", "m.jsonl", "evil.tests"]


def test_several_prompts_of_one_file_share_their_notes(project: Project) -> None:
    text = FOO.replace('["Say {{q}}"]', '["Say {{q}}", "Shout {{q}}"]')
    done = project.run("import", str(project.write("foo.yaml", text)), "-o", "out", code=0)
    assert (project.folder / "out/foo-1.prompty").is_file()
    assert (project.folder / "out/foo-2.tests/tests.yaml").is_file()
    assert done.stderr.count("javascript is code") == 1


def test_a_folder_around_several_names_the_folders_inside(project: Project) -> None:
    project.write("out/shop/promptpex_context.json", "{}")
    project.write("out/tags/promptpex_context.json", "{}")
    assert "give one of the folders inside it: out/shop, out/tags" in project.run("import", "out", code=2).stderr


def test_the_folder_given_to_an_export_is_the_one_inside_it(project: Project) -> None:
    project.write("shop.prompty", "Say hello to the customer in at most 20 words.\n")
    project.run("generate", "shop.prompty", "--no-model", code=0)
    project.run("export", "shop.prompty", "--to", "promptpex", "-o", "out", code=0)
    assert [each.name for each in (project.folder / "out").iterdir()] == ["shop"]
    project.run("import", "out", "-o", "back", code=0)
    assert (project.folder / "back/shop.tests/tests.yaml").is_file()


def test_a_suite_needs_no_import(project: Project) -> None:
    project.write("cases.csv", "input,__expected\nHi,Hello\n")
    assert "proctor run cases.csv" in project.run("import", "cases.csv", code=2).stderr


def test_other_json_beside_an_eval_is_passed_over(project: Project) -> None:
    project.write("evals/a.json", '{"something": "else"}')
    project.write(
        "evals/eval.json", '{"object": "eval", "testing_criteria": [], "data_source_config": {"type": "custom"}}'
    )
    assert "cannot be told whose" not in project.run("import", "evals").stderr
