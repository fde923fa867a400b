from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.suites.exchange.making import JUDGED, LABEL, OWN, SHORT, bundle, case
from tests.tables import table

from proctor.core.case import Case, Suite
from proctor.core.errors import InputError, SuiteError
from proctor.core.rule import Rule
from proctor.prompts.yaml_text import read_yaml
from proctor.suites.exchange.assertions import UnsupportedAssertionError, checks_of
from proctor.suites.exchange.promptfoo_config import provider_name, read_promptfoo
from proctor.suites.exchange.promptfoo_write import assertions_of, cells_of, write_promptfoo
from proctor.suites.promptfoo import check_of
from proctor.text.yaml_dump import to_yaml
from proctor.wiring.scorers import GraderFactory

# The parts of promptfoo's configuration that we write, after its reference: configuration/reference, test-cases and
# expected-outputs in its documentation. Whole files were checked against its config-schema.json (August 2026).
TYPES = ["llm-rubric", "python", "word-count", "is-json", "contains-all", "contains-any", "icontains-all", "regex"]
TYPES += ["icontains-any", "not-contains-any", "not-icontains-any", "equals", "not-regex"]
ASSERT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "type": {"enum": TYPES},
        "value": {},
        "metric": {"type": "string"},
        "weight": {"type": "number"},
        "threshold": {"type": "number"},
        "config": {"type": "object"},
    },
    "required": ["type"],
    "additionalProperties": False,
}
TEST: dict[str, Any] = {
    "type": "object",
    "properties": {
        "description": {"type": "string"},
        "vars": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "object"]}},
        "assert": {"type": "array", "items": ASSERT},
        "metadata": {"type": "object"},
    },
    "additionalProperties": False,
}
SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "description": {"type": "string"},
        "prompts": {"type": "array", "items": {"type": "string", "pattern": "^file://"}, "minItems": 1},
        "providers": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "defaultTest": {"type": "object", "properties": {"assert": {"type": "array", "items": ASSERT}}},
        "tests": {"type": "array", "items": TEST},
    },
    "required": ["prompts", "providers", "tests"],
    "additionalProperties": False,
}


def config(folder: Path, text: str, name: str = "foo.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def checks(made: Case) -> list[tuple[str, dict[str, Any]]]:
    return [(check.scorer, dict(check.settings)) for check in made.checks]


def graded(*found: Any) -> None:
    """Every check must be one that a scorer of ours takes."""
    grader_factory = GraderFactory(Suite(name="s"), None)
    for check in found:
        grader_factory.grader(check)


def test_prompts_vars_defaults_and_assertions(tmp_path: Path) -> None:
    path = config(
        tmp_path,
        """\
description: Greets
prompts:
  - "Greet {{name}} in {{language}}."
providers: [openai:chat:gpt-5, {id: anthropic:messages:claude, config: {temperature: 0}}]
defaultTest:
  vars: {language: English}
  assert:
    - type: not-contains
      value: sorry
    - type: icontains
      value: "{{name}}"
tests:
  - description: first
    vars: {name: Ada}
    assert:
      - {type: contains-any, value: [Hello, "Hi, there"], weight: 2, metric: greets}
      - {type: javascript, value: "output.length > 3"}
  - vars: {name: [Bo, Cy], language: Danish}
  - vars: {name: Di}
    threshold: 0.5
    options: {transform: "output.trim()"}
""",
    )
    (made,) = read_promptfoo(path)
    assert made.name == "foo"
    assert made.file is not None
    assert made.file[1] == "Greet {{name}} in {{language}}.\n"
    assert made.models == ("openai:gpt-5", "anthropic:claude")
    assert [dict(each.inputs) for each in made.cases] == [
        {"language": "English", "name": "Ada"},
        {"language": "Danish", "name": "Bo"},
        {"language": "Danish", "name": "Cy"},
        {"language": "English", "name": "Di"},
    ]
    assert [(check.scorer, check.settings["mode"]) for check in made.checks] == [("contains", "none")]
    assert checks(made.cases[0]) == [
        ("contains", {"value": "Ada", "ignore_case": True}),
        ("contains", {"value": ["Hello", "Hi, there"], "mode": "any"}),
    ]
    assert (made.cases[0].checks[1].name, made.cases[0].checks[1].weight) == ("greets", 2.0)
    told = "\n".join(made.notes)
    for lost in ("javascript is code", "`threshold`", "`transform`", "settings of anthropic"):
        assert lost in told
    graded(*made.checks, *(check for each in made.cases for check in each.checks))


def test_files_globs_templates_scenarios_and_several_prompts(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    chat = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "{{q}}"}]
    (tmp_path / "prompts" / "chat.json").write_text(json.dumps(chat))
    (tmp_path / "two.txt").write_text("Say {{q}}\n---\nShout {{q}}\n")
    (tmp_path / "more.yaml").write_text("- vars: {q: from yaml}\n  assert: [{type: equals, value: file://want.txt}]\n")
    (tmp_path / "want.txt").write_text("wanted")
    (tmp_path / "rows.csv").write_text("q,__expected\nfrom csv,contains: x\n")
    (tmp_path / "long.txt").write_text("a long question")
    path = config(
        tmp_path,
        """\
prompts: [file://prompts/*.json, two.txt, file://make.py, {raw: "Ask {{q}}", label: Ask It}]
providers: [file://provider.py]
assertionTemplates:
  short: {type: word-count, value: {max: 9}}
tests:
  - more.yaml
  - file://rows.csv
  - vars: {q: file://long.txt, code: file://vars.js}
    assert: [{$ref: "#/assertionTemplates/short"}]
  - vars: {q: only for one}
    prompts: ["Ask It"]
  - file://nowhere.yaml
scenarios:
  - config: [{vars: {q: s1}}, {vars: {q: s2}}]
    tests: [{assert: [{type: is-json}]}]
""",
        name="promptfooconfig.yaml",
    )
    made = read_promptfoo(path)
    stem = tmp_path.name
    assert [each.name for each in made] == [f"{stem}-chat", f"{stem}-two-1", f"{stem}-two-2", f"{stem}-ask-it"]
    assert made[0].file is not None
    assert made[0].file[1] == "system:\nBe kind.\n\nuser:\n{{q}}\n"
    assert [len(each.cases) for each in made] == [5, 5, 5, 6]
    by_question = {each.inputs["q"]: each for each in made[3].cases}
    assert checks(by_question["from yaml"]) == [("exact", {"value": "wanted"})]
    assert checks(by_question["from csv"]) == [("contains", {"value": "x"})]
    assert checks(by_question["a long question"]) == [("length", {"unit": "words", "at_most": 9})]
    assert checks(by_question["s2"]) == [("json_schema", {"from_text": "strict"})]
    told = "\n".join(made[0].notes)
    for lost in ("make.py is code", "provider that is a program", "vars.js is code", "no file nowhere.yaml"):
        assert lost in told


