from __future__ import annotations

from pathlib import Path

import pytest
from tests.tables import table

from proctor.core.errors import PromptError
from proctor.prompts.load import load_prompt, parse_prompt
from proctor.prompts.test_config import STAGES, split_sample, told

JOKES = """\
---
inputs:
  joke: "a default"
  stars: {type: integer}
tags: [fun, unlisted]
sample: {joke: knock, stars: 3}
scenarios:
  - name: English
  - name: French
    instructions: The user writes in French.
    parameters: {joke: toc, stars: "4"}
    region: EU
  - Japanese
instructions:
  inputSpec: About inputs.
  outputRules: [One., Two.]
  rules: Three.
  testExpansion: Longer.
testExpansions: 2
testSamples:
  - {joke: one, stars: 1, output: funny}
  - samples.csv
promptPex: {effort: high}
---
user:
{{joke}} {{stars}}
"""


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_bytes(text.encode())
    return folder / name


def test_all_that_an_author_tells(tmp_path: Path) -> None:
    write(tmp_path, "samples.csv", '\ufeffjoke;stars;output\r\n"two; lines";5;not funny\r\n')
    prompt = load_prompt(write(tmp_path, "jokes.prompty", JOKES))
    said = told(prompt)
    assert [scenario["name"] for scenario in said.scenarios] == ["English", "French", "Japanese"]
    assert said.scenarios[1] == {
        "name": "French",
        "instructions": "The user writes in French.",
        "parameters": {"joke": "toc", "stars": 4},
        "region": "EU",
    }
    assert said.samples == (
        {"joke": "knock", "stars": 3},
        {"joke": "one", "stars": 1, "output": "funny"},
        {"joke": "two; lines", "stars": 5, "output": "not funny"},
    )
    assert said.instructions == {"inputs": "About inputs.", "rules": "One.\nTwo.\nThree.", "expansion": "Longer."}
    assert said.tags == ("fun", "unlisted")
    assert said.options == {"effort": "high", "testExpansions": 2}
    assert said.metric == ""
    assert said.warnings == prompt.warnings == ()


def test_a_sample_is_taken_apart() -> None:
    prompt = parse_prompt("{{text}}")
    assert split_sample(prompt, {"text": "a", "output": "b", "note": "c"}) == ({"text": "a"}, "b")
    assert split_sample(prompt, {"text": "a"}) == ({"text": "a"}, None)
    assert split_sample(prompt, {"text": "a", "expected": {"b": [1]}}) == ({"text": "a"}, '{"b": [1]}')
    judge = parse_prompt("{{output}}")
    assert split_sample(judge, {"output": "a", "expected": "ok"}) == ({"output": "a"}, "ok")


@pytest.mark.parametrize("row", ['{input: hi, output: "yes"}', '{question: hi, output: "yes"}'])
def test_free_text_has_one_input_whatever_its_column_is_called(row: str) -> None:
    prompt = parse_prompt(f"---\ntestSamples: [{row}]\n---\nsystem:\nBe kind.")
    (sample,) = told(prompt).samples
    assert split_sample(prompt, sample) == ({"input": "hi"}, "yes")


def test_words_without_a_stage_are_for_all() -> None:
    assert told(parse_prompt("---\ninstructions: Short.\n---\n{{a}}")).instructions == dict.fromkeys(STAGES, "Short.")
    assert told(parse_prompt("---\ninstructions: ''\n---\n{{a}}")).instructions == {}


def test_what_is_odd_is_said() -> None:
    front = "instructions: {outputrule: x}\nscenarios: [{parameters: {txet: 1}}]\ntestData: [{other: 1}, {text: a}]"
    said = told(parse_prompt(f"---\n{front}\n---\n{{{{text}}}}"))
    assert said.scenarios[0]["name"] == "scenario 1"
    assert [warning.partition(":")[0] for warning in said.warnings] == ["scenarios[0]", "testData[0]", "instructions"]
    assert "did you mean `text`?" in said.warnings[0]
    assert said.samples == ({"text": "a"},)


def test_a_judges_prompt_is_known_by_its_name_and_by_its_tag(tmp_path: Path) -> None:
    verdict = load_prompt(write(tmp_path, "a.metric.prompty", "Say OK or ERR about {{output}}"))
    score = parse_prompt('---\ntags: [scorer]\ninputs: {rules: string}\n---\nJSON with "score" for {{output}}')
    assert told(verdict).metric == "verdict"
    assert told(score).metric == "score"
    assert score.warnings == (), "a judge need not use all it is handed"


