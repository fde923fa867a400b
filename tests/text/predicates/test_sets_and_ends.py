"""Labels, phrases, words and characters; beginnings, ends and patterns."""

from __future__ import annotations

from tests.tables import table

from proctor.text.predicates import parse

CASES = [
    ('one of "World", "Sci/Tech"', " World\n", True),
    ('one of "World", "Sci/Tech"', "world", False),
    ('one of "World", "Sci/Tech" ignoring case', "sci/tech", True),
    ('one of "World", "Sci/Tech"', "**World**", False),
    ('one of "World", "Sci/Tech" ignoring punctuation', '**"World."**', True),
    ('one of "World", "Sci/Tech"', "World, Sci/Tech", False),
    ('one of "PRP" ignoring punctuation', "PRP$", False),
    ('one of "PRP$" ignoring punctuation', "PRP$.", True),
    ('one of "C++" ignoring punctuation', "C++", True),
    ('is "NA"', "NA", True),
    ('is "NA"', "It is NA", False),
    ('equals "na" ignoring case', "NA", True),
    ('contains "cat"', "concatenate", True),
    ('contains "cat" as words', "concatenate", False),
    ('contains "cat" as words', "a cat.", True),
    ('contains "ＣＡＴ" ignoring case', "a cat", True),
    ('contains "straße" ignoring case', "STRASSE", True),
    ('contains all "a", "b"', "ab", True),
    ('contains all "a", "z"', "ab", False),
    ('contains any "y", "b"', "ab", True),
    ('contains any "y", "z"', "ab", False),
    ('contains none "y", "z"', "ab", True),
    ('contains none "y", "a"', "ab", False),
    ('only words "yes", "no"', "Yes, no", False),
    ('only words "yes", "no" ignoring case', "Yes, no.", True),
    ('only words "yes"', "", False),
    ("only characters /[a-z ]/", "abc def", True),
    ("only characters /[a-z ]/", "abc Def", False),
    ("only characters /[a-z ]/i", "abc Def", True),
    ("only characters /[a-z ]/", "", False),
    ('starts with "Dear"', "\n Dear Ann", True),
    ('starts with "dear"', "Dear Ann", False),
    ('starts with "dear", "hi" ignoring case', "Hi Ann", True),
    ('ends with "."', "Done. \n", True),
    ('ends with "?", "!"', "Done.", False),
    ('ends with "DONE." ignoring case', "All done.", True),
    (r"matches /\d{4}/", "in 2024", True),
    (r"matches /^\d{4}$/", "in\n2024", False),
    (r"matches /^\d{4}$/m", "in\n2024", True),
    (r"matches /a.b/", "a\nb", False),
    (r"matches /a.b/s", "a\nb", True),
    (r"is /\d{4}/", " 2024 ", True),
    (r"is /\d{4}/", "in 2024", False),
    (r"is /[ab]+/i", "ABba", True),
]


@table(("predicate", "text", "ok"), CASES)
def test_sets_and_ends(predicate: str, text: str, ok: bool) -> None:
    assert parse(predicate).check(text).ok is ok


def test_what_was_found_is_quoted_as_it_stands() -> None:
    found = parse('contains none "promise", "guarantee" ignoring case').check("We GUARANTEE it.")
    assert (found.ok, found.quote) == (False, "GUARANTEE")
    assert found.reason == "it has 'guarantee'"
    assert parse('contains all "a", "y", "z"').check("a").reason == "it lacks 'y', 'z'"
    assert parse('one of "A", "B"').check("C").reason == "'C' is none of the 2 allowed"
    assert parse(r"matches /\d+/").check("a 12").quote == "12"


def test_a_pattern_that_could_take_too_long_on_this_text_is_not_run() -> None:
    rule = parse(r"matches /(a+) \1c/")
    assert rule.check("aa aac").ok is True
    found = rule.check("ab" * 20_000)
    assert (found.ok, found.known) == (None, False)
    assert r"too many for /(a+) \1c/" in found.reason


@table("rule", [r"matches /a.*b.*c/", r"matches /(a|a)*c/", r"is /(?:(?:a|b)+)+c/", r"count /(b+)+c/ > 0"])
def test_a_long_text_is_read_by_the_linear_engine(rule: str) -> None:
    found = parse(rule)
    assert found.check("aabbc").ok is True
    assert found.check("ab" * 20_000).ok is False
    assert found.check("ab" * 20_000 + "c").ok is True


def test_a_short_text_settles_it_even_where_the_pattern_cannot_run() -> None:
    assert parse("matches /a.*b.*c/ and words <= 3").check("ab " * 20_000).ok is False
