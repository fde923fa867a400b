"""An answer beside its input, and predicates about a part of a text."""

from __future__ import annotations

from tests.tables import table

from proctor.text.predicates import parse

SOURCE = "“Order 12 of 3 May is late,” said Ann Lee. 「遅い」と言った。"
CASES = [
    ("quotes the input", 'She wrote "is late" twice.', True),
    ("quotes the input", "She wrote “ORDER 12”.", True),
    ("quotes the input", "「遅い」", True),
    ("quotes the input", 'She wrote "is lost".', False),
    ("quotes the input", "She wrote.", None),
    ("repeats the input", f"You said: {SOURCE} Sorry.", True),
    ("repeats the input", "You said: order 12.", False),
    ("from the input", "Ann Lee, late", True),
    ("from the input", '["Ann Lee", "order 12"]', True),
    ("from the input", '["Ann Leeds"]', False),
    ("from the input", "Bob", False),
    ("from the input", "", None),
    ("shorter than the input", "Late.", True),
    ("shorter than the input", SOURCE + " and more", False),
    ("longer than the input", SOURCE + " and more", True),
    ("keeps the numbers of the input", "3 and 12", True),
    ("keeps the numbers of the input", "12 only", False),
    ("no new numbers", "12 only", True),
    ("no new numbers", "13", False),
    ("same language as the input", "The order is on its way to you.", True),
]


@table(("predicate", "text", "ok"), CASES)
def test_beside_the_input(predicate: str, text: str, ok: bool | None) -> None:
    found = parse(predicate).check(text, {"message": SOURCE})
    assert found.ok is ok, found.reason


@table("predicate", sorted({predicate for predicate, _, _ in CASES}))
def test_without_an_input_it_cannot_be_told(predicate: str) -> None:
    found = parse(predicate).check("some text")
    assert (found.ok, found.known) == (None, False)


def test_several_inputs_are_read_together() -> None:
    assert parse("from the input").check("a b", {"one": "a", "two": "b"}).ok is True
    assert parse("input words = 2").check("", {"one": "a", "two": "b"}).ok is True


def test_inputs_that_are_no_texts_are_read_as_json() -> None:
    assert parse('input "n" is "3"').check("", {"n": 3}).ok is True
    assert parse('input "tags" json array length = 2').check("", {"tags": ["a", "b"]}).ok is True


def test_the_same_language() -> None:
    asked = {"text": "Wo ist das Paket, das ich am Montag bestellt habe? Es ist nicht da."}
    rule = parse("same language as the input")
    assert rule.check("Es ist auf dem Weg und wird bald bei Ihnen sein.", asked).ok is True
    assert rule.check("It is on its way and will be with you soon.", asked).ok is False


@table(
    ("predicate", "text", "inputs", "ok"),
    [
        ('contains the input "name"', "Dear ANN,", {"name": "Ann"}, True),
        ('contains the input "name"', "Dear customer,", {"name": "Ann"}, False),
        ('contains the input "name"', "Dear customer,", {"name": " "}, None),
        ('contains the input "name"', "Dear customer,", {"other": "x"}, None),
        ('one of the input "labels"', "Sports.", {"labels": "World, Sports"}, True),
        ('one of the input "labels"', "Sports", {"labels": ["World", "Sports"]}, True),
        ('one of the input "labels"', "Sports", {"labels": "- World\n- Sports"}, True),
        ('one of the input "labels"', "Other", {"labels": "World, Sports"}, False),
        ('language is the input "to"', "Le colis est dans la rue avec vous.", {"to": "French"}, True),
        ('language is the input "to"', "The parcel is in the street with you.", {"to": "French"}, False),
        ('language is the input "to"', "The parcel is here.", {"to": "Klingon"}, None),
        (
            'when input "tone" is "formal": contains none "hey" ignoring case as words',
            "Hey Ann",
            {"tone": "formal"},
            False,
        ),
    ],
)
def test_named_inputs(predicate: str, text: str, inputs: dict[str, object], ok: bool | None) -> None:
    found = parse(predicate).check(text, inputs)
    assert found.ok is ok, found.reason


@table(
    ("predicate", "text", "ok"),
    [
        ("each line: words = 2", "a b\n\nc d", True),
        ("each line: words = 2", "a b\nc", False),
        ("each line: words = 2", "", None),
        ("each sentence: words <= 3", "One two. Three four five.", True),
        ("each paragraph: sentences = 1", "One.\n\nTwo. Three.", False),
        ("each word: characters <= 3", "one two", True),
        ("each item: words = 1", "Intro words here\n- a\n2. b", True),
        ("each item: words = 1", "- a b", False),
        ('each piece ",": words = 1', "a, b, c d", False),
        ('first line: starts with "#"', "\n# A\nb", True),
        ("first line: is empty", "", True),
        ('last line: ends with "?"', "a\nb?", True),
        ("first sentence: words = 2", "One two. Three.", True),
        ('last sentence: ends with "?"', "One. Two?", True),
        ('before ":" words = 2', "Company names: Apple", True),
        ('after ":" is "Apple"', "Company names: Apple", True),
        ('after "=>" is "Apple"', "Company names: Apple", False),
    ],
)
def test_parts(predicate: str, text: str, ok: bool | None) -> None:
    found = parse(predicate).check(text)
    assert found.ok is ok, found.reason


def test_the_reason_says_which_part() -> None:
    assert parse("each line: words <= 1").check("a\nb c").reason == "line 2 of 2: 2 words (asked: at most 1)"
    assert parse("input words <= 1").check("", {"a": "b c"}).reason == "input: 2 words (asked: at most 1)"
