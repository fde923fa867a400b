"""JSON in an answer: strict about being JSON, patient about where it stands when its content is asked for."""

from __future__ import annotations

import sys

from tests.tables import table

from proctor.text.predicates import parse

SCHEMA = 'json schema {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "maximum": 5}}}'
CASES = [
    ("is json", ' {"a": 1} ', True),
    ("is json", '```json\n{"a": 1}\n```', True),
    ("is json", 'Here it is: {"a": 1}', False),
    ("is json", '{"a": 1} done', False),
    ("is json", "{'a': 1}", False),
    ("is json", "[NaN]", False),
    ("is json", "", False),
    ("is json", "[" * 100_000, False),
    ("is json", '"\\ud800"', True),
    ("is json array", "[1]", True),
    ("is json array", '{"a": []}', False),
    ("is json object", '{"a": []}', True),
    ("is json object", "[1]", False),
    ("is json array of strings", '["a", "b"]', True),
    ("is json array of strings", "[]", True),
    ("is json array of strings", '["a", 1]', False),
    ("is json array of numbers", "[1, 2.5]", True),
    ("is json array of numbers", "[1, true]", False),
    ("is json array of booleans", "[true]", True),
    ("is json array of objects", "[{}]", True),
    ('json has "a", "b.c"', '{"a": 1, "b": {"c": null}}', True),
    ('json has "a", "b.c"', '{"a": 1, "b": {}}', False),
    ('json has "a.0"', '{"a": [1]}', True),
    ('json has "a.b"', '{"a.b": 1}', True),
    ('json has "a"', '[{"a": 1}, {"a": 2}]', True),
    ('json has "a"', '[{"a": 1}, {}]', False),
    ('json has "a"', "[1]", False),
    ('json has "a"', 'So:\n```json\n{"a": 1}\n```', True),
    ('json has "a"', "no JSON at all", False),
    ('json only has "a", "b"', '{"a": 1}', True),
    ('json only has "a", "b"', '{"a": 1, "c": 2}', False),
    ("json array length between 1 and 2", "[1, 2]", True),
    ("json array length between 1 and 2", "[]", False),
    ("json array length >= 0", "{}", False),
    (SCHEMA, '{"n": 3}', True),
    (SCHEMA, '{"n": 9}', False),
    (SCHEMA, "{}", False),
    ('json field "rating" number between 1 and 5', '{"rating": 4}', True),
    ('json field "rating" number between 1 and 5', '{"rating": 7}', False),
    ('json field "rating" number between 1 and 5', '{"score": 4}', False),
    ('json field "a.b" one of "x", "y"', '{"a": {"b": "x"}}', True),
    ('each json item: one of "x", "y"', '["x", "y"]', True),
    ('each json item: one of "x", "y"', '["x", "z"]', False),
    ('each json item: one of "x", "y"', "[]", None),
]


@table(("predicate", "text", "ok"), CASES)
def test_json(predicate: str, text: str, ok: bool | None) -> None:
    assert parse(predicate).check(text).ok is ok


def test_the_reason_names_what_is_wrong() -> None:
    assert parse("is json object").check("[1]").reason == "it is JSON, but an array, not an object"
    assert parse("is json array of strings").check("[1]").reason == "an item is a number, not a string"
    assert parse('json has "a", "b"').check('{"a": 1}').reason == "the field 'b' is missing"
    assert parse('json only has "a"').check('{"z": 1}').reason == "the field 'z' was not asked for"
    assert "9" in parse(SCHEMA).check('{"n": 9}').reason
    assert parse('json field "r" number <= 5').check('{"r": 7}').reason == "r: the number is 7 (asked: at most 5)"


def test_a_number_too_long_for_python_is_no_crash() -> None:
    digits = "1" * (sys.get_int_max_str_digits() + 1)
    assert parse("is json").check(digits).ok is False


@table(
    "text, predicate, holds",
    [
        ('{"a": "one two"}', 'each json field "a": words <= 2', True),
        ('{"a": "one two"}', 'each json field "a": words <= 1', False),
        ('{"x": [{"a": "b"}, {"a": "b c"}]}', 'each json field "a": words <= 1', False),
        ('[{"a": null}, {"a": 3}]', 'each json field "a": is integer', True),
        ('{"a": null}', 'each json field "a": is integer', None),
        ("{}", 'each json field "a": words <= 1', None),
        ("no JSON", 'each json field "a": words <= 1', None),
        ('{"a": 1, "b": 2}', 'json keys in order "a", "b"', True),
        ('{"b": 1, "a": 2}', 'json keys in order "a", "b"', False),
        ('{"b": 1, "c": 2}', 'json keys in order "a", "b"', True),
        ("[]", 'json keys in order "a"', None),
    ],
)
def test_fields_at_any_depth_and_their_order(text: str, predicate: str, holds: bool | None) -> None:
    assert parse(predicate).check(text, inputs={}).ok is holds
