from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.text_positions import line_at, line_in_json

TEXT = """{
  "name": "x",
  "cases": [
    {"id": "a"},
    {
      "id": "b",
      "expect": {"facts": [1,
        2]}
    }
  ],
  "e\\u0301": 1
}
"""


@table(
    ("path", "line"),
    [
        ((), 1),
        (("name",), 2),
        (("cases", 0), 4),
        (("cases", 1, "id"), 6),
        (("cases", 1, "expect", "facts", 1), 8),
        (("cases", 1, "missing"), 5),
        (("cases", 9), 3),
        (("e\u0301",), 11),
        (("name", 0), 2),
        (("name", "x"), 2),
    ],
)
def test_a_path_in_json_has_a_line(path: tuple[str | int, ...], line: int) -> None:
    assert line_in_json(TEXT, path) == line


@table("text", ["", "{", '{"a": ', "[1, 2", "{" * 5000, "nonsense"])
def test_what_is_not_json_has_no_line(text: str) -> None:
    assert line_in_json(text, ("a", "b")) in (None, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON, st.data())
def test_the_line_is_that_of_the_value(value: object, data: st.DataObject) -> None:
    text = json.dumps(value, indent=1)
    path: list[str | int] = []
    here = value
    while isinstance(here, (dict, list)) and here:
        step = data.draw(st.sampled_from(sorted(here) if isinstance(here, dict) else list(range(len(here)))))
        path.append(step)
        here = here[step]
    line = line_in_json(text, path)
    assert line is not None
    written = text.splitlines()[line - 1]
    if isinstance(here, (str, int)) or here is None:
        assert json.dumps(here) in written


def test_the_line_of_an_offset() -> None:
    assert [line_at("a\nb\n", offset) for offset in range(4)] == [1, 1, 2, 2]
