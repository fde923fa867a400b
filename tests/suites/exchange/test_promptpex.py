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
from tests.suites.exchange.making import INVERSE, LABEL, SHORT, bundle
from tests.tables import table

from proctor.core.errors import InputError, SuiteError
from proctor.suites.exchange.bundle import Bundle
from proctor.suites.exchange.promptpex import read_promptpex
from proctor.suites.exchange.promptpex_files import rule_lines
from proctor.suites.exchange.promptpex_write import write_promptpex

PARTS = ["content", "filename", "prompt", "rules", "inverseRules", "tests", "promptPexTests", "options", "maxRules"]
PARTS += ["modelsUnderTest", "inputs", "name", "ruleid", "testinput", "baseline", "groundtruth", "groundtruthScore"]
PARTS += ["testOutputs", "output", "model", "ruleEvals", "testEvals", "scenario", "testuid"]
PROMPT = "---\nname: p\n---\nsystem:\nSay yes or no.\n\nuser:\n{{question}}\n"


def row(rule: int, text: str, **more: Any) -> dict[str, Any]:
    return {"ruleid": str(rule), "testid": "1", "question": text, "testinput": text, "scenario": "", **more}


def folder_with(folder: Path, tests: list[Any], *, rules: int = 3, context: dict[str, Any] | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "rules.txt").write_text("".join(f"{n}. Rule {n}.\n" for n in range(1, rules + 1)))
    (folder / "inverse_rules.txt").write_text("".join(f"- Not rule {n}.\n" for n in range(1, rules + 1)))
    (folder / "intent.txt").write_text("Answers.\n")
    (folder / "input_spec.txt").write_text("The input is a question.\n\nIt is in English.\n")
    (folder / "tests.json").write_text(json.dumps(tests))
    prompt = {"filename": "p.prompty", "content": PROMPT}
    inputs = {"question": {"type": "string"}}
    (folder / "promptpex_context.json").write_text(
        json.dumps({"name": "p", "prompt": prompt, "rules": {}, "inputs": inputs, **(context or {})})
    )
    return folder


def aims(made: Bundle) -> list[str]:
    texts = {rule.id: rule.text for rule in made.rules}
    return [texts[each] for case in made.cases for each in case.metadata.get("rules", ())]


def test_rules_are_linked_to_their_opposites_and_tests_to_their_rules(tmp_path: Path) -> None:
    made = read_promptpex(folder_with(tmp_path / "p", [row(1, "a"), row(4, "b"), row(6, "c")]))
    assert [rule.text for rule in made.enabled] == ["Rule 1.", "Rule 2.", "Rule 3."]
    assert made.rules[4].inverse_of == made.rules[1].id
    assert aims(made) == ["Rule 1.", "Not rule 1.", "Not rule 3."]
    assert [case.metadata["polarity"] for case in made.cases] == ["positive", "negative", "negative"]
    assert made.intent == "Answers."
    assert made.inputs == {"question": ("The input is a question.", "It is in English.")}
    assert made.prompt is not None
    assert made.prompt.name == "p"
    assert not made.notes


def test_a_cap_that_the_tests_tell_themselves_is_believed(tmp_path: Path) -> None:
    """Numbers 1 and 2 are rules, 3 and 4 inverse rules: two of the three rules were used."""
    tests = [row(n, str(n), inverse=n > 2) for n in (1, 2, 3, 4)]
    made = read_promptpex(folder_with(tmp_path / "p", tests))
    assert aims(made) == ["Rule 1.", "Rule 2.", "Not rule 1.", "Not rule 2."]


def test_a_saved_cap_counts_where_the_tests_fit_it(tmp_path: Path) -> None:
    options = {"options": {"maxRules": 1}}
    made = read_promptpex(folder_with(tmp_path / "p", [row(1, "a"), row(2, "b")], context=options))
    assert aims(made) == ["Rule 1.", "Not rule 1."]


def test_a_saved_cap_that_the_tests_overstep_was_set_later(tmp_path: Path) -> None:
    options = {"options": {"maxRules": 1}}
    made = read_promptpex(folder_with(tmp_path / "p", [row(1, "a"), row(5, "b")], context=options))
    assert aims(made) == ["Rule 1.", "Not rule 2."]
    assert "all rules are counted" in made.notes[0]


