from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.tables import table

from proctor.core.errors import PromptError
from proctor.prompts.load import load_prompt, parse_prompt
from proctor.prompts.render import compile_prompt


def front(text: str, body: str = "{{a}}") -> Any:
    return parse_prompt(f"---\n{text}\n---\n{body}")


@table(
    ("text", "schema"),
    [
        ("inputs: {a: hello}", {"type": "string", "default": "hello"}),
        ("inputs: {a: 3}", {"type": "integer", "default": 3}),
        ("inputs: {a: true}", {"type": "boolean", "default": True}),
        ("inputs: {a: [1]}", {"type": "array", "default": [1]}),
        ("inputs: {a: {b: 1}}", {"type": "object", "default": {"b": 1}}),
        ("inputs: {a: number}", {"type": "number"}),
        ("inputs: {a: {}}", {"type": "string"}),
        ("inputs: [a]", {"type": "string"}),
        ("inputs: [{name: a, type: integer}]", {"type": "integer"}),
        ("inputs: {a: {kind: float, enumValues: [1, 2]}}", {"type": "number", "enum": [1, 2]}),
        ("inputs: {a: {type: [string, 'null']}}", {"type": "string"}),
        ("inputs: {a: {default: 5}}", {"type": "integer", "default": 5}),
        ("inputs: {a: {type: string, sample: x}}", {"type": "string", "examples": ["x"]}),
        ("inputs: {type: object, properties: {a: {type: integer}}}", {"type": "integer"}),
        ("inputSchema: {properties: [{name: a, kind: boolean}]}", {"type": "boolean"}),
        ("inputs: {a: {type: int, minimum: 1}}", {"type": "integer", "minimum": 1}),
        ("name: x", {"type": "string"}),
        ("sample: {a: [1]}", {"type": "array"}),
    ],
)
def test_inputs_are_written_in_many_ways(text: str, schema: dict[str, Any]) -> None:
    prompt = front(text)
    assert prompt.inputs == {"a": schema}
    assert prompt.warnings == ()


def test_an_example_at_each_input_is_a_sample() -> None:
    assert front("inputs: {a: {kind: string, example: x}}").sample == {"a": "x"}


def test_inputs_come_as_declared_then_as_they_appear() -> None:
    prompt = front("inputs: {z: string, b: string}", "system:\n{{y}} {% if c %}{{b}}{% endif %}\nuser:\n{{a}} {{z}}")
    assert list(prompt.inputs) == ["z", "b", "y", "c", "a"]


def test_github_models_too(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text('messages: [{role: system, content: "{{z}} {{b-c}}"}, {role: user, content: "{{a}} {{z}}"}]')
    assert list(load_prompt(path).inputs) == ["z", "b-c", "a"]


@pytest.mark.parametrize("text", ["Be kind.", "---\ninputs: {text: string}\n---\nBe kind."])
def test_no_variable_means_free_text(text: str) -> None:
    prompt = parse_prompt(text)
    assert prompt.inputs == {}
    compiled = compile_prompt(prompt)
    assert [(m.role, m.content) for m in compiled.render({}, "hi")] == [("system", "Be kind."), ("user", "hi")]
    assert compiled.render({"input": "hi"}) == compiled.render({}, "hi")
    assert len(compiled.render({"other": "hi"})) == 1


def test_a_thread_is_left_empty() -> None:
    prompt = front(
        "inputs: [{name: talk, kind: thread}, {name: a, kind: string}]", "system:\nHi {{talk}}\nuser:\n{{a}}"
    )
    assert [m.content for m in compile_prompt(prompt).render({"a": "x"})] == ["Hi ", "x"]
    assert "thread" in prompt.warnings[0]


def test_outputs_are_the_schema_of_the_answer(tmp_path: Path) -> None:
    prompt = front("outputs: {score: {type: integer, default: 1}, why: string}")
    assert prompt.schema == {
        "type": "object",
        "properties": {"score": {"type": "integer"}, "why": {"type": "string"}},
        "required": ["score", "why"],
        "additionalProperties": False,
    }
    assert front("outputs: [{name: city, kind: string}]").schema["required"] == ["city"]
    whole = {"type": "object", "properties": {"x": {"type": "string"}}}
    assert front("outputSchema: {type: object, properties: {x: {type: string}}}").schema == whole
    assert front("outputs: {a: string}\nresponseFormat: text").schema is None
    (tmp_path / "s.json").write_text('{"name": "n", "schema": {"type": "array"}}')
    path = tmp_path / "a.prompty"
    path.write_text("---\nresponseFormat: json_schema\njsonSchema: s.json\n---\n{{a}}")
    assert (load_prompt(path).schema_name, load_prompt(path).schema) == ("n", {"type": "array"})


def test_inputs_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"type": "object", "properties": {"a": {"type": "integer"}}}')
    path = tmp_path / "a.prompty"
    path.write_text("---\ninputs: ${file:s.json}\n---\n{{a}}")
    assert load_prompt(path).inputs == {"a": {"type": "integer"}}


