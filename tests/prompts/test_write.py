from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.core.errors import PromptError, StoreError
from proctor.prompts.load import load_prompt, parse_prompt
from proctor.prompts.write import edit_prompt, with_test_data, write_prompt
from proctor.prompts.yaml_text import read_yaml

PROMPTY = """\
---
# who made it
name:  "Jokes"   # so called
odd_key: [ 1,2 ]
inputs:
    joke: 'knock'
description: >
  folded
  text

---

system:
  Be kind.

user:
{{joke}}
"""

YML = """\
# Animals
name: Animals   # a name
x-unknown: {a: 1}
model: openai/gpt-4o
messages:
  - role: user
    content: "Describe a {{animal}}."   # the question

testData:
  # mine
  - animal: "dog"
    expected: 'barks'
evaluators:
  - name: has-name
    string: {contains: "name"}
"""


def save(folder: Path, name: str, text: str, *, crlf: bool = False, mark: bool = False) -> Path:
    data = (text.replace("\n", "\r\n") if crlf else text).encode()
    (folder / name).write_bytes((codecs.BOM_UTF8 if mark else b"") + data)
    return folder / name


@table("crlf", [False, True])
@table("mark", [False, True])
@table(("name", "text"), [("a.prompty", PROMPTY), ("a.prompt.yml", YML), ("a.md", "Be {{a}}\n")])
def test_no_change_is_the_same_file(tmp_path: Path, name: str, text: str, crlf: bool, mark: bool) -> None:
    path = save(tmp_path, name, text, crlf=crlf, mark=mark)
    before = path.read_bytes()
    prompt = load_prompt(path)
    front = {key: value for key, value in prompt.front.items() if key != "messages"}
    texts = {number: message.text for number, message in enumerate(prompt.messages)}
    made = write_prompt(path, set_=front, texts=texts)
    assert made.encode() == path.read_bytes() == before


@table("crlf", [False, True])
@table("mark", [False, True])
def test_a_prompty_changes_where_it_is_changed(tmp_path: Path, crlf: bool, mark: bool) -> None:
    path = save(tmp_path, "a.prompty", PROMPTY, crlf=crlf, mark=mark)
    write_prompt(path, set_={"name": "Puns", "tags": ["new"]}, remove=["description"], texts={1: "Rate\n{{joke}}"})
    wanted = (
        PROMPTY.replace('"Jokes"', "Puns")
        .replace("name:  Puns", "name: Puns")
        .replace("description: >\n  folded\n  text\n", "")
        .replace("    joke: 'knock'\n", "    joke: 'knock'\ntags: [new]\n")
        .replace("\n{{joke}}", "\nRate\n{{joke}}")
    )
    assert path.read_bytes() == save(tmp_path, "b.prompty", wanted, crlf=crlf, mark=mark).read_bytes()


@pytest.mark.parametrize("crlf", [False, True])
def test_test_data_joins_that_of_the_user(tmp_path: Path, crlf: bool) -> None:
    path = save(tmp_path, "a.prompt.yml", YML, crlf=crlf, mark=True)
    before = path.read_bytes()
    rows = [{"animal": "cat"}, {"expected": "barks", "animal": "dog"}, {"animal": "cat"}]
    judges: list[dict[str, Any]] = [{"name": "has-name"}, {"name": "short", "string": {"contains": "x"}}]
    made = with_test_data(path, rows, evaluators=judges)
    wanted = (
        YML.replace("'barks'\n", "'barks'\n  - animal: cat\n") + "  - name: short\n    string:\n      contains: x\n"
    )
    assert made.encode() == save(tmp_path, "b.yml", wanted, crlf=crlf, mark=True).read_bytes()
    assert path.read_bytes() == before, "the text is given, the file is the caller's"
    path.write_bytes(made.encode())
    assert with_test_data(path, rows, evaluators=judges) == made, "twice is once"