def test_groundtruth_below_the_threshold_is_kept_but_is_no_reference(tmp_path: Path) -> None:
    scores = {"a": 95, "b": 75, "c": -1}
    tests = [row(1, text, groundtruth=f"g{text}", groundtruthScore=score) for text, score in scores.items()]
    made = read_promptpex(folder_with(tmp_path / "p", [*tests, row(2, "d", groundtruth="never scored")]))
    assert [case.expect.reference for case in made.cases] == ["ga", None, None, None]
    assert [case.metadata["groundtruth"]["accepted"] for case in made.cases] == [True, False, False, False]
    assert made.cases[1].metadata["groundtruth"]["text"] == "gb"


def test_what_the_generator_expected_is_never_a_reference(tmp_path: Path) -> None:
    made = read_promptpex(folder_with(tmp_path / "p", [row(1, "a", expectedoutput="yes")]))
    assert made.cases[0].expect.reference is None
    assert made.cases[0].metadata["expected_by_generator"] == "yes"


def test_the_same_input_twice_is_one_test_that_aims_at_both_rules(tmp_path: Path) -> None:
    made = read_promptpex(folder_with(tmp_path / "p", [row(1, "a"), row(2, "a")]))
    assert len(made.cases) == 1
    assert aims(made) == ["Rule 1.", "Rule 2."]
    assert made.notes == ("tests with an input that was there before, each one test with it now: 1",)


def test_unequal_numbers_of_rules_and_opposites_are_not_paired(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "p", [row(1, "a")])
    (folder / "inverse_rules.txt").write_text("Only one.\n")
    made = read_promptpex(folder)
    assert [rule.inverse_of for rule in made.rules if rule.polarity == "negative"] == [None]
    assert "kept without a link" in made.notes[0]


def test_answers_come_with_their_verdicts_and_are_numbered_by_sample(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "p", [row(1, "a", testuid="test-1"), row(2, "b")])
    results = [
        {"testuid": "test-1", "model": "m1", "output": "yes", "compliance": "ok"},
        {"testuid": "test-1", "model": "m1", "output": "no", "compliance": "err"},
        {"testinput": "b", "model": "m2", "output": "", "compliance": "ok"},
        {"testuid": "test-1", "model": "m1", "error": "timeout"},
        {"testuid": "nobody's", "model": "m1", "output": "?"},
    ]
    (folder / "test_results.json").write_text(json.dumps(results))
    made = read_promptpex(folder)
    assert [(each.model, each.sample, each.answer) for each in made.recorded] == [
        ("m1", 0, "yes"),
        ("m1", 1, "no"),
        ("m2", 0, ""),
    ]
    assert made.recorded[0].verdicts == {"compliance": "ok"}
    assert any("error in place of an answer" in note for note in made.notes)
    assert any("belongs to no test" in note for note in made.notes)


def test_the_old_tables_are_read_as_a_model_wrote_them(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "rules.txt").write_text("One.\nTwo.\n")
    (folder / "tests.csv").write_text(
        "ruleid, testid, testinput, expectedoutput, reasoning\n"
        '1, 1, "He said ""hi"", twice", "x", "because"\n'
        '2, 2, "second", "y", "because",\n'
        "2, 3, too, many, cells, here, really\n"
    )
    (folder / "baseline_tests.txt").write_text("base one\n===\nbase two\n")
    (folder / "rule_evals.csv").write_text("id,rule,grounded\n1,One.,ok\n2,Two.,err\n")
    prompt = tmp_path / "p.prompty"
    prompt.write_text(PROMPT)
    made = read_promptpex(folder)
    assert [case.inputs for case in made.cases] == [{"question": 'He said "hi", twice'}, {"question": "second"}]
    assert [case.inputs["question"] for case in made.baseline] == ["base one", "base two"]
    assert [rule.groundedness for rule in made.enabled] == [1.0, 0.0]
    assert "row 4" in made.notes[0]


