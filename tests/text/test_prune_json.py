from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proctor.text.prune_json import prune, without_lengths

CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "score": {"type": "number"},
        "notes": {"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 5}},
        "maxLength": {"type": "string", "maxLength": 3},
    },
    "required": ["score"],
    "additionalProperties": False,
}


def test_only_what_the_schema_names_is_kept() -> None:
    said = {"score": 1, "reason": "x", "notes": ["a", "b", "c"]}
    assert prune(said, CLOSED) == {"score": 1, "notes": ["a", "b"]}
    assert prune(said, {**CLOSED, "additionalProperties": True})["reason"] == "x"
    assert prune(
        {"deep": [{"a": 1, "b": 2}]}, {"properties": {"deep": {"items": {**CLOSED, "properties": {"a": {}}}}}}
    ) == {"deep": [{"a": 1}]}


def test_lengths_are_taken_out_and_names_of_properties_stay() -> None:
    loose = without_lengths(CLOSED)
    assert loose["properties"]["maxLength"] == {"type": "string"}
    assert loose["properties"]["notes"] == {"type": "array", "maxItems": 2, "items": {"type": "string"}}
    assert without_lengths({"enum": [{"maxLength": 1}]}) == {"enum": [{"maxLength": 1}]}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, json_values)
def test_any_value_and_any_schema_are_taken(value: Any, schema: Any) -> None:
    prune(value, schema)
    without_lengths(schema)
    assert prune(value, {}) == value
