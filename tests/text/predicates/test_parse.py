"""How predicates are read: spellings, precedence, the canonical text, and errors that say what to do."""

from __future__ import annotations

import pytest
from tests.tables import table

from proctor.text.predicates import PredicateError, parse
from proctor.text.predicates.connectives import DEEPEST
from proctor.text.predicates.scanner import MOST_CHARACTERS


@table(
    ("written", "canonical"),
    [
        ("words<=80", "words <= 80"),
        ("Words ≤ 80", "words <= 80"),
        ("word == 1", "words = 1"),
        ("words at most 80", "words <= 80"),
        ("sentences no more than 3 AND items exactly 2", "sentences <= 3 and items = 2"),
        ("words between 3 and 5 and lines = 1", "words between 3 and 5 and lines = 1"),
        ('words <= input "most"', 'words <= input "most"'),
        ("characters between 0.5 and 2e1", "characters between 0.5 and 20"),
        ("one of 'a', “b” or 「c」", 'one of "a", "b", "c"'),
        ('contains none of "x" and "y"', 'contains none "x", "y"'),
        ('does not contain "x"', 'contains none "x"'),
        ('contains "a" as words, ignoring case', 'contains "a" ignoring case as words'),
        (r'contains "say \"hi\"\n\\o/"', r'contains "say \"hi\"\n\\o/"'),
        (r"matches /a\/b/smi", r"matches /a\/b/ims"),
        ("matches /[/]x/", r"matches /[\/]x/"),
        (r"matches /[\\/]x/", r"matches /[\\\/]x/"),
        ("matches /a\nb\\\nc/", r"matches /a\nb\nc/"),
        ("is not empty", "not (is empty)"),
        ("not is empty", "not (is empty)"),
        ("(words = 1)", "words = 1"),
        ("words = 1 and (lines = 1 and items = 0)", "words = 1 and lines = 1 and items = 0"),
        ("(words = 1 or lines = 1) and items = 0", "(words = 1 or lines = 1) and items = 0"),
        ("words = 1 or lines = 1 and items = 0", "words = 1 or lines = 1 and items = 0"),
        ("each line words = 1", "each line: words = 1"),
        ("each line: words = 1 and lines = 1", "each line: words = 1 and lines = 1"),
        ("(each line: words = 1) and lines = 1", "(each line: words = 1) and lines = 1"),
        ('before ":" (words = 1 or words = 2)', 'before ":" (words = 1 or words = 2)'),
        ('before ":": words = 1', 'before ":" words = 1'),
        ('if input "a" is empty then words = 0', 'when input "a" is empty: words = 0'),
        ("when each line: words = 1: lines = 3", "when (each line: words = 1): lines = 3"),
        ("is number between 1 and 5", "number between 1 and 5"),
        ("is number and words = 1", "is number and words = 1"),
        ('json schema {"type":"object"}', 'json schema {"type": "object"}'),
        ('tags "<P>" >= 3', 'tags "<P>" >= 3'),
        ("language is English", "language is english"),
    ],
)
def test_many_spellings_have_one_canonical_text(written: str, canonical: str) -> None:
    assert parse(written).text == canonical
    assert parse(canonical) == parse(written)
    assert str(parse(written)) == canonical


def test_and_binds_closer_than_or() -> None:
    predicate = parse("words = 1 or words = 2 and lines = 2")
    assert predicate.check("one").ok is True
    assert predicate.check("one two").ok is False
    assert predicate.check("one\ntwo").ok is True


def test_a_body_after_a_colon_reaches_to_the_end_or_the_parenthesis() -> None:
    text = "a b\nc d"
    assert parse("each line: words = 2 and lines = 1").check(text).ok is True
    assert parse("(each line: words = 2) and lines = 1").check(text).ok is False


def test_a_body_without_a_colon_is_one_predicate() -> None:
    assert parse('input contains "?" and words = 1').check("yes", {"q": "is it?"}).ok is True