@table(
    ("assertion", "scorer", "settings"),
    [
        ({"type": "equals", "value": "x"}, "exact", {"value": "x"}),
        ({"type": "equals", "value": {"a": 1}}, "json_schema", {"schema": {"const": {"a": 1}}}),
        ({"type": "contains-all", "value": ['say "x, y"', "z"]}, "contains", {"value": ['say "x, y"', "z"]}),
        ({"type": "not-contains", "value": "x"}, "contains", {"value": "x", "mode": "none"}),
        ({"type": "llm-rubric", "value": "is: kind\nand short"}, "judge", {"rubric": "is: kind\nand short"}),
        (
            {"type": "llm-rubric", "value": "kind", "threshold": 0.7},
            "judge",
            {"rubric": "kind", "kind": "score"},
        ),
        ({"type": "is-json", "value": {"type": "object"}}, "json_schema", {"schema": {"type": "object"}}),
        ({"type": "latency", "threshold": 1500}, "latency", {"at_most": 1.5}),
        ({"type": "is-xml"}, "rules", {"rules": [{"text": "The answer is XML.", "predicate": "is xml"}]}),
        ({"type": "rouge-n", "value": "ref"}, "overlap", {"metric": "rouge_l", "reference": "ref"}),
        ({"type": "g-eval", "value": ["one", "two"]}, "judge", {"rubric": "- one\n- two"}),
    ],
)
def test_assertions_become_checks_that_a_scorer_takes(
    assertion: dict[str, Any], scorer: str, settings: dict[str, Any]
) -> None:
    (check,) = checks_of(assertion)
    assert check.scorer == scorer
    assert settings.items() <= dict(check.settings).items()
    graded(check)


@table("kind", ["not-llm-rubric", "is-refusal", "not-is-refusal", "factuality", "not-is-json"])
def test_negations_and_judged_kinds_are_taken_too(kind: str) -> None:
    graded(*checks_of({"type": kind, "value": "something"}))


@table(
    "assertion",
    [
        {"type": "python", "value": "print(1)"},
        {"type": "select-best", "value": "x"},
        {"type": "contians", "value": "x"},
        {"type": "contains", "value": "x", "transform": "output"},
        {"type": "assert-set", "threshold": 0.5, "assert": [{"type": "contains", "value": "x"}]},
        {"value": "no type"},
        5,
        {"type": "llm-rubric", "value": "  "},
        {"type": "not-latency", "threshold": 5},
        {"type": "contains", "value": "x", "weight": -1},
    ],
)
def test_what_has_no_counterpart_says_so(assertion: Any) -> None:
    with pytest.raises(UnsupportedAssertionError):
        checks_of(assertion)


def test_a_set_of_assertions_is_each_of_them() -> None:
    parts = [{"type": "contains", "value": "x"}, {"type": "is-json"}]
    assert [each.scorer for each in checks_of({"type": "assert-set", "assert": parts})] == ["contains", "json_schema"]


