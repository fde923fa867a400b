from __future__ import annotations

from typing import Any

import jsonschema_rs
from tests.tables import table

from proctor.suites.schema import suite_schema

VALIDATOR = jsonschema_rs.validator_for(suite_schema())


@table(
    "data",
    [
        [],
        ["just text", {"id": 5, "input": "q"}],
        {"cases": [{"turns": ["a", {"text": "b", "expect": {"facts": ["f"]}}]}]},
        {"name": "n", "scorers": ["exact", {"contains": "x", "threshold": 0.5}, {"scorer": "length", "settings": {}}]},
        {"defaults": {"tags": ["x"], "checks": [{"contains": ["a"]}]}, "cases_from": ["a.jsonl"]},
        {
            "cases_from": "a.jsonl",
            "cases": [{"input": "q", "recorded": "a"}, {"inputs": {"x": 1}, "recorded": {"turns": []}}],
        },
        {"cases": [{"input": "q", "history": [{"role": "user", "content": "x"}], "expect": {"rules": ["be kind"]}}]},
    ],
)
def test_what_a_suite_may_hold(data: Any) -> None:
    assert VALIDATOR.is_valid(data)


@table(
    "data",
    [
        5,
        {"casess": []},
        {"cases": [{"inptu": "q"}]},
        {"cases": [{"input": "q", "expect": {"fact": []}}]},
        {"cases": [{"input": "q", "history": [{"role": "robot"}]}]},
        {"cases": [{"input": "q", "checks": [{"contains": "x", "threshold": 2}]}]},
        {"defaults": {"id": "x"}},
    ],
)
def test_what_an_editor_underlines(data: Any) -> None:
    assert not VALIDATOR.is_valid(data)


def test_everything_a_user_writes_is_described() -> None:
    schema = suite_schema()
    assert schema["$defs"]["Suite"]["properties"]["cases_from"]["description"]
    assert schema["$defs"]["Case"]["description"]
    assert "Header" not in schema["$defs"]
    assert "Trajectory" not in schema["$defs"], "nothing that nobody refers to"
