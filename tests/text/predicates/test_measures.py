"""Counts: each measure on texts where a careless count goes wrong."""

from __future__ import annotations

from tests.tables import table

from proctor.text.predicates import parse
from proctor.text.predicates.measures import MEASURES

CASES = [
    ("words", "  one two\n three — four ", 5),
    ("words", "", 0),
    ("characters", " caf\u0065\u0301 ", 4),
    ("letters", "a1 b2, 漢!", 3),
    ("sentences", "Mr. Smith paid 3.50. He left!", 2),
    ("lines", "a\n\n b\n\t\nc", 3),
    ("paragraphs", "\n\none\nline\n \t\ntwo\n\n\n", 2),
    ("paragraphs", "one\n", 1),
    ("items", "- a\n* b\n3. c\n10) d\n-no\n2024 was", 4),
    ("bullets", "• a\n  - b\n1. c", 2),
    ("numbered items", "1. a\n2) b\n(3) c\n3.5 percent", 3),
    ("headings", "# A\n## B\n#tag\n<h2>c</h2>", 3),
    ("questions", "What?! Really?? No.", 2),
    ("exclamations", "Hi!! There!", 2),
    ("links", "see https://a.example/x and [b](/path) or www.c.example", 3),
    ("links", "[d](https://d.example)", 1),
    ("emoji", "a 👍🏽 b 👨‍👩‍👧 c 🇯🇵 ☀️", 4),
    ("numbers", "1,000 and 3.5 or -2", 3),
    ("digits", "a1b22", 3),
]


@table(("measure", "text", "count"), CASES)
def test_measures(measure: str, text: str, count: int) -> None:
    assert parse(f"{measure} = {count}").check(text).ok is True, parse(f"{measure} = 0").check(text).reason
    assert parse(f"{measure} != {count}").check(text).ok is False


def test_every_measure_is_tested_above() -> None:
    assert {measure for measure, _, _ in CASES} == set(MEASURES)


@table(
    ("bound", "holds"),
    [
        ("<= 3", True),
        ("<= 2", False),
        ("< 3", False),
        ("< 4", True),
        (">= 3", True),
        (">= 4", False),
        ("> 3", False),
        ("> 2", True),
        ("= 3", True),
        ("!= 3", False),
        ("between 3 and 5", True),
        ("between 1 and 3", True),
        ("between 4 and 5", False),
    ],
)
def test_bounds(bound: str, holds: bool) -> None:
    assert parse(f"words {bound}").check("one two three").ok is holds


def test_a_bound_may_come_from_an_input() -> None:
    rule = parse('words <= input "most"')
    assert rule.check("one two three", {"most": 3}).ok is True
    assert rule.check("one two three", {"most": "about 2 words"}).ok is False
    assert rule.check("one two three", {"most": "two or 3 or 4"}).known is False
    assert rule.check("one two three", {"other": 3}).reason == "there is no input called 'most'"
    between = parse('words between input "least" and 4')
    assert between.check("one two three", {"least": 4}).ok is False
    assert between.check("one two three", {"least": 2}).ok is True


def test_the_reason_gives_the_count_and_what_was_asked() -> None:
    assert parse("words <= 2").check("one two three").reason == "3 words (asked: at most 2)"
    assert parse("sentences = 2").check("One.").reason == "1 sentence (asked: exactly 2)"
    assert parse("words <= 1").check("x " * 1234).reason == "1,234 words (asked: at most 1)"


@table(
    ("predicate", "text", "ok"),
    [
        ('count "an" = 2', "banana", True),
        ('count "An" = 1', "An orange and an apple", True),
        ('count "an" = 4 ignoring case', "An orange and an apple", True),
        ('count "an" = 2 ignoring case as words', "An orange and an apple", True),
        (r"count /\d+/ = 2", "3 and 44", True),
        (r"count /\d+/ >= 3", "3 and 44", False),
        ('pieces "," = 3', "a, b, c", True),
        ('pieces "," = 0', "  ", True),
        ('pieces ";" = 2', "a, b", False),
    ],
)
def test_counts_of_a_text_or_a_pattern(predicate: str, text: str, ok: bool) -> None:
    assert parse(predicate).check(text).ok is ok
