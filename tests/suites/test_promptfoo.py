from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.suites.promptfoo import ForeignCheckError, check_of


@table(
    ("cell", "scorer", "settings"),
    [
        ("plain text", "exact", {"value": "plain text"}),
        ("Note: something", "exact", {"value": "Note: something"}),
        ("equals: 5", "exact", {"value": "5"}),
        ("contains: x: y", "contains", {"value": "x: y"}),
        ("contains-all: a,b", "contains", {"value": ["a", "b"]}),
        ("contains-any: a, b", "contains", {"value": ["a", "b"], "mode": "any"}),
        ("icontains: X", "contains", {"value": "X", "ignore_case": True}),
        ("icontains-all: X", "contains", {"value": ["X"], "ignore_case": True}),
        ("not-contains: x", "contains", {"value": "x", "mode": "none"}),
        ("not-icontains-any: x, y", "contains", {"value": ["x", "y"], "mode": "none", "ignore_case": True}),
        ("regex: ^a+$", "regex", {"value": "^a+$"}),
        ("not-regex: a", "regex", {"value": "a", "mode": "none"}),
        ("starts-with: (a", "regex", {"value": r"\A\(a"}),
        ("is-json", "json_schema", {"from_text": "strict"}),
        ('is-json: {"type": "object"}', "json_schema", {"from_text": "strict", "schema": {"type": "object"}}),
        ("contains-json", "json_schema", {"from_text": "loose"}),
        ("latency(1500)", "latency", {"at_most": 1.5}),
        ("cost(0.01)", "cost", {"at_most": 0.01}),
        ("word-count: 50", "length", {"unit": "words", "at_least": 50, "at_most": 50}),
        ('word-count: {"max": 9}', "length", {"unit": "words", "at_most": 9}),
        ("llm-rubric: is kind", "judge", {"rubric": "is kind"}),
        ("grade: is kind", "judge", {"rubric": "is kind"}),
        ("llm-rubric(0.8): is kind", "judge", {"rubric": "is kind", "kind": "score"}),
        ("bleu: x", "overlap", {"metric": "bleu", "reference": "x"}),
        ("similar: x", "similar", {"reference": "x"}),
        ("similar:cosine(0.7): x", "similar", {"reference": "x"}),
    ],
)
def test_what_a_cell_asks_for(cell: str, scorer: str, settings: dict[str, Any]) -> None:
    check = check_of(cell)
    assert (check["scorer"], check.get("settings")) == (scorer, settings)


def test_thresholds() -> None:
    assert check_of("similar: x")["threshold"] == 0.8
    assert check_of("similar(0.6): x")["threshold"] == 0.6
    assert check_of("llm-rubric(0.8): x")["threshold"] == 0.8


@table(
    "cell",
    [
        "javascript: output.length > 5",
        "fn: true",
        "eval: 1",
        "python: len(output)",
        "file://check.py",
        "factuality: x",
        "levenshtein(5): x",
        "rouge-n(0.5): x",
        "is-sql",
        "trajectory:tool-used: search",
        "similar:euclidean(0.7): x",
        "not-llm-rubric: rude",
        "not-is-json",
    ],
)
def test_what_is_not_supported_is_named(cell: str) -> None:
    with pytest.raises(ForeignCheckError) as caught:
        check_of(cell)
    assert "is not supported" in caught.value.message
    assert "equals:" in caught.value.hint


@settings(deadline=None)
@given(st.text(min_size=1, max_size=30).filter(lambda text: text.strip() == text))
def test_a_text_that_must_not_be_equalled(text: str) -> None:
    try:
        check = check_of(f"not-equals: {text}")
    except ForeignCheckError:
        return
    assert check["settings"]["mode"] == "none"
    assert re.search(check["settings"]["value"], text)
    assert not re.search(check["settings"]["value"], text + "x")
