from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.loose_json import MAX_DEPTH, NotJsonError, candidates, read_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
CONTAINERS = st.lists(VALUES, max_size=4) | st.dictionaries(st.text(max_size=8), VALUES, max_size=4)
# Prose has no brackets or fences of its own; those are tried one by one below.
PROSE = st.text(st.characters(blacklist_characters="{}[]`\"'", blacklist_categories=["Cs"]), max_size=40)


def same(left: Any, right: Any) -> bool:
    """Equal as JSON: true is not 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@settings(deadline=None)
@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_plain_json_reads_as_itself(value: Any, indent: int | None, ascii_only: bool) -> None:
    assert same(read_json(json.dumps(value, indent=indent, ensure_ascii=ascii_only)), value)


@settings(deadline=None)
@given(VALUES, PROSE, PROSE, st.sampled_from(["json", "", "JSON", "javascript"]), st.sampled_from([None, 2]))
def test_any_value_in_a_fence_in_prose_reads_back(
    value: Any, before: str, after: str, tag: str, indent: int | None
) -> None:
    text = f"{before}\n```{tag}\n{json.dumps(value, indent=indent)}\n```\n{after}"
    assert same(read_json(text), value)


@settings(deadline=None)
@given(CONTAINERS, PROSE, PROSE, st.sampled_from([None, 2]))
def test_objects_and_lists_in_open_prose_read_back(value: Any, before: str, after: str, indent: int | None) -> None:
    assert same(read_json(f"{before} {json.dumps(value, indent=indent, ensure_ascii=False)} {after}"), value)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=6), VALUES, min_size=1, max_size=3))
def test_a_comma_before_a_bracket_is_forgiven(value: dict[str, Any]) -> None:
    assert same(read_json(json.dumps(value)[:-1] + ",}"), value)
    assert same(read_json("[" + json.dumps(value) + " , ]"), [value])


PLAIN_TEXT = st.text(st.characters(blacklist_characters="'\"\\\n\r\t", blacklist_categories=["Cs", "Cc", "Zl", "Zp"]))
PYTHON = st.recursive(
    st.none() | st.booleans() | st.integers() | PLAIN_TEXT.filter(str.isprintable),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(PLAIN_TEXT.filter(str.isprintable), inner, min_size=1, max_size=3)
    ),
    max_leaves=10,
)


@settings(deadline=None)
@given(st.dictionaries(PLAIN_TEXT.filter(str.isprintable), PYTHON, max_size=3))
def test_what_python_prints_reads_back(value: dict[str, Any]) -> None:
    assert same(read_json(f"Here it is: {value!r}"), value)


@settings(deadline=None)
@given(CONTAINERS, st.data())
def test_a_cut_text_gives_the_whole_value_or_a_prefix_that_was_complete(value: Any, data: st.DataObject) -> None:
    """A cut may lose members at the end, but no string, number or name is ever shortened or made up."""
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text)))]
    try:
        read = read_json(cut)
    except NotJsonError:
        return
    assert is_part(read, value)
    if cut != text:
        with pytest.raises(NotJsonError):
            read_json(cut, close=False)


def is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) <= len(whole) and all(map(is_part, part, whole[: len(part)]))
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and is_part(v, whole[k]) for k, v in part.items())
    return same(part, whole)


@settings(deadline=None)
@given(st.text(max_size=300) | st.text(alphabet="{}[]\"',:\\ 01aTNtn`\n", max_size=300), st.booleans())
def test_random_text_raises_only_its_own_error(text: str, close: bool) -> None:
    with contextlib.suppress(NotJsonError):
        assert candidates(text, close=close)


@table(
    "text",
    [
        "[" * 250_000,
        '{"a":' * 50_000,
        '{"a":' * 150 + '"' + "x" * 250_000,
        '{"' * 125_000,
        "{'" * 125_000,
        "{'a'a" * 50_000,
        "```\n" * 62_500,
        '["\\x' * 62_500,
        "{ x " * 62_500,
        "9" * 250_000,
        "['a" + " " * 250_000,
        "x" * 250_000,
    ],
    ids=lambda text: text[:6],
)
def test_a_quarter_of_a_megabyte_of_anything_is_given_up_without_hanging(text: str) -> None:
    with pytest.raises(NotJsonError):
        read_json(text)


def test_a_megabyte_of_loose_json_is_read() -> None:
    value = [{"name": f"item {index}", "price": None, "tags": ["a", True]} for index in range(16_000)]
    text = f"Sure, here: {value!r}"
    assert len(text) > 900_000
    assert read_json(text) == value


@table(
    ("text", "value"),
    [
        ('{"a": 1} trailing', {"a": 1}),
        ("\ufeff{}", {}),
        ("{'say': \"it's\", 'b': 'don't', 'c': 'she\\'ll'}", {"say": "it's", "b": "don't", "c": "she'll"}),
        ("{'q': 'a \"quoted\" word'}", {"q": 'a "quoted" word'}),
        ('{"a": "line one\nline two"}', {"a": "line one\nline two"}),
        ('```json\n{"code": "```py\\nx = {}\\n```"}\n```', {"code": "```py\nx = {}\n```"}),
        ('{"a": [1, {"b": "x"', {"a": [1, {"b": "x"}]}),
        ('```json\n{"a": "x"\n```', {"a": "x"}),
        ('see [1] and [2]: {"a": 2}; more in [3]', {"a": 2}),
        ('First {"score": 0.25}, but finally {"score": 1}', {"score": 1}),
        ('Like {"score": ...}: {"score": 1}', {"score": 1}),
        ('Use {placeholders} like {"a": 1}', {"a": 1}),
        ("```json\nnull\n```\nTrue", None),
        ("```py\nx()\n```\nTrue\n```json\n[1]\n```\nFalse", [1]),
        ("```json\n{'a': oops}\n```\n7 or\n```\n{'a': 1}\n```", {"a": 1}),
        ("True\n```json\nnull\n```", None),
        ("None", None),
        ("'text'", "text"),
        ("True", True),
    ],
)
def test_slips_that_are_forgiven(text: str, value: Any) -> None:
    assert read_json(text) == value


@table(
    "text",
    [
        "",
        "  \n ",
        "no json here",
        "```py\nx()\n```\nTrue",  # what follows a fence is not in it
        '{"a": 1',  # the number may go on
        '{"a": tru',
        '{"a": "x", ',  # something was lost
        '{"a": "x", "b',
        '{"a": "cut in the mid',
        '{"a": "x"} {"a": "y", "b": "cut',  # the answer is the one that is cut, not the draft
        "{'a': 'he said 'no', and left'}",
        "{'a': 'bad \\x41 escape'}",
        '{"a": NaN}',
        '{"a": Infinity}',
        "1e999",
        '{"a": 1e999}',
        '{"a": 01}',
        "{a: 1}",
        '{"a": 1 "b": 2}',
        "[1, 2, ...]",
        '{"a": 1 "b": {"c": 2}}',  # a piece of a broken answer is no answer
        '{"a": [oops {"b": 2}], "c": {"d": 3}}',
        '{"a": ' + "9" * 5000 + "}",
    ],
)
def test_what_could_mean_two_things_is_not_read(text: str) -> None:
    with pytest.raises(NotJsonError):
        read_json(text)


def test_missing_brackets_are_not_added_to_a_reply_that_was_cut() -> None:
    assert read_json('{"a": "x"') == {"a": "x"}
    with pytest.raises(NotJsonError, match="no closing brace"):
        read_json('{"a": "x"', close=False)


def test_every_reading_is_given_likeliest_first() -> None:
    text = '[1] {"a": 1} {"b": 2}\n```json\n[3]\n```'
    assert candidates(text) == [[3], {"b": 2}, {"a": 1}, [1]]


def test_json_quoted_in_json_is_read_too() -> None:
    assert candidates(json.dumps('{"a": 1}')) == ['{"a": 1}', {"a": 1}]
    assert candidates(json.dumps("{not json")) == ["{not json"]


def test_nesting_is_bounded() -> None:
    fine = "x " + "[" * MAX_DEPTH + "]" * MAX_DEPTH
    value = read_json(fine)
    for _ in range(MAX_DEPTH - 1):
        value = value[0]
    assert value == []
    with pytest.raises(NotJsonError, match="deep"):
        read_json("x " + "[" * (MAX_DEPTH + 5) + "]" * (MAX_DEPTH + 5))


def test_the_error_says_where() -> None:
    with pytest.raises(NotJsonError, match=r"expected a value \(line 2, column 6\)"):
        read_json('{"a": 1,\n"b": oops}')
