from __future__ import annotations

from pathlib import Path

import pytest
from tests.tables import table

from proctor.core.errors import PromptError
from proctor.prompts.load import load_prompt, parse_prompt

PROMPTY = """\
---
name: Jokes
description: Is it funny?
model:
  api: chat
  configuration: {azure_deployment: gpt-x}
  parameters: {temperature: 0.7, max_tokens: 800, top_p: 0.95, stop: END, odd: 1}
inputs:
  joke: "a default joke"
  count: 3
  locale: {type: string, description: The locale, default: en}
  plain: {type: string}
  bare:
sample: {joke: sample}
tags: [a]
urll: https://example.org
instructons: typo
---

You are kind.

user:
Rate {{ joke }} {{ locale }} {{ undeclared }}
  user: not a section
Assistant:
Sure.
# user :
{{ plain }}
"""


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_prompty_file_is_read_whole(tmp_path: Path) -> None:
    prompt = load_prompt(write(tmp_path, "jokes.prompty", PROMPTY))
    assert prompt.name == "Jokes"
    assert prompt.description == "Is it funny?"
    assert [(message.role, message.line) for message in prompt.messages] == [
        ("system", 20),
        ("user", 23),
        ("assistant", 26),
        ("user", 28),
    ]
    assert prompt.messages[1].text == "Rate {{ joke }} {{ locale }} {{ undeclared }}\n  user: not a section"
    assert prompt.model == "gpt-x"
    assert prompt.sampling.temperature == 0.7
    assert prompt.sampling.max_tokens == 800
    assert prompt.sampling.stop == ("END",)
    assert prompt.inputs["joke"] == {"type": "string", "default": "a default joke"}
    assert prompt.inputs["count"]["type"] == "integer"
    assert prompt.inputs["bare"] == {"type": "string"}
    assert prompt.inputs["undeclared"] == {"type": "string"}
    assert prompt.defaults == {"joke": "a default joke", "count": 3, "locale": "en"}
    assert prompt.sample == {"joke": "sample"}


def test_unknown_keys_are_kept_and_named(tmp_path: Path) -> None:
    prompt = load_prompt(write(tmp_path, "jokes.prompty", PROMPTY))
    assert prompt.front["urll"] == "https://example.org"
    told = "\n".join(prompt.warnings)
    assert "`urll`" in told
    assert "did you mean `instructions`?" in told
    assert "`odd`" in told


def test_identity_is_what_is_sent(tmp_path: Path) -> None:
    one = load_prompt(write(tmp_path, "a.prompty", PROMPTY))
    renamed = load_prompt(write(tmp_path, "b.prompty", PROMPTY.replace("Is it funny?", "Is it?")))
    other = load_prompt(write(tmp_path, "c.prompty", PROMPTY.replace("kind", "rude")))
    warmer = load_prompt(write(tmp_path, "d.prompty", PROMPTY.replace("0.7,", "0.9,")))
    assert one.hash == renamed.hash
    assert len({one.hash, other.hash, warmer.hash}) == 3


@table(
    ("name", "text", "messages"),
    [
        ("a.md", "Be kind.\n", [("system", "Be kind.")]),
        ("a.txt", "Say {{ what }}\n", [("user", "Say {{ what }}")]),
        ("a.md", "---\nname: x\n---\nBe kind.", [("system", "Be kind.")]),
        ("a.md", "---\ntwo rulers\n---\ntext", [("system", "---\ntwo rulers\n---\ntext")]),
        ("a.md", "---\nnever closed: 1\ntext", [("system", "---\nnever closed: 1\ntext")]),
        ("a.prompty", "Just {{ text }}", [("user", "Just {{ text }}")]),
        ("a.prompty", "---\nname: x\n---\nsystem:\n日本語\r\nuser:\r\nはい", [("system", "日本語"), ("user", "はい")]),
        ("a.prompty", "---\r\nname: x\r\n---\r\nsystem:\r\nA\r\n", [("system", "A")]),
        ("a.txt", "\ufeffBe kind.", [("system", "Be kind.")]),
        ("a.md", "Text: {text}", [("system", "Text: {text}")]),
    ],
)
def test_text_files(tmp_path: Path, name: str, text: str, messages: list[tuple[str, str]]) -> None:
    prompt = load_prompt(write(tmp_path, name, text))
    assert [(message.role, message.text) for message in prompt.messages] == messages


