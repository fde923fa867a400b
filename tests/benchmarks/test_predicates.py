"""What the predicate benchmark measures: real rules on varied outputs, the same ones each time."""

from __future__ import annotations

from benchmarks.predicates import RULES, checking, outputs

from proctor.text.predicates import parse


def test_the_outputs_are_the_same_each_time_and_not_all_alike() -> None:
    made = list(outputs(200))
    assert made == list(outputs(200))
    assert made != list(outputs(200, seed=6))
    assert len(set(made)) > 100


def test_the_rules_are_kept_by_some_outputs_and_broken_by_others() -> None:
    made = list(outputs(500))
    asked = {"question": "Where is order AB-12345 of 3 May?"}
    for text in RULES:
        found = {parse(text).check(output, asked).ok for output in made}
        assert {True, False} <= found, text


def test_time_is_taken_over_every_pair() -> None:
    assert checking([parse("words <= 80")], ["a", "b"]) >= 0.0
