from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.core.errors import PromptError
from proctor.prompts.yaml_edit import edit_yaml
from proctor.prompts.yaml_text import read_yaml
from proctor.text.yaml_dump import to_yaml

TEXT = """\
# A file with everything in it
name:   'Animals'     # quoted so
unknown_key: {a: 1, b: [2, 3]}   # kept

model: openai/gpt-4o

messages:
  # who speaks
  - role: system
    content: >-
      You are
      kind.
  - role: user
    content: |
      Describe a {{animal}}.

      Please.


testData:
- animal: dog   # a good one
  expected: "barks"
# between
- animal: 'cat'
tags: [one, two]
last: yes
"""


def changed(text: str, change: Any) -> list[str]:
    """The lines that are other than they were, with `-` and `+`."""
    data = read_yaml(text)
    change(data)
    made = edit_yaml(text, data)
    assert read_yaml(made) == data
    old, new = text.splitlines(), made.splitlines()
    return [f"-{line}" for line in old if line not in new] + [f"+{line}" for line in new if line not in old]


def test_nothing_changed_is_the_same_text() -> None:
    assert edit_yaml(TEXT, read_yaml(TEXT)) == TEXT


@table(
    ("change", "lines"),
    [
        (lambda d: d.update(name="Beasts"), ["-name:   'Animals'     # quoted so", "+name: Beasts     # quoted so"]),
        (lambda d: d.update(extra=True), ["+extra: true"]),
        (lambda d: d.pop("model"), ["-model: openai/gpt-4o"]),
        (lambda d: d["testData"].append({"animal": "fox"}), ["+- animal: fox"]),
        (lambda d: d["testData"].insert(0, {"animal": "fox"}), ["+- animal: fox"]),
        (lambda d: d["testData"][1].update(expected="meows"), ["+  expected: meows"]),
        (lambda d: d["testData"].pop(1), ["-- animal: 'cat'"]),
        (lambda d: d["tags"].append("three"), ["-tags: [one, two]", "+tags: [one, two, three]"]),
        (
            lambda d: d["unknown_key"]["b"].__setitem__(0, "x y"),
            ["-unknown_key: {a: 1, b: [2, 3]}   # kept", '+unknown_key: {a: 1, b: ["x y", 3]}   # kept'],
        ),
        (
            lambda d: d["messages"][0].update(content="Be\nrude."),
            ["-    content: >-", "-      You are", "-      kind.", "+    content: |-", "+      Be", "+      rude."],
        ),
        (lambda d: d["testData"][0].update(animal=["a", {"b": 1}]), ["-- animal: dog   # a good one"]),
    ],
)
def test_only_what_changed_is_written(change: Any, lines: list[str]) -> None:
    got = changed(TEXT, change)
    assert [line for line in got if line in lines] == lines
    if len(lines) > 1 or lines[0].startswith("+") or "good" not in lines[0]:
        assert got == lines


def test_a_remark_stays_when_a_word_becomes_a_list() -> None:
    assert edit_yaml("a: 1  # why\nb: 2\n", {"a": [{"c": 1}], "b": 2}) == "a:  # why\n  - c: 1\nb: 2\n"


def test_a_remark_above_the_first_item_stays_with_it() -> None:
    assert edit_yaml("a:\n  # one\n  - 1\n", {"a": [0, 1]}) == "a:\n  - 0\n  # one\n  - 1\n"


def test_two_things_go_to_the_end() -> None:
    assert edit_yaml("a:\n    - x  # so\n", {"a": ["x", "z"], "b": 1}) == "a:\n    - x  # so\n    - z\nb: 1\n"


@pytest.mark.parametrize("text", ["a: 1\r\nb:\r\n  - x\r\n# end\r\n", "a: 1\r\nb:\r\n  - x"])
def test_line_endings_stay(text: str) -> None:
    made = edit_yaml(text, {"a": 1, "b": ["x", "two\nlines"], "c": {"d": 1}})
    assert read_yaml(made) == {"a": 1, "b": ["x", "two\nlines"], "c": {"d": 1}}
    assert made.count("\n") == made.count("\r\n")


def test_an_alias_is_not_mistaken_for_its_anchor() -> None:
    text = "base: &b {x: 1}\none: *b\ntwo: 2\n"
    made = edit_yaml(text, {"base": {"x": 1}, "one": {"x": 5}, "two": 2})
    assert made == "base: &b {x: 1}\none:\n  x: 5\ntwo: 2\n"


def test_what_cannot_be_kept_is_told() -> None:
    with pytest.raises(PromptError, match="anchors and aliases"):
        edit_yaml("base: &b {x: 1}\none: *b\n", {"base": 5, "one": {"x": 1}})
    with pytest.raises(PromptError, match="key: value"):
        edit_yaml("- a\n", {"a": 1}, file="f.yml")