YML = """\
name: Animals
model: openai/gpt-4o
modelParameters: {maxTokens: 50, temperature: 0.5, topP: 0.9}
responseFormat: json_schema
jsonSchema: '{"name": "animal", "strict": true, "schema": {"type": "object"}}'
messages:
  - {role: system, content: "You are {{persona}}. {% not jinja"}
  - {role: user, content: "Describe a {{animal}}."}
testData: [{animal: dog}]
evaluators: []
"""


def test_a_prompt_yml_file(tmp_path: Path) -> None:
    prompt = load_prompt(write(tmp_path, "animals.prompt.yml", YML))
    assert prompt.syntax == "plain"
    assert set(prompt.inputs) == {"persona", "animal"}
    assert prompt.sampling.max_tokens == 50
    assert prompt.sampling.top_p == 0.9
    assert prompt.model == "openai/gpt-4o"
    assert prompt.schema == {"type": "object"}
    assert prompt.schema_name == "animal"
    assert prompt.warnings == ()
    assert prompt.front["testData"] == [{"animal": "dog"}]


@table(
    ("name", "text", "what"),
    [
        ("a.prompty", b"", "empty"),
        ("a.prompty", b"  \n ", "empty"),
        ("a.prompty", b"---\nname: x\n", "not closed"),
        ("a.prompty", b"---\n- a\n---\nx", "expected front matter"),
        ("a.prompty", b"---\na: [\n---\nx", "not valid YAML"),
        ("a.prompty", b"---\ninputs: 5\n---\nx", "mapping of inputs"),
        ("a.prompty", b"---\nmodel: {parameters: {temperature: hot}}\n---\nx", "expected a number"),
        ("a.prompty", b"---\nname: x\n---\nuser:\n{{ x", "template is not valid"),
        ("a.prompt.yml", b"name: x\n", "`messages`"),
        ("a.prompt.yml", b"messages: [{role: robot, content: x}]", "not a message: the role 'robot' is not known"),
        ("a.prompt.yml", b"responseFormat: json_schema\nmessages: [{role: user, content: x}]", "there is none"),
        ("a.prompt.yml", b"responseFormat: json_schema\njsonSchema: '{'\nmessages: []", "not JSON"),
        ("a.md", b"caf\xe9", "0xe9 at offset 3"),
        ("a.md", b"a\0b", "zero byte"),
    ],
)
def test_bad_files_are_told(tmp_path: Path, name: str, text: bytes, what: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(PromptError) as caught:
        load_prompt(path)
    assert what in str(caught.value)
    assert caught.value.file == str(path)


def test_lines_count_in_the_file_not_in_the_part(tmp_path: Path) -> None:
    with pytest.raises(PromptError) as front:
        load_prompt(write(tmp_path, "a.prompty", "---\nname: x\nbad: [\n---\nx"))
    assert front.value.line in (3, 4)
    with pytest.raises(PromptError) as body:
        load_prompt(write(tmp_path, "b.prompty", "---\nname: x\n---\nsystem:\nfine\n{{ broken\n"))
    assert body.value.line == 6


def test_a_missing_file_names_the_one_meant(tmp_path: Path) -> None:
    write(tmp_path, "support.prompty", "x")
    with pytest.raises(PromptError, match=r"support\.prompty"):
        load_prompt(tmp_path / "suport.prompty")
    with pytest.raises(PromptError, match="no folder"):
        load_prompt(tmp_path / "nowhere" / "a.prompty")


def test_text_is_a_prompt_too() -> None:
    assert parse_prompt("").messages == ()
    assert parse_prompt("Be kind.", name="n").name == "n"
    assert parse_prompt("Be kind.").path is None
