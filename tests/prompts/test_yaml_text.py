from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.core.errors import InputError, SuiteError
from proctor.prompts.yaml_text import lines_in_yaml, read_yaml


def test_plain_values_are_those_json_has() -> None:
    text = """
a: 2026-01-01
b: 0x1f
c: 017
d: -5
e: 1e3
f: .5
g: ~
h: yes
i: true
j: "5"
1: one
on: 日本語
k: 1_000
"""
    assert read_yaml(text) == {
        "a": "2026-01-01",
        "b": 31,
        "c": 17,
        "d": -5,
        "e": 1000.0,
        "f": 0.5,
        "g": None,
        "h": "yes",
        "i": True,
        "j": "5",
        "1": "one",
        "on": "日本語",
        "k": 1000,
    }


def test_merge_keys_and_aliases_are_written_out() -> None:
    made = read_yaml("base: &b {x: 1, y: [2]}\none: {<<: *b, y: 3}\ntwo: {<<: [*b, {z: 4}]}\nthree: *b")
    assert made["one"] == {"x": 1, "y": 3}
    assert made["two"] == {"x": 1, "y": [2], "z": 4}
    made["three"]["y"].append(5)
    assert made["base"]["y"] == [2], "an alias is a copy"


def laughs(merge: bool) -> str:
    lines = ["a: &a {k: 1}" if merge else "a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for one, other in zip("abcdefghi", "bcdefghij", strict=True):
        inner = ",".join([f"*{one}"] * 10)
        lines.append(f"{other}: &{other} {{<<: [{inner}]}}" if merge else f"{other}: &{other} [{inner}]")
    return "\n".join(lines)


@table(
    ("text", "line", "what"),
    [
        ("a: 1\nb: [1, 2", 2, "expected ',' or ']'"),
        ("a: b: c", 1, "mapping values"),
        ("a: 1\nb: 2\na: 3", 3, "`a` is here twice"),
        ("a: &a [*a]", 1, "nested too deeply"),
        ("a:\n\t- b", 2, "cannot start any token"),
        ("x: !!python/object/apply:os.system [ls]", 1, "tag"),
        ("x: !!binary aGk=", 1, "tag !!binary"),
        ("a: .nan", 1, "not a number"),
        ("? [1, 2]\n: 3", 1, "a key must be text"),
        ("a: 1\n---\nb: 2", 2, "another document"),
        ("a: 1\nb: {<<: 5}", 2, "`<<` needs a mapping"),
        (laughs(merge=False), 1, "too large"),
        (laughs(merge=True), 1, "too large"),
        ("a: \x01", None, "characters are not allowed"),
        ("[" * 100_000, None, "nested too deeply"),
        ("[" * 300 + "]" * 300, 1, "nested too deeply"),
        ("a:\n" + "- " * 50_000 + "x", None, "nested too deeply"),
        ("- " * 300 + "x", 1, "nested too deeply"),
        ("".join(" " * depth + "- ? -\n" for depth in range(0, 2_000, 6)), None, "nested too deeply"),
        ("a: " + "9" * 5000, 1, "too large"),
    ],
)
def test_bad_yaml_is_told_with_its_line(text: str, line: int | None, what: str) -> None:
    with pytest.raises(SuiteError) as caught:
        read_yaml(text, file="s.yaml", error=SuiteError)
    assert what in caught.value.message
    assert caught.value.line == line
    assert caught.value.file == "s.yaml"


def test_deep_text_is_not_deep_data() -> None:
    staircase = "".join("  " + " " * step + "x\n" for step in range(0, 700, 7))
    assert read_yaml("a: |\n" + staircase)["a"].count("x") == 100
    assert read_yaml("a: |\n  x\n" + " " * 5_000 + "y\n")["a"].endswith("y\n")


def test_an_anchor_may_be_set_anew() -> None:
    assert read_yaml("a: &x 1\nb: &x 2\nc: *x") == {"a": 1, "b": 2, "c": 2}


def test_lines_count_from_where_the_text_begins() -> None:
    with pytest.raises(InputError) as caught:
        read_yaml("a: 1\nb: [", first_line=10)
    assert caught.value.line == 11


TEXT = """\
name: x
cases:
  - id: a
  - id: b
    expect:
      facts: [one,
        two]
"""


@table(
    ("path", "line"),
    [
        ((), 1),
        (("cases",), 2),
        (("cases", 1), 4),
        (("cases", 1, "expect", "facts", 1), 7),
        (("cases", 1, "missing"), 4),
        (("cases", 7), 2),
        (("other",), 1),
    ],
)
def test_a_path_has_a_line(path: tuple[str | int, ...], line: int) -> None:
    assert lines_in_yaml(TEXT)(path) == line


def test_broken_text_has_no_lines() -> None:
    assert lines_in_yaml("a: [")(("a",)) is None
    assert lines_in_yaml("")(("a",)) is None


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@settings(deadline=None)
@given(DATA)
def test_json_is_read_as_json_reads_it(data: Any) -> None:
    text = json.dumps(data)
    assert read_yaml(text) == data


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_data_or_an_error_of_ours(text: str) -> None:
    with suppress(InputError):
        json.dumps(read_yaml(text))
