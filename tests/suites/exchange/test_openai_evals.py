from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.suites.exchange.making import JUDGED, LABEL, OWN, SHORT, bundle
from tests.tables import table

from proctor.core.case import Suite
from proctor.core.errors import InputError, SuiteError
from proctor.core.rule import Rule
from proctor.prompts.load import parse_prompt
from proctor.suites.exchange.evals_write import eval_payload, run_payload, write_azure_evals, write_openai_evals
from proctor.suites.exchange.openai_evals import is_openai_evals, read_openai_evals
from proctor.wiring.scorers import GraderFactory

GRADERS: list[dict[str, Any]] = [
    {
        "type": "string_check",
        "name": "eq",
        "input": "{{sample.output_text}}",
        "reference": "{{item.want}}",
        "operation": "eq",
    },
    {
        "type": "string_check",
        "name": "has",
        "input": "{{ sample.output_text }}",
        "reference": "Tag",
        "operation": "ilike",
    },
    {"type": "string_check", "name": "other", "input": "{{item.text}}", "reference": "x", "operation": "eq"},
    {
        "type": "text_similarity",
        "name": "near",
        "input": "{{sample.output_text}}",
        "reference": "{{item.want}}",
        "evaluation_metric": "fuzzy_match",
        "pass_threshold": 0.7,
    },
    {
        "type": "label_model",
        "name": "label",
        "model": "gpt-4o",
        "input": [
            {"role": "developer", "content": {"type": "input_text", "text": "Is it right?"}},
            {"role": "user", "content": "{{item.text}}: {{sample.output_text}}"},
        ],
        "labels": ["OK", "ERR", "MAYBE"],
        "passing_labels": ["OK"],
    },
    {
        "type": "score_model",
        "name": "score",
        "model": "gpt-4o",
        "input": [{"role": "system", "content": "Rate it."}],
        "range": [0, 100],
        "pass_threshold": 50,
    },
    {"type": "python", "name": "code", "source": "def grade(sample, item): return 1.0"},
    {"type": "endpoint", "name": "far"},
]


def the_eval(**more: Any) -> dict[str, Any]:
    config = {"type": "custom", "schema": {}}
    return {"object": "eval", "id": "eval_1", "name": "My Eval!", "data_source_config": config, **more}


def a_run(model: str = "gpt-5", **more: Any) -> dict[str, Any]:
    template = [
        {"type": "message", "role": "developer", "content": {"type": "input_text", "text": "Tag the text."}},
        {"type": "message", "role": "user", "content": {"type": "input_text", "text": "{{ item.text }}"}},
    ]
    source = {"type": "file_content", "content": [{"item": {"text": "a dog", "want": "NN"}}]}
    data = {"type": "completions", "model": model, "input_messages": {"type": "template", "template": template}}
    return {"object": "eval.run", "id": "run_1", "data_source": {**data, "source": source, **more}}


def an_output(text: str, answer: str, model: str = "gpt-5-2025") -> dict[str, Any]:
    return {
        "object": "eval.run.output_item",
        "id": "out_1",
        "status": "fail",
        "datasource_item": {"text": text, "want": "NN"},
        "results": [{"name": "eq", "passed": False, "score": 0.0, "sample": {}}],
        "sample": {"model": model, "output": [{"role": "assistant", "content": answer}], "input": []},
    }


def write(folder: Path, **files: Any) -> Path:
    for name, data in files.items():
        stem, ending = name.rsplit("_", 1)
        text = "".join(json.dumps(row) + "\n" for row in data) if ending == "jsonl" else json.dumps(data)
        (folder / f"{stem}.{ending}").write_text(text)
    return folder