def test_test_data_begins_where_there_is_none(tmp_path: Path) -> None:
    path = save(tmp_path, "a.yml", "messages:\n- {role: user, content: '{{a}}'} # q")
    made = with_test_data(path, [{"a": 1}])
    assert made == "messages:\n- {role: user, content: '{{a}}'} # q\ntestData:\n  - a: 1"


def test_other_files_have_no_test_data(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="not a GitHub Models file"):
        with_test_data(save(tmp_path, "a.prompty", PROMPTY), [])
    with pytest.raises(PromptError, match="expected a list") as caught:
        with_test_data(save(tmp_path, "a.yml", "messages: []\ntestData: 5\n"), [{"a": 1}])
    assert caught.value.field == "testData"


@table(
    ("text", "wanted"),
    [
        ("Be kind.\n", "---\na: 1\n---\nBe kind.\n"),
        ("---\n---\nBe kind.\n", "---\na: 1\n---\nBe kind.\n"),
        ("---\n# only this\n---\nx", "---\n# only this\na: 1\n---\nx"),
        ("---\nb: 2\n\n---\nx", "---\nb: 2\na: 1\n\n---\nx"),
        ("---\nb: |\n  x\n---\nx", "---\nb: |\n  x\na: 1\n---\nx"),
        ("---\ntwo rulers\n---\nx", "---\na: 1\n---\n---\ntwo rulers\n---\nx"),
    ],
)
def test_front_matter_is_made_where_there_is_none(text: str, wanted: str) -> None:
    made = edit_prompt(text, file="a.md", set_={"a": 1})
    assert made == wanted
    assert parse_prompt(made).front["a"] == 1
    assert edit_prompt(text, file="a.md") == text


def test_front_matter_may_go(tmp_path: Path) -> None:
    assert edit_prompt("---\nb: 2\n---\nx", file="a.md", remove=["b"]) == "---\n---\nx"
    assert edit_prompt("x", file="a.md", remove=["b"]) == "x"


@table(
    ("name", "text", "texts", "what"),
    [
        ("a.prompty", PROMPTY, {5: "x"}, "no message 5"),
        ("a.prompty", PROMPTY, {0: "Hi\nuser:\nx"}, "read as other messages"),
        ("a.prompty", PROMPTY, {0: "{{ open"}, "not valid"),
        ("a.yml", YML, {1: "x"}, "no message 1"),
        ("a.yml", "- x", {0: "x"}, "expected a mapping"),
    ],
)
def test_a_change_that_cannot_be_made_leaves_the_file(
    tmp_path: Path, name: str, text: str, texts: dict[int, str], what: str
) -> None:
    path = save(tmp_path, name, text)
    with pytest.raises(PromptError, match=what):
        write_prompt(path, texts=texts)
    assert path.read_text() == text
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_refusing_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path, "a.prompty", PROMPTY)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StoreError, match="could not be written"):
        write_prompt(path, set_={"name": "x"})
    assert path.read_text() == PROMPTY
    assert len(list(tmp_path.iterdir())) == 1


LINES = st.lists(
    st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f\x85"), max_size=10),
    min_size=1,
    max_size=4,
)


@settings(max_examples=examples(60))
@given(LINES, st.booleans(), st.sampled_from([PROMPTY, YML]))
def test_any_text_can_be_a_message(lines: list[str], crlf: bool, source: str) -> None:
    said = "\n".join(lines).replace("{", "(").replace(":", ";").strip()
    text = source.replace("\n", "\r\n") if crlf else source
    if source is YML:
        made = edit_prompt(text, file="a.yml", texts={0: said})
        assert read_yaml(made)["messages"] == [{"role": "user", "content": said}]
    else:
        made = edit_prompt(text, file="a.prompty", texts={0: said})
        assert parse_prompt(made).messages[0].text == said
    assert made.count("\r\n") == (made.count("\n") if crlf else 0)
