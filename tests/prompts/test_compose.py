from __future__ import annotations

from pathlib import Path

import pytest
from tests.tables import table

from proctor.core.errors import PromptError
from proctor.prompts.compose import prompty_of
from proctor.prompts.load import load_prompt, parse_prompt
from proctor.prompts.render import compile_prompt
from proctor.prompts.test_config import told

YML = """\
name: Animals
description: About animals
model: openai/gpt-4o
modelParameters: {maxTokens: 50, temperature: 0.5}
responseFormat: json_schema
jsonSchema: '{"name": "animal", "schema": {"type": "object"}}'
x-mine: {a: 1}
messages:
  - {role: system, content: "You are {{persona}}."}
  - {role: user, content: "Describe a {{animal}}."}
testData: [{animal: dog, persona: a vet, expected: barks}]
evaluators: [{name: e, string: {contains: x}}]
"""


def load(folder: Path, text: str, name: str = "a.prompt.yml") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_a_github_models_file_becomes_a_prompty(tmp_path: Path) -> None:
    one = load_prompt(load(tmp_path, YML))
    text = prompty_of(one)
    other = load_prompt(load(tmp_path, text, "a.prompty"))
    assert [(m.role, m.text) for m in other.messages] == [(m.role, m.text) for m in one.messages]
    assert (other.name, other.description, other.model) == ("Animals", "About animals", "openai/gpt-4o")
    assert other.inputs == one.inputs
    assert other.sampling == one.sampling
    assert (other.schema_name, other.schema) == ("animal", {"type": "object"})
    assert told(other).samples == told(one).samples
    assert other.front["x-mine"] == {"a": 1}
    assert other.front["evaluators"] == one.front["evaluators"]
    assert other.syntax == "jinja"
    assert prompty_of(other) == text


@table("said", ["{% not jinja {{a}}", "{{user-name}} {{a}}", "{{ 1 + 1 }} {{a}}", "{# {{a}} #}"])
def test_text_that_jinja_would_read_otherwise_stays_plain(tmp_path: Path, said: str) -> None:
    one = load_prompt(load(tmp_path, f"messages: [{{role: user, content: '{said}'}}]"))
    other = parse_prompt(prompty_of(one))
    values = dict.fromkeys(one.inputs, "v")
    assert compile_prompt(other).render(values) == compile_prompt(one).render(values)


def test_a_message_that_cannot_be_told_apart_is_told(tmp_path: Path) -> None:
    one = load_prompt(load(tmp_path, 'messages: [{role: user, content: "a\\nsystem:\\n{{b}}"}]'))
    with pytest.raises(PromptError, match="told from its neighbours"):
        prompty_of(one)