def test_an_export_is_read_whole(tmp_path: Path) -> None:
    outputs = {"object": "list", "data": [an_output("a dog", "VB"), an_output("a dog", "NN"), an_output("a cat", "NN")]}
    folder = write(
        tmp_path,
        eval_json=the_eval(testing_criteria=GRADERS),
        run_json=a_run(),
        more_json=a_run("gpt-5-mini"),
        outputs_json=outputs,
        items_jsonl=[{"item": {"text": "a bird", "want": "NN"}}],
    )
    made = read_openai_evals(folder)
    assert made.name == "my-eval"
    assert made.file is not None
    assert made.file[1] == "system:\nTag the text.\n\nuser:\n{{text}}\n"
    assert made.models == ("openai:gpt-5-mini", "openai:gpt-5")
    assert [(dict(case.inputs), case.metadata["item"]) for case in made.cases] == [
        ({"text": "a bird"}, {"want": "NN"}),
        ({"text": "a dog"}, {"want": "NN"}),
        ({"text": "a cat"}, {"want": "NN"}),
    ]
    assert [check.scorer for check in made.checks] == ["contains", "judge", "judge"]
    assert [check.scorer for check in made.cases[0].checks] == ["exact", "overlap"]
    label, score = made.checks[1:]
    assert label.settings["labels"] == {"OK": 1.0, "ERR": 0.0, "MAYBE": 0.0}
    assert label.settings["rubric"] == "Is it right?\n\n[text of the input]: [the answer]"
    assert (score.settings["scale"], score.threshold) == ([0.0, 100.0], 0.5)
    assert [(each.model, each.sample, each.answer) for each in made.recorded] == [
        ("gpt-5-2025", 0, "VB"),
        ("gpt-5-2025", 1, "NN"),
        ("gpt-5-2025", 0, "NN"),
    ]
    assert made.recorded[0].verdicts["results"] == [{"name": "eq", "passed": False, "score": 0.0}]
    told = "\n".join(made.notes)
    for lost in ("'code' is code", "'endpoint'", "something else than the answer", "chrF", "--judge"):
        assert lost in told
    grader_factory = GraderFactory(Suite(name="s"), None)
    for check in (*made.checks, *made.cases[0].checks):
        grader_factory.grader(check)


def test_items_of_messages_are_conversations(tmp_path: Path) -> None:
    said = [
        {"role": "developer", "content": "Be short."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "Who are you?"},
    ]
    made = read_openai_evals(write(tmp_path, items_jsonl=[{"item": {"input": said, "ideal": "x"}}]))
    (case,) = made.cases
    assert [message.role for message in case.history] == ["system", "user", "assistant"]
    assert case.input == "Who are you?"
    assert any("no graders" in note for note in made.notes)


def test_items_with_answers_are_recordings(tmp_path: Path) -> None:
    row = {"item": {"input": "Hi"}, "sample": {"output_text": "Hello", "model": "m"}}
    made = read_openai_evals(write(tmp_path, items_jsonl=[row]))
    assert [(each.model, each.answer) for each in made.recorded] == [("m", "Hello")]


def test_what_lies_elsewhere_is_named(tmp_path: Path) -> None:
    made = read_openai_evals(write(tmp_path, run_json=a_run(source={"type": "file_id", "id": "file-abc"})))
    assert any("file-abc" in note for note in made.notes)


def test_nothing_of_an_eval_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="nothing of an eval"):
        read_openai_evals(write(tmp_path, other_json={"a": 1}))
    (tmp_path / "other.json").write_text("{")
    with pytest.raises(SuiteError, match="not valid JSON"):
        read_openai_evals(tmp_path)


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    sent = bundle()
    made = write_openai_evals(sent)
    files = {"eval.json", "run.gpt-5.json", "run.gpt-5-mini.json", "items.jsonl"}
    assert set(made.files) == files | {"proctor-export.json"}
    for name, text in made.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    back = read_openai_evals(tmp_path)
    assert back.prompt is not None
    assert sent.prompt is not None
    assert [(message.role, message.text) for message in back.prompt.messages] == [
        (message.role, message.text.replace("{{ word }}", "{{word}}")) for message in sent.prompt.messages
    ]
    assert sorted(back.models) == sorted(sent.models)
    assert [dict(case.inputs) for case in back.cases] == [dict(each.inputs) for each in (*sent.cases, *sent.baseline)]
    assert "VB because" not in "".join(made.files.values())
    assert made == write_openai_evals(sent)


def test_graders_by_the_rules() -> None:
    has = Rule(text="Says NN.", predicate='contains "NN"')
    payload = eval_payload(bundle(rules=(LABEL, SHORT, OWN, JUDGED, has)), judge="j")
    kinds = [grader["type"] for grader in payload["testing_criteria"]]
    assert kinds == ["python", "python", "label_model", "label_model", "string_check"]
    assert payload["testing_criteria"][4]["operation"] == "like"
    label = payload["testing_criteria"][3]
    assert JUDGED.text.replace("{{sentence}}", "{{item.sentence}}") in label["input"][0]["content"]
    assert "{{item.input}}" in label["input"][1]["content"]
    assert label["model"] == "j"