def test_several_inputs_are_read_from_columns_and_from_json(tmp_path: Path) -> None:
    context = {"inputs": {"a": {}, "b": {}}, "prompt": {"content": "system:\n{{a}} {{b}}\n"}}
    tests = [
        {"ruleid": "1", "a": "x", "b": "y", "testinput": '{"a": "x", "b": "y"}'},
        {"ruleid": "1", "testinput": '{"a": "p", "b": "q"}'},
        {"ruleid": "1", "testinput": "neither"},
    ]
    made = read_promptpex(folder_with(tmp_path / "p", tests, context=context))
    assert [case.inputs for case in made.cases] == [{"a": "x", "b": "y"}, {"a": "p", "b": "q"}, {}]
    assert made.cases[2].input == "neither"
    assert any("several inputs" in note for note in made.notes)


def test_the_context_alone_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "promptpex_context.json"
    context = {
        "name": "p",
        "prompt": {"content": PROMPT},
        "inputs": {"question": {}},
        "rules": {"filename": "rules.txt", "content": "One.\n"},
        "inverseRules": {"filename": "inverse_rules.txt", "content": "Not one.\n"},
        "promptPexTests": [row(2, "a")],
        "options": {"modelsUnderTest": ["ollama:x"]},
    }
    path.write_text(json.dumps(context))
    made = read_promptpex(path)
    assert aims(made) == ["Not one."]
    assert made.models == ("ollama:x",)


def test_without_the_prompt_the_import_says_what_to_give(tmp_path: Path) -> None:
    folder = tmp_path / "lone"
    folder.mkdir()
    (folder / "rules.txt").write_text("One.\n")
    (folder / "tests.json").write_text(json.dumps([row(1, "a"), row(9, "b")]))
    made = read_promptpex(folder)
    assert made.prompt is None
    assert any("--prompt" in note for note in made.notes)
    assert any("rule that is not there" in note for note in made.notes)


@table(
    ("name", "text"),
    [
        ("promptpex_context.json", "{"),
        ("promptpex_context.json", "[]"),
        ("tests.json", "{}"),
        ("tests.json", "nothing"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, text: str) -> None:
    folder = folder_with(tmp_path / "p", [row(1, "a")])
    (folder / name).write_text(text)
    with pytest.raises(SuiteError) as caught:
        read_promptpex(folder)
    assert "p" in (caught.value.file or "")


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("hello")
    with pytest.raises(InputError, match="nothing that PromptPex writes"):
        read_promptpex(tmp_path)


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    sent = bundle()
    made = write_promptpex(sent)
    for name, text in made.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    prompt = tmp_path / "tagger.prompty"
    assert sent.file is not None
    prompt.write_text(sent.file[1])
    back = read_promptpex(tmp_path / "tagger")
    assert [rule.text for rule in back.enabled] == [rule.text for rule in sent.enabled]
    assert [rule.text for rule in back.rules if rule.polarity == "negative"] == [INVERSE.text]
    assert [case.id for case in back.cases] == [case.id for case in sent.cases]
    assert [dict(case.inputs) for case in back.cases] == [dict(case.inputs) for case in sent.cases]
    assert [case.expect.reference for case in back.cases] == ["NN", None, None]
    assert back.cases[2].metadata["rules"] == [SHORT.id, LABEL.id]
    assert [case.id for case in back.baseline] == [case.id for case in sent.baseline]
    assert "VB because" not in "".join(made.files.values())
    assert made == write_promptpex(sent)


@given(st.text())
def test_any_text_of_rules_is_lines_without_blanks(text: str) -> None:
    for line in rule_lines(text):
        assert line.strip() == line
        assert line


odd = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PARTS), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=examples(100))
@given(st.dictionaries(st.sampled_from(PARTS), odd, max_size=8))
def test_any_context_is_read_or_refused_with_a_reason(data: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "promptpex_context.json"
        rules = {"content": "One.\nTwo.\n"}
        path.write_text(json.dumps({"prompt": {"content": "{{q}}"}, "rules": rules, **data}))
        with suppress(InputError):
            assert read_promptpex(path).name