@table("text", ["inputs: [5]", "inputs: 5", "outputs: 5", "inputs: [{type: string}]"])
def test_what_is_no_declaration_is_told(text: str) -> None:
    with pytest.raises(PromptError, match="expected a mapping of"):
        front(text)


def test_the_second_version_of_prompty_is_known() -> None:
    prompt = front(
        "displayName: X\nmetadata: {tags: [b], version: '2'}\nmodel: {id: gpt-x, provider: p, apiType: chat,\n"
        "  options: {temperature: 0.5, maxOutputTokens: 9, stopSequences: [E], additionalProperties: {top_p: 0.1}}}\n"
        "template: {format: {kind: jinja2}, parser: {kind: prompty}}",
        'system:\nHi\nuser[name="Al"]:\n{{a}}',
    )
    assert prompt.model == "gpt-x"
    sampling = prompt.sampling
    assert (sampling.temperature, sampling.max_tokens, sampling.stop, sampling.top_p) == (0.5, 9, ("E",), 0.1)
    assert [message.role for message in prompt.messages] == ["system", "user"]
    assert prompt.warnings == ()


def test_keys_of_the_tools_we_read_are_known() -> None:
    keys = (
        "$schema name displayName description version authors tags metadata sample inputSchema outputSchema source url "
        "instructions scenarios testSamples testExpansions imported promptPex modelParameters responseFormat "
        "jsonSchema testData evaluators"
    )
    assert front("\n".join(f"{key}:" for key in keys.split())).warnings == ()


def test_mustache_fills_in_names_and_nothing_else() -> None:
    prompt = front("template: mustache", "{% not jinja %} {{a}} {{#list}}x{{/list}}")
    assert prompt.syntax == "plain"
    assert compile_prompt(prompt).render({"a": 1})[0].content == "{% not jinja %} 1 {{#list}}x{{/list}}"
    assert "sections" in prompt.warnings[0]
    assert "read as Jinja" in front("template: erb").warnings[0]


def test_what_is_not_done_is_said() -> None:
    notes = "\n".join(
        front("tools: [{name: t}]\nbase: other.prompty\nmodel: {parameters: {seed: '${env:SEED}'}}").warnings
    )
    assert "`tools`" in notes
    assert "`base`" in notes
    assert "${env:SEED}" in notes
    assert front("model: {configuration: {azure_deployment: '${env:X}', name: real}}").model == "real"


@table(
    ("text", "said"),
    [
        ("Text: {text}", "write `{{text}}`"),
        ("---\ninputs: {b: string}\n---\n{{a}} {b}", "write `{{b}}`"),
        ("---\ninputs: {b: string}\n---\n{{a}}", "input `b` is declared"),
        ("---\nsample: {headlin: x}\n---\n{{headline}} {{other}}", "did you mean `headline`?"),
        ("---\nsample: {sentence: x}\n---\n{{headline}}", "did you mean `headline`?"),
        ("---\n" + "\n".join(f"zz{n}: 1" for n in range(50)) + "\n---\n{{a}}", "and 30 more unknown keys"),
        ("Hello {{ first-name }}", "write `{{first_name}}`"),
        ("{a} {b} {c} {d} {e} {f} {g}", "(and 2 more like this)"),
    ],
)
def test_what_was_probably_meant_is_said(text: str, said: str) -> None:
    assert any(said in warning for warning in parse_prompt(text).warnings)


@table(
    "text",
    [
        "Call `GET /books/{books-id}/authors/{author}` for {{x}}.",
        "Replace path parameters (`{userId}`) in GET /a/{id}/b.",
        'Answer with {"type": "object"} or {}.',
        "export ${HOME}",
        "{{x}} and {y}",
    ],
)
def test_literal_braces_stay_without_a_word(text: str) -> None:
    prompt = parse_prompt(text)
    assert prompt.warnings == ()
    assert compile_prompt(prompt).render({"x": 1})[0].content == re.sub(r"\{\{x\}\}", "1", text)
