"""Our own exports read back: nothing is lost, and an edit of a file is not overlooked."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.suites.exchange.making import JUDGED, LABEL, bundle
from tests.tables import table

from proctor.core.case import Case, Check, Expectation
from proctor.core.decode import decode
from proctor.core.rule import Rule, Span
from proctor.prompts.yaml_text import read_yaml
from proctor.suites.exchange.bundle import Bundle
from proctor.suites.exchange.formats import kind_of, read_any, writer_for
from proctor.suites.exchange.own_export import without_doubt
from proctor.suites.load import open_suite

TOOLS = ("promptfoo", "openai-evals", "azure-evals", "github-models", "promptpex")

texts = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\x85\u2028\u2029"), max_size=40)
words = texts.filter(lambda text: text.strip() and len(text.split()) > 0)
spans = st.builds(Span, start=st.integers(0, 5), end=st.integers(6, 9), quote=texts)
positives = st.builds(
    Rule,
    text=words,
    kind=st.sampled_from(("format", "content", "safety", None)),
    predicate=st.sampled_from((None, "words <= 2", "lines = 1", 'contains "x"')),
    source=st.none() | spans,
    weight=st.sampled_from((1.0, 2.5)),
    disabled=st.booleans(),
    locked=st.booleans(),
    groundedness=st.sampled_from((None, 0.5, 1.0)),
    origin=st.sampled_from(("extractor", "person", "openai:gpt-5")),
)
values = texts | st.integers(-9, 9) | st.booleans()


@st.composite
def bundles(draw: st.DrawFn) -> Bundle:
    """A bundle with rules, opposites, tests and what is known of them."""
    rules = list({rule.id: rule for rule in draw(st.lists(positives, min_size=1, max_size=4))}.values())
    opposites = [
        Rule(text=f"Not: {rule.text}", polarity="negative", inverse_of=rule.id, origin=rule.origin)
        for rule in rules
        if draw(st.booleans())
    ]
    if all(rule.disabled for rule in rules):
        rules.append(LABEL)
    cases = []
    for number in range(draw(st.integers(1, 3))):
        cases.append(
            Case(
                id=f"t-{number}",
                inputs={"sentence": draw(texts), "word": draw(values)},
                description=draw(texts),
                expect=Expectation(reference=draw(st.none() | words)),
                tags=tuple(draw(st.lists(st.sampled_from(("a", "b")), unique=True))),
                checks=(Check(scorer="contains", settings={"value": "x"}),) if draw(st.booleans()) else (),
                metadata={"rules": [rules[0].id], "strategy": "edge", "valid": draw(st.sampled_from((True, None)))},
            )
        )
    return bundle(
        rules=(*rules, *opposites),
        cases=tuple(cases),
        intent=draw(words),
        inputs={"sentence": (draw(words),)},
        models=("openai:gpt-5",),
    )


def written(tool: str, sent: Bundle, folder: Path) -> Path:
    """The export on disk, and what a user would give to `proctor import`."""
    made = writer_for(tool)(sent)
    for name, text in made.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (first, *_) = made.files
    return folder / first if tool == "github-models" else (folder / sent.name if tool == "promptpex" else folder)


def read_back(tool: str, sent: Bundle, folder: Path) -> Bundle:
    path = written(tool, sent, folder)
    (back,) = read_any(path, kind_of(path))
    return back


@pytest.mark.parametrize("tool", TOOLS)
@settings(max_examples=examples(60), deadline=None)
@given(sent=bundles())
def test_nothing_is_lost_in_a_round_trip(tool: str, sent: Bundle) -> None:
    with TemporaryDirectory() as folder:
        back = read_back(tool, sent, Path(folder))
    assert back.rules == sent.rules
    assert back.cases == sent.cases
    assert back.baseline == sent.baseline
    assert (back.name, back.intent, back.inputs) == (sent.name, sent.intent, dict(sent.inputs))
    assert back.file == sent.file
    assert back.prompt is not None
    assert sent.prompt is not None
    assert back.prompt.hash == sent.prompt.hash


@table("tool", TOOLS)
def test_an_expected_answer_that_was_not_accepted_stays_behind(tool: str, tmp_path: Path) -> None:
    sent = bundle()
    back = read_back(tool, sent, tmp_path)
    assert back.cases == tuple(without_doubt(case) for case in sent.cases)
    assert not any("VB because" in path.read_text() for path in tmp_path.rglob("*") if path.is_file())


EDITS: dict[str, tuple[str, str, str]] = {
    "promptfoo": ("promptfooconfig.yaml", "A dog barks.", "A cat sleeps."),
    "openai-evals": ("items.jsonl", "A dog barks.", "A cat sleeps."),
    "github-models": ("tagger.prompt.yml", "- sentence: A dog barks.", "- sentence: A cat sleeps."),
    "promptpex": ("tagger/tests.json", "A dog barks.", "A cat sleeps."),
}


@table("tool", EDITS)
def test_an_edit_of_an_exported_file_is_read(tool: str, tmp_path: Path) -> None:
    path = written(tool, bundle(), tmp_path)
    name, before, after = EDITS[tool]
    text = (tmp_path / name).read_text()
    assert before in text
    (tmp_path / name).write_text(text.replace(before, after))
    (back,) = read_any(path, kind_of(path))
    assert any("A cat sleeps." in json.dumps(dict(case.inputs)) for case in back.cases)


def test_promptpex_can_load_the_context(tmp_path: Path) -> None:
    """Its loader takes the name of fourteen files and the list of tests for granted."""
    written("promptpex", bundle(), tmp_path)
    context: dict[str, Any] = json.loads((tmp_path / "tagger/promptpex_context.json").read_text())
    parts = "intent rules inverseRules inputSpec baselineTests tests rateTests testData testOutputs groundtruthOutputs "
    parts += "testEvals baselineTestEvals ruleEvals ruleCoverages"
    for part in parts.split():
        assert isinstance(context[part]["filename"], str), part
        assert isinstance(context[part]["content"], str), part
    assert context["name"] == "tagger"
    assert context["prompt"]["filename"] == "tagger.prompty"
    assert set(context["inputs"]) == {"sentence", "word"}
    assert context["inputSpec"]["content"].strip()
    assert json.loads(context["tests"]["content"])[0]["testinput"] == context["promptPexTests"][0]["testinput"]
    assert context["promptPexTests"][0]["ruleid"] == 1  # a number there, a text in tests.json


def test_judges_elsewhere_see_the_input_and_values_of_variables(tmp_path: Path) -> None:
    odd = Rule(text="It has {{word}} once, and {{nothing}} else {% if %}.")
    sent = bundle(rules=(JUDGED, odd))
    foo = read_yaml(writer_for("promptfoo")(sent).files["promptfooconfig.yaml"])["defaultTest"]["assert"]
    assert foo[0]["value"].startswith("The tag is right for the word in {{sentence}}.")
    assert "<word>\n{{word}}\n</word>" in foo[0]["value"]
    assert "{{nothing}}" not in foo[1]["value"]
    github = read_yaml(writer_for("github-models")(sent).files["tagger.prompt.yml"])["evaluators"]
    assert "<sentence>\n{{sentence}}\n</sentence>" in github[0]["llm"]["prompt"]
    assert "{{nothing}}" not in github[1]["llm"]["prompt"]
    evals = json.loads(writer_for("openai-evals")(sent).files["eval.json"])
    rule = evals["testing_criteria"][1]["input"][0]["content"]
    assert "It has {{item.word}} once" in rule
    assert "{{nothing}}" not in rule


def test_items_fit_the_schema_of_their_eval(tmp_path: Path) -> None:
    import jsonschema_rs

    cases = tuple(
        Case(id=f"c{number}", inputs={"sentence": value, "word": "w"})
        for number, value in enumerate((1, 2.5, "three", None, True))
    )
    made = writer_for("openai-evals")(bundle(cases=cases, baseline=()))
    schema = json.loads(made.files["eval.json"])["data_source_config"]["item_schema"]
    for line in made.files["items.jsonl"].splitlines():
        jsonschema_rs.validate(schema, json.loads(line)["item"])
    assert set(schema["properties"]["sentence"]["type"]) == {"number", "string", "null", "boolean"}


@settings(max_examples=examples(60), deadline=None)
@given(sent=bundles())
def test_our_own_suite_file_holds_every_test_and_rule(sent: Bundle) -> None:
    with TemporaryDirectory() as folder:
        ((name, text),) = writer_for("jsonl")(sent).files.items()
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        loaded = open_suite(path)
        assert tuple(loaded.cases()) == (*sent.cases, *sent.baseline)
        (rules,) = (check for check in loaded.suite.scorers if check.scorer == "rules")
        assert tuple(decode(Rule, each, strict=True) for each in rules.settings["rules"]) == sent.enabled
