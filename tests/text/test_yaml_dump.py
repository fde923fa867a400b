"""Whatever the data holds, the reader finds it again; and what a person reads is easy on the eye."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.profiles import examples

from proctor.prompts.yaml_text import read_yaml
from proctor.text.yaml_dump import to_yaml

ODD = list(" \n\t-:#[]{}'\"|>&*!%@`,?~=<.\r\u0085\u2028\ufeff\U0001f600あabc019")
texts = st.text(alphabet=st.one_of(st.characters(), st.sampled_from(ODD)), max_size=30)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=examples(300))
@given(trees)
@example(
    {"a": ["yes", "No", "0x1", "1e5", "1_000", "12:30", "2020-01-01", "null", "~", "=", "<<", "- a", "---", "..."]}
)
@example({"a": ["a: b", "a #b", "a:", "|", "y", "0o7", "+1", ".5", "NaN", ".nan", "off", "1e22", 1e22, 1e-7, 0.1]})
@example(["\ud800", "\n", " \n a", "\n\nx", "x\n\n", "\tx\ny", "x \ny", "a\n  b\n c\n"])
def test_what_is_written_is_read_back(data: Any) -> None:
    back = read_yaml(to_yaml(data))
    assert back == data
    assert repr(back) == repr(data)


@pytest.mark.parametrize("text", ["[" * 3000, '{"a": [' * 600, "a\n" + "{[" * 600])
def test_open_brackets_in_texts_do_not_look_like_nesting(text: str) -> None:
    assert read_yaml(to_yaml({"cases": [text, "fine"]})) == {"cases": [text, "fine"]}


def test_it_reads_well() -> None:
    data = {
        "text": "Be brief: yes.",
        "tags": ["a", "b"],
        "block": "one\n  two\n",
        "list": [{"a": 1, "b": []}],
        "nothing": None,
    }
    assert to_yaml(data) == (
        'text: "Be brief: yes."\ntags: [a, b]\nblock: |\n  one\n    two\nlist:\n  - a: 1\n    b: []\nnothing: null\n'
    )


def test_a_number_that_json_has_not_is_text() -> None:
    assert read_yaml(to_yaml([float("nan"), float("-inf")])) == ["nan", "-inf"]