def test_a_tentative_predicate_is_judged_there() -> None:
    unsure = Rule(text="Says NN.", predicate='contains "NN"', tentative=True)
    assert [each["type"] for each in eval_payload(bundle(rules=(unsure,)))["testing_criteria"]] == ["label_model"]


@table(
    ("predicate", "good", "bad"),
    [
        ('one of "NN", "it\'s \\"x\\""', 'it\'s "x"', "NNP"),
        ("words between 2 and 3", "a b", "a"),
        ('contains any "x", "y" ignoring case and words < 3', "X", "x y z w"),
        ('contains none "no"', "yes", "no"),
        ("is json", '{"a": 1}', "{a"),
        (r"matches /^\d+$/m", "x\n12", "x"),
        (r"is /[a-z]+\/[a-z]+/i", "A/b", "A/b!"),
        ('starts with "S" and ends with "E"', "SE", "S"),
    ],
)
def test_a_grader_in_python_judges_as_the_predicate_does(predicate: str, good: str, bad: str) -> None:
    from proctor.text.predicates import parse

    canonical = parse(predicate)
    (grader,) = eval_payload(bundle(rules=(Rule(text="t", predicate=canonical.text),)))["testing_criteria"]
    module: dict[str, Any] = {}
    exec(grader["source"], module)
    for answer, ok in ((good, True), (bad, False)):
        assert canonical.check(answer).ok is ok
        assert module["grade"]({"output_text": answer}, {}) == float(ok)


def test_every_item_holds_what_the_schema_asks_for() -> None:
    sent = bundle()
    schema = eval_payload(sent)["data_source_config"]["item_schema"]
    items = run_payload(sent, model="m")["data_source"]["source"]["content"]
    assert {"sentence", "word", "input", "test_id"} <= set(schema["required"])
    for row in items:
        assert set(schema["required"]) <= set(row["item"])
        assert set(row["item"]) <= set(schema["properties"])


def test_a_template_with_conditions_is_filled_in_here() -> None:
    prompt = parse_prompt("system:\n{% if word %}Tag {{word}}.{% endif %}\n\nuser:\n{{sentence}}\n")
    payload = run_payload(bundle(prompt=prompt), model="m")["data_source"]
    assert payload["input_messages"] == {"type": "item_reference", "item_reference": "item.messages"}
    assert payload["source"]["content"][0]["item"]["messages"][0] == {"role": "system", "content": "Tag dog."}


def test_azure_judges_with_a_deployment_and_says_so() -> None:
    made = write_azure_evals(bundle(models=("azure:my-deployment",)))
    data = json.loads(made.files["eval.json"])
    judges = {grader["model"] for grader in data["testing_criteria"] if "model" in grader}
    assert judges == {"my-deployment"}
    assert any("deployment" in note for note in made.notes)


def test_nothing_to_grade_by_is_refused() -> None:
    with pytest.raises(InputError, match="nothing an eval could grade by"):
        eval_payload(bundle(rules=()))


KEYS = ["object", "data", "item", "data_source", "testing_criteria", "data_source_config", "sample", "type", "name"]
KEYS += ["input", "reference", "operation", "labels", "passing_labels", "range", "pass_threshold", "model", "source"]
KEYS += ["content", "input_messages", "template", "role", "datasource_item", "results", "output", "output_text"]
WORDS = ["custom", "string_check", "label_model", "score_model", "list", "eq", "{{sample.output_text}}", "user", ""]
plain = st.recursive(
    st.none() | st.integers(-2, 2) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


@given(plain)
def test_any_json_is_something_of_an_eval_or_not(data: Any) -> None:
    assert is_openai_evals(data) in (True, False)


@settings(max_examples=examples(150))
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), plain, max_size=6), min_size=1, max_size=3))
def test_any_export_is_read_or_refused_with_a_reason(objects: list[dict[str, Any]]) -> None:
    grader = {"type": "label_model", "name": "g", **objects[0]}
    whole = {"testing_criteria": [grader], "data_source_config": {}}
    with tempfile.TemporaryDirectory() as folder, suppress(InputError):
        made = read_openai_evals(write(Path(folder), eval_json=whole, items_jsonl=[{"item": objects[0]}, *objects]))
        assert made.name