def test_merged_keys_can_be_overruled_and_not_dropped() -> None:
    text = "base: &b {x: 1}\none:\n  <<: *b\n  y: 2\n"
    made = edit_yaml(text, {"base": {"x": 1}, "one": {"x": 3, "y": 2}})
    assert made == text + "  x: 3\n"
    assert read_yaml(edit_yaml(text, {"base": {"x": 1}, "one": {"y": 2}}))["one"] == {"y": 2}


def test_a_text_with_remarks_alone_gets_its_data_below() -> None:
    assert edit_yaml("# later", {"a": 1}) == "# later\na: 1\n"
    assert edit_yaml("", {"a": 1}) == "a: 1\n"
    assert edit_yaml("", {}) == ""


WORD = st.text(st.characters(codec="utf-8"), max_size=12)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | WORD | st.sampled_from(["two\nlines", "a: b", "# no", "x\n\n"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcde"), inner, max_size=3),
    max_leaves=6,
)
DATA = st.dictionaries(st.sampled_from("abcdef"), VALUE, max_size=5)


def flow(data: Any) -> str:
    return json.dumps(data, ensure_ascii=True)


@settings(max_examples=examples(100))
@given(DATA, DATA, st.sampled_from([to_yaml, flow]), st.booleans())
def test_any_data_can_be_made_any_other(old: Any, new: Any, write: Any, crlf: bool) -> None:
    text = write(old) if old else ""
    text = text.replace("\n", "\r\n") if crlf else text
    assert (read_yaml(edit_yaml(text, new)) or {}) == new


@settings(max_examples=examples(60))
@given(DATA.filter(bool), VALUE, st.data())
def test_other_lines_survive_a_change(old: Any, value: Any, data: Any) -> None:
    lines = []
    for key, each in old.items():
        lines += [f"# about {key}", *to_yaml({key: each}).splitlines(), ""]
    text = "\n".join(lines) + "\n"
    key = data.draw(st.sampled_from(sorted(old)))
    new = {**read_yaml(text), key: value}
    made = edit_yaml(text, new)
    for other in old:
        assert f"# about {other}\n" in made
        if other != key:
            assert to_yaml({other: old[other]}) in made


RULES = """\
rules:
  - id: r-1
    text: Use no emojis.  # the brand
    at: 1
  - id: r-2
    # the lawyers want it
    text: Give no advice.
    at: 2
  - id: r-3
    text: Be brief.
    at: 3  # third
"""


def test_remarks_of_a_dropped_entry_go_to_no_other() -> None:
    rules = [
        {"id": "r-1", "text": "Use no emojis.", "at": 5},
        {"id": "r-3", "text": "Be brief.", "at": 6},
        {"id": "r-4", "text": "Be kind.", "at": 7},
    ]
    assert edit_yaml(RULES, {"rules": rules}).splitlines()[1:] == [
        "  - id: r-1",
        "    text: Use no emojis.  # the brand",
        "    at: 5",
        "  - id: r-3",
        "    text: Be brief.",
        "    at: 6  # third",
        "  - id: r-4",
        "    text: Be kind.",
        "    at: 7",
    ]


def test_another_id_at_the_same_place_is_another_entry() -> None:
    rules = [*read_yaml(RULES)["rules"]]
    rules[1] = {"id": "r-4", "text": "Quote prices.", "at": 2}
    made = edit_yaml(RULES, {"rules": rules})
    assert read_yaml(made) == {"rules": rules}
    assert [line for line in made.splitlines() if "#" in line] == [
        "    text: Use no emojis.  # the brand",
        "    at: 3  # third",
    ]


def test_an_entry_with_another_id_and_the_same_text_keeps_its_remarks() -> None:
    rules = [{**rule, "id": f"s-{number}", "at": number} for number, rule in enumerate(read_yaml(RULES)["rules"])][1:]
    made = edit_yaml(RULES, {"rules": rules})
    assert made.splitlines()[1:4] == ["  - id: s-1", "    # the lawyers want it", "    text: Give no advice."]
    assert "the brand" not in made
    assert "at: 2  # third" in made


def test_an_entry_is_added_below_one_that_loses_its_last_lines() -> None:
    text = "a:\n  - id: x  # mine\n    b:\n      - id: y\n"
    new = {"a": [{"id": "x", "b": [{"id": "z"}]}, {"id": "w"}]}
    assert edit_yaml(text, new) == "a:\n  - id: x  # mine\n    b:\n      - id: z\n  - id: w\n"
    assert (
        edit_yaml("a:\n  - b: 1  # mine\n    c: 2\n", {"a": [{"b": 1}, {"d": 2}]}).splitlines()[1] == "  - b: 1  # mine"
    )
