"""A JSON array read item by item gives what the whole document gives."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.json_stream import JsonStreamError, array_items

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


class Dripping(io.StringIO):
    """A file that gives few characters at a time, whatever is asked for."""

    def __init__(self, text: str, size: int) -> None:
        super().__init__(text)
        self.few = size

    def read(self, size: int | None = -1, /) -> str:
        return super().read(self.few)


@given(st.lists(VALUES, max_size=6), st.integers(1, 9), st.sampled_from([None, 1]))
def test_items_are_those_of_the_document(values: list[object], size: int, indent: int | None) -> None:
    text = json.dumps(values, indent=indent)
    assert [item for _, item in array_items(Dripping(text, size))] == values
    nested = json.dumps({"id": "x", "results": {"version": 3, "results": values, "stats": {}}, "end": [1]})
    assert [item for _, item in array_items(Dripping(nested, size), ("results", "results"))] == values
    flat = json.dumps({"results": values})
    assert [item for _, item in array_items(Dripping(flat, size), ("results", "results"))] == values


def test_any_key_stands_for_each() -> None:
    text = json.dumps({"attack_results": {"a": [1, 2], "b": [3], "c": {}}, "more": [9]})
    assert [item for _, item in array_items(io.StringIO(text), ("attack_results", "*"))] == [1, 2, 3]


def test_items_know_their_line() -> None:
    text = '[\n  {"a": 1},\n\n  {"b":\n 2},\n 3]'
    assert [line for line, _ in array_items(io.StringIO(text))] == [2, 4, 6]


@table(
    ("text", "line", "message"),
    [
        ('[\n{"a": 1},\n{"a": ', 3, "invalid JSON"),
        ('[\n{"a": 1}\n{"b": 2}]', 3, "expected ','"),
        ("[1,\n2] 3", 2, "after the end"),
        ("[1, nope]", 1, "invalid JSON"),
        ('{"results": [1', 1, "ends too early|expected"),
        ("", 1, "ends too early"),
        ("{results: [1]}", 1, "double quotes"),
        ('["unfinished', 1, "Unterminated"),
    ],
)
def test_what_is_broken_has_a_line(text: str, line: int, message: str) -> None:
    with pytest.raises(JsonStreamError, match=message) as caught:
        list(array_items(io.StringIO(text), ("results",)))
    assert caught.value.line == line


def test_a_broken_item_is_found_without_reading_the_rest() -> None:
    class Endless(io.StringIO):
        asked = 0

        def read(self, size: int | None = -1, /) -> str:
            self.asked += 1
            return '[{"a": 1}, {"a": oops}, ' if self.asked == 1 else '{"b": "x"}, ' * 5000

    source = Endless()
    with pytest.raises(JsonStreamError, match="invalid JSON"):
        list(array_items(source))
    assert source.asked < 5


def test_nesting_without_end_is_an_error_and_not_a_crash() -> None:
    with pytest.raises(JsonStreamError, match=r"nested|invalid"):
        list(array_items(io.StringIO("[" + "[" * 200_000)))
