from __future__ import annotations

from pathlib import Path

import pytest
from tests.suites.exchange.making import JUDGED, LABEL, OWN, bundle

from proctor.core.case import Case, Suite
from proctor.core.errors import InputError
from proctor.core.rule import Rule
from proctor.prompts.load import load_prompt, parse_prompt
from proctor.prompts.yaml_text import read_yaml
from proctor.suites.exchange.github_models import read_github_models
from proctor.suites.exchange.github_write import write_github_models
from proctor.wiring.scorers import GraderFactory

FILE = """\
# a comment of the author's
name: Summarizer
model: openai/gpt-4o-mini
modelParameters: {temperature: 0.5}
messages:
  - role: system
    content: Summarize.
  - role: user
    content: "{{text}}"
testData:
  - text: The fox jumped.   # mine
    expected: Summary - fox
    word: fox
  - text: A second one.
  - not a mapping
evaluators:
  - name: starts
    string: {startsWith: "Summary -"}
  - name: same
    string: {equals: "{{expected}}"}
  - name: names it
    string: {contains: "{{word}}"}
  - name: judge
    llm:
      modelId: openai/gpt-4o
      systemPrompt: Rate the answer from 1 to 3.
      prompt: "Question: {{text}}\\nExpected: {{expected}}\\nAnswer: {{completion}}"
      choices: [{choice: "1", score: 0}, {choice: "2", score: 0.5}, {choice: "3", score: 1}]
  - name: fluent
    uses: github/fluency
  - name: close
    uses: github/similarity
  - name: odd
    uses: github/nonsense
  - name: empty
my_key: kept
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "summarizer.prompt.yml"
    file.write_text(FILE)
    return file


def test_evaluators_become_checks_and_rows_become_cases(path: Path) -> None:
    made = read_github_models(path)
    assert [check.scorer for check in made.checks] == ["regex", "judge", "fluency", "judge"]
    judge = made.checks[1]
    assert judge.settings["labels"] == {"1": 0.0, "2": 0.5, "3": 1.0}
    assert judge.threshold == 0.5  # they pass whatever is above nothing
    assert judge.settings["rubric"] == (
        "Rate the answer from 1 to 3.\n\nQuestion: [text of the input]\nExpected: [the reference]\nAnswer: [the answer]"
    )
    first, second = made.cases
    assert (first.inputs, first.expect.reference) == ({"text": "The fox jumped."}, "Summary - fox")
    assert first.metadata == {"testData": {"word": "fox"}}
    assert [(check.scorer, check.settings["value"]) for check in first.checks] == [
        ("exact", "Summary - fox"),
        ("contains", "fox"),
    ]
    assert second.expect.reference is None
    assert made.models == ("openai:gpt-4o-mini",)
    told = "\n".join(made.notes)
    for lost in ("no mapping", "--judge", "nonsense", "'empty' says nothing", "scorer `fluency`"):
        assert lost in told
    grader_factory = GraderFactory(Suite(name="s"), None)
    for check in (*made.checks, *first.checks):
        grader_factory.grader(check)


def test_texts_are_compared_as_they_do_it(path: Path) -> None:
    starts = read_github_models(path).checks[0]
    assert starts.settings == {"value": r"\A\s*Summary\ \-", "ignore_case": True}


def test_a_prompt_without_tests_is_a_prompt(tmp_path: Path) -> None:
    file = tmp_path / "p.prompt.yml"
    file.write_text("messages: [{role: user, content: '{{q}}'}]\n")
    made = read_github_models(file)
    assert (made.cases, made.checks, made.notes) == ((), (), ())


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    sent = bundle()
    made = write_github_models(sent)
    (name,) = made.files
    edited = made.files[name].replace("proctor:", "another_tool:")  # without our record, as after an edit
    (tmp_path / name).write_text(edited, encoding="utf-8")
    back = read_github_models(tmp_path / name)
    assert back.prompt is not None
    assert sent.prompt is not None
    assert [message.text for message in back.prompt.messages] == [message.text for message in sent.prompt.messages]
    assert back.prompt.sampling.temperature == 0
    assert [dict(case.inputs) for case in back.cases] == [dict(each.inputs) for each in (*sent.cases, *sent.baseline)]
    assert [case.expect.reference for case in back.cases] == ["NN", None, None, None]
    assert len(back.checks) == len(sent.enabled)
    assert all(check.settings["labels"] == {"broken": 0.0, "kept": 1.0} for check in back.checks)
    assert "VB because" not in made.files[name]
    assert made == write_github_models(sent)


def test_only_comparisons_that_mean_the_same_are_their_comparisons() -> None:
    loose = Rule(text="Says summary.", predicate='contains "Summary" ignoring case')
    mark = Rule(text="Has a brace.", predicate='starts with "{"')
    strict = Rule(text="Says NN.", predicate='contains "NN"')
    unsure = Rule(text="Says tags.", predicate='contains "tags" ignoring case', tentative=True)
    data = read_yaml(write_github_models(bundle(rules=(loose, mark, strict, unsure))).files["tagger.prompt.yml"])
    strings = [{"contains": "Summary"}, {"startsWith": "{"}, None, None]
    assert [each.get("string") for each in data["evaluators"]] == strings


def test_the_authors_own_file_keeps_all_it_says(path: Path) -> None:
    prompt = load_prompt(path)
    cases = (Case(id="a", inputs={"text": "The fox jumped."}), Case(id="b", inputs={"text": "New."}))
    sent = bundle(name="summarizer", prompt=prompt, rules=(LABEL, OWN, JUDGED), cases=cases, baseline=())
    text = write_github_models(sent).files["summarizer.prompt.yml"]
    for kept in ("# a comment of the author's", "# mine", "my_key: kept", "Summary - fox"):
        assert kept in text
    data = read_yaml(text)
    assert [row["text"] for row in data["testData"] if isinstance(row, dict)] == [
        "The fox jumped.",
        "A second one.",
        "New.",
    ]
    assert len(data["evaluators"]) == 8 + 3


def test_a_template_with_conditions_is_refused() -> None:
    prompt = parse_prompt("user:\n{% if a %}{{a}}{% endif %}\n")
    with pytest.raises(InputError, match="fills in names"):
        write_github_models(bundle(prompt=prompt))