FILES = {
    "rows.json": '{"rows": [{"text": "a"}, {"text": "b"}]}',
    "one.json": '{"text": "a"}',
    "rows.jsonl": '{"text": "a"}\n\n{"text": "b"}\n',
    "rows.yaml": "- text: a\n- text: b\n",
    "rows.tsv": "text\tx\na\t1\nb\t2\n",
}


@table(("name", "count"), [(name, 1 if name == "one.json" else 2) for name in FILES])
@table("form", ["{}", "[{}]", "${{file:{}}}"])
def test_rows_come_from_files(tmp_path: Path, name: str, count: int, form: str) -> None:
    (tmp_path / "data").mkdir()
    write(tmp_path / "data", name, FILES[name])
    path = write(tmp_path, "a.prompty", f"---\ntestSamples: {form.format('data/' + name)}\n---\n{{{{text}}}}")
    assert [row["text"] for row in told(load_prompt(path)).samples] == ["a", "b"][:count]


def test_the_sample_comes_from_a_file_too(tmp_path: Path) -> None:
    write(tmp_path, "sample.json", '{"text": "a"}')
    assert load_prompt(write(tmp_path, "a.prompty", "---\nsample: sample.json\n---\n{{text}}")).sample == {"text": "a"}
    with pytest.raises(PromptError) as caught:
        load_prompt(write(tmp_path, "b.prompty", "---\nsample: sampel.json\n---\n{{text}}"))
    assert caught.value.field == "sample"
    assert caught.value.hint == "did you mean sample.json?"


@table(
    ("front", "field", "what"),
    [
        ("testSamples: none.csv", "testSamples", "there is no file"),
        ("testSamples: [{text: a}, none/none.csv]", "testSamples[1]", "there is no file"),
        ("testSamples: /etc/hosts.csv", "testSamples", "does not begin at the prompt"),
        ("testSamples: ~/a.csv", "testSamples", "does not begin at the prompt"),
        ("testSamples: '${file:a.exe}'", "testSamples", "not a file of rows"),
        ("testSamples: folder.csv", "testSamples", "cannot be read"),
        ("testSamples: [5]", "testSamples[0]", "expected a row"),
        ("scenarios: French", "scenarios", "expected a list"),
        ("scenarios: [5]", "scenarios[0]", "expected a scenario"),
        ("scenarios: [{name: a}, {name: a}]", "scenarios", "two scenarios"),
        ("scenarios: [{name: a, parameters: 5}]", "scenarios[0].parameters", "expected a mapping"),
        ("scenarios: [{name: a, instructions: {b: 1}}]", "scenarios[0].instructions", "expected text"),
        ("instructions: 5", "instructions", "mapping of stages"),
        ("instructions: {rules: 5}", "instructions.rules", "expected text"),
        ("tags: {a: 1}", "tags", "list of words"),
        ("sample: five", "sample", "expected a sample"),
    ],
)
def test_bad_parts_are_told_with_field_and_mend(tmp_path: Path, front: str, field: str, what: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    path = write(tmp_path, "a.prompty", f"---\n{front}\n---\n{{{{text}}}}")
    with pytest.raises(PromptError, match=what) as caught:
        told(load_prompt(path))
    assert (caught.value.file, caught.value.field) == (str(path), field)
    assert caught.value.hint


@table(
    ("name", "text", "what"),
    [
        ("a.csv", "text,text\n1,2\n", "header"),
        ("a.csv", "text,b\n1\n", "1 cells and the header has 2"),
        ("a.csv", 'text\n"open\n', "not a table"),
        ("a.json", "{", "not valid JSON"),
        ("a.json", "[1]", "row 1 is not a mapping"),
        ("a.yaml", "a: [", "not valid YAML"),
        ("a.jsonl", "{}\nx\n", "not valid JSON"),
    ],
)
def test_bad_rows_name_their_file(tmp_path: Path, name: str, text: str, what: str) -> None:
    rows = write(tmp_path, name, text)
    with pytest.raises(PromptError, match=what) as caught:
        told(load_prompt(write(tmp_path, "p.prompty", f"---\ntestSamples: {name}\n---\n{{{{text}}}}")))
    assert caught.value.file == str(rows)


def test_text_has_no_folder_to_look_in() -> None:
    with pytest.raises(PromptError, match="in no folder"):
        told(parse_prompt("---\ntestSamples: a.csv\n---\n{{text}}"))