@table(
    ("written", "position", "message"),
    [
        ("", 0, "it is empty"),
        ("   ", 0, "it is empty"),
        ("wrods <= 3", 0, "did you mean `words <= 80`?"),
        ("words", 5, "`words` cannot be followed by the end"),
        ("words <= eighty", 9, "a number was expected, not `eighty`; write it in digits"),
        ("words between 5 and 3", 20, "the smaller number comes first"),
        ("words between 5", 15, "needs its `and`"),
        ("words <= 3 lines = 1", 11, "nothing should follow here"),
        ("words <= 3 and", 14, "a predicate was expected, not the end"),
        ("(words <= 3", 11, "a closing parenthesis was expected"),
        ("is foo", 3, "`is` cannot be followed by `foo`"),
        ("one of A, B", 7, "a text in double quotes was expected, not `A, B`"),
        ('one of "A",', 10, "must follow the comma"),
        ('contains "abc', 10, "the text in quotes does not end"),
        ('contains ""', 11, "a text to look for is empty"),
        ("matches /abc", 9, "the regular expression does not end"),
        ("matches /(/", 9, "not a regular expression"),
        ("matches /a/x", 9, "no flag 'x'"),
        (r"matches /(a+)+\1$/", 9, "could run for too long: bound its repeats"),
        ("each /(a|a)*b/: words = 1", 25, "write (?:…) for the group"),
        ("when is empty words = 1", 14, "a colon was expected after the condition"),
        ("language is klingon", 19, "the language 'klingon' cannot be told"),
        ("script is runes", 15, "the script 'runes' is not known"),
        ("case is shouting", 16, "there is no case 'shouting'"),
        ('tags "1 2" = 1', 14, "is no name of a tag"),
        ('json schema {"type": 3}', 23, "not a usable JSON schema"),
        ('json schema {"$ref": "http://example.com/x"}', 44, "not a usable JSON schema"),
        ("json schema [1]", 15, "a JSON schema is an object"),
        ("json schema {", 12, "a JSON value was expected"),
        ("count /a/ = 1 ignoring case", 27, "a regular expression has its flags"),
        ('before "" words = 1', 19, "the mark is empty"),
        ("input words", 11, "`words` cannot be followed by the end"),
    ],
)
def test_an_error_says_where_and_what(written: str, position: int, message: str) -> None:
    with pytest.raises(PredicateError) as caught:
        parse(written)
    assert caught.value.position == position
    assert message in str(caught.value)
    assert f"character {position + 1}: " in str(caught.value)
    assert isinstance(caught.value, ValueError)


@table("written", ["(" * 10_000, "not " * 10_000, "input " * 10_000, "each line: " * 3_000 + "is empty"])
def test_deep_nesting_is_refused(written: str) -> None:
    with pytest.raises(PredicateError, match=r"nested too deeply|more than"):
        parse(written)


def test_nesting_that_a_person_would_write_is_read() -> None:
    written = "(" * DEEPEST + "is empty" + ")" * DEEPEST
    assert parse(written).text == "is empty"


def test_a_predicate_has_a_largest_size() -> None:
    with pytest.raises(PredicateError, match="more than"):
        parse(" or ".join(["is empty"] * (MOST_CHARACTERS // 5)))


def test_terms_tell_the_parts_a_predicate_is_made_of() -> None:
    predicate = parse('words <= 80 and (when input "a" is empty: one of "x", "y" ignoring case)')
    forms = [term.form for term in predicate.terms()]
    assert forms == ["and", "words BOUND", "when", "input TEXT PRED", "is empty", "one of TEXTS"]
    words = next(term for term in predicate.terms() if term.form == "words BOUND")
    assert (words.values[0].sign, words.values[0].low) == ("<=", 80)
    label = next(term for term in predicate.terms() if term.form == "one of TEXTS")
    assert label.values == (("x", "y"),)
    assert label.options == ("ignoring case",)
