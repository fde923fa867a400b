"""Texts that are too long or made to hurt: a predicate settles what it can and says when it cannot."""

from __future__ import annotations

import pytest
from tests.tables import table

from proctor.text.predicates import parse, term, vocabulary
from proctor.text.predicates.term import LONGEST

HOSTILE = {
    "full stops": "." * 40_000 + "x",
    "brackets": "[" * 40_000,
    "braces": '{"a":' * 10_000,
    "open tags": "<p>" * 15_000,
    "stars": "*" * 40_000,
    "backticks": "`" * 40_000,
    "blank lines": "\n \t" * 20_000,
    "bars": "|" * 40_000,
    "quotes": '"' * 40_000,
    "digits": "1" * 40_000,
    "marks": "a\u0301" * 20_000,
    "a fence and spaces": "```\n" + " " * 20_000,
    "first": "first " * 20_000,
    "dashes": "- " * 20_000,
    "colons": "a:" * 20_000,
}


@table("name", HOSTILE)
def test_hostile_texts_are_answered(name: str) -> None:
    text = HOSTILE[name]
    for entry in vocabulary():
        assert parse(entry.example).check(text, {"text": text}).reason


def test_a_text_of_megabytes_is_measured_but_not_searched() -> None:
    text = "word " * 500_000
    assert parse("words <= 80").check(text).ok is False
    assert parse('ends with "word"').check(text).ok is True
    found = parse("is json").check(text)
    assert (found.ok, found.known) == (None, False)
    assert found.reason == "2,500,000 characters are too many to check"
    assert parse("is json and words <= 80").check(text).ok is False


def test_a_check_that_would_read_too_much_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term, "MOST_WORK", 100_000)
    rule, text = parse("each word: input words >= 5"), "a " * 500
    found = rule.check(text, {"text": text})
    assert (found.ok, found.known) == (None, False)
    assert found.reason == "the check would take too long on this text"
    assert rule.check("a b c", {"text": text}).ok is True  # the next one begins anew


def test_the_usual_allowance_is_enough_for_the_longest_text_that_is_searched() -> None:
    assert term.MOST_WORK >= 100 * LONGEST


def test_an_input_that_is_too_long_leaves_it_open() -> None:
    found = parse("from the input").check("a", {"text": "a" * (LONGEST + 1)})
    assert (found.ok, found.known) == (None, False)