def test_model_names_lose_promptfoos_middle_part() -> None:
    assert provider_name("openai:chat:gpt-5") == "openai:gpt-5"
    assert provider_name("ollama:gemma2:9b") == "ollama:gemma2:9b"
    assert provider_name("openai:gpt-5") == "openai:gpt-5"


def test_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="not a configuration of promptfoo"):
        read_promptfoo(config(tmp_path, "cases: []\n"))


def test_rules_are_native_assertions_where_promptfoo_means_the_same() -> None:
    assert assertions_of(SHORT, "m.py") == [
        {"type": "word-count", "value": {"max": 2}, "metric": SHORT.text, "weight": 2.0}
    ]
    (label,) = assertions_of(LABEL, "m.py")
    assert (label["type"], label["value"]) == ("regex", r"^\s*(?:NN|VB|Unknown)\s*$")
    (own,) = assertions_of(OWN, "m.py")
    assert (own["type"], own["value"], own["config"]) == ("python", "file://m.py", {"predicate": "lines = 1"})
    (judged,) = assertions_of(JUDGED, "m.py")
    assert judged["value"] == "{% raw %}" + JUDGED.text + "{% endraw %}"
    (unsure,) = assertions_of(replace(OWN, tentative=True), "m.py")
    assert unsure["type"] == "llm-rubric"
    both = Rule(text="t", predicate='contains "a, b" ignoring case and contains none "c"')
    assert [each["type"] for each in assertions_of(both, "m.py")] == ["icontains-all", "not-contains-any"]


def test_what_is_written_has_their_shape_and_reads_back(tmp_path: Path) -> None:
    sent = bundle()
    made = write_promptfoo(sent)
    data = read_yaml(made.files["promptfooconfig.yaml"])
    jsonschema_rs.validate(SHAPE, data)
    files = {"promptfooconfig.yaml", "tagger.prompt.json", "tagger_predicates.py"}
    assert set(made.files) == files | {"proctor-export.json"}
    assert "VB because" not in "".join(made.files.values())
    assert OWN.text in made.files["promptfooconfig.yaml"]
    assert "Switched off." not in made.files["promptfooconfig.yaml"]
    for name, text in made.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (back,) = read_promptfoo(tmp_path / "promptfooconfig.yaml")
    assert back.prompt is not None
    assert sent.prompt is not None
    assert [message.text for message in back.prompt.messages] == [message.text for message in sent.prompt.messages]
    assert [dict(each.inputs) for each in back.cases] == [dict(each.inputs) for each in (*sent.cases, *sent.baseline)]
    assert back.models == sent.models
    assert {check.scorer for check in back.checks} == {"regex", "length", "rules"}
    assert all("judge" in {check.scorer for check in case.checks} for case in back.cases)  # rubrics show the input
    assert not any("python is code" in note for note in back.notes)  # our own predicate is read, and not run
    assert made == write_promptfoo(sent)


def test_braces_and_lists_in_inputs_are_kept_from_their_template() -> None:
    odd = case("{{secret}}", "x", LABEL)
    listed = Case(id="l", inputs={"sentence": ["a", "b"], "word": "w"})
    made = write_promptfoo(bundle(cases=(odd, listed), baseline=()))
    tests = read_yaml(made.files["promptfooconfig.yaml"])["tests"]
    assert tests[0]["vars"]["sentence"] == "{% raw %}{{secret}}{% endraw %}"
    assert tests[1]["vars"]["sentence"] == '["a", "b"]'
    assert len(made.notes) == 3


def test_the_predicate_module_judges_as_we_do() -> None:
    module: dict[str, Any] = {}
    exec(write_promptfoo(bundle()).files["tagger_predicates.py"], module)
    get_assert = module["get_assert"]
    assert get_assert("one", {"config": {"predicate": "lines = 1"}, "vars": {}})["pass"] is True
    assert get_assert("one\ntwo", {"config": {"predicate": "lines = 1"}})["pass"] is False


def test_cells_for_tables_read_back_as_the_same_checks() -> None:
    cells = cells_of([LABEL, SHORT, OWN, JUDGED])
    assert [check_of(cell)["scorer"] for cell in cells] == ["regex", "length", "judge", "judge"]


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("prompts", "providers", "tests", "defaultTest", "scenarios", "assertionTemplates", "vars", "assert", "type")


@settings(max_examples=examples(60))
@given(
    st.dictionaries(st.sampled_from(KEYS), plain | st.lists(st.dictionaries(st.sampled_from(KEYS), plain)), max_size=5)
)
def test_any_configuration_is_read_or_refused_with_a_reason(data: dict[str, Any]) -> None:

    with tempfile.TemporaryDirectory() as folder:
        path = config(Path(folder), to_yaml({"prompts": "p {{q}}", "providers": ["x"], **data}))
        with suppress(InputError):  # a reason is given: nothing else may come out
            assert all(made.name for made in read_promptfoo(path))
