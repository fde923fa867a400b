"""JSON answers: their keys are one rule, and what is asked of a key is checked in its field."""

from __future__ import annotations

import pytest
from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.prompts.load import parse_prompt

KEYS = 'Return a JSON object with the keys "label", "urgent" and "summary"'


def _predicates(text: str) -> list[str | None]:
    return [rule.predicate for rule in extract_rules(parse_prompt(f"system:\n{text}\nuser:\n{{{{x}}}}"))]


def test_the_keys_are_one_rule_and_nothing_else_closes_them() -> None:
    named = '"label", "urgent", "summary"'
    assert _predicates(f"{KEYS}.") == [f"is json object and json has {named}"]
    closed = [f"is json object and json has {named} and json only has {named}"]
    assert _predicates(f"{KEYS}, and nothing else.") == closed
    exact = _predicates('Answer with a JSON object that has exactly the keys "a" and "b".')
    assert exact == ['is json object and json has "a", "b" and json only has "a", "b"']


@table(
    ("said", "predicate"),
    [
        ("The label must be one of: red, green, blue.", 'json field "label" one of "red", "green", "blue"'),
        ('`label` should be "red" or "green".', 'json field "label" one of "red", "green"'),
        ("Write the summary in at most 20 words.", 'json field "summary" words <= 20'),
        ("The summary must not exceed 8 words.", 'json field "summary" words <= 8'),
        ("Write the summary in English.", 'json field "summary" language is en'),
        ("The urgent field is true or false.", 'json field "urgent" one of "true", "false"'),
        ("The summary is one sentence.", 'json field "summary" sentences = 1'),
    ],
)
def test_what_is_asked_of_a_key_is_checked_in_its_field_and_said_once(said: str, predicate: str) -> None:
    found = _predicates(f"{KEYS}.\n- {said}")
    assert found[1:] == [predicate]


def test_without_json_a_summary_is_the_output() -> None:
    assert _predicates("Summarize the text. Write the summary in at most 20 words.")[-1] == "words <= 20"


def test_what_stands_for_a_missing_value_is_allowed_in_every_field() -> None:
    asked = 'Return a JSON object with the keys "date" and "total". The date must be in the form YYYY-MM-DD.'
    for missing, value in (("use null", "null"), ('write "N/A"', "N/A")):
        found = _predicates(f"{asked} If a value is missing, {missing}.")
        assert f'json field "date" (is iso date or is "{value}")' in found
    kept = _predicates(f'{asked} If a receipt is missing, the total must be "ask".')
    assert 'json field "date" is iso date' in kept


def test_brackets_behind_a_key_and_a_shown_object_say_what_it_holds() -> None:
    found = _predicates(
        'Respond with a JSON object with the keys "mood" (either "up" or "down") and "why" (max 9 words).'
    )
    assert 'json field "mood" one of "up", "down"' in found
    assert 'json field "why" words <= 9' in found
    shown = _predicates('Return JSON:\n{\n  "ok": true|false,\n  "score": 0.0-1.0,\n  "kind": "A|B|C"\n}')
    assert 'is json object and json has "ok", "score", "kind"' in shown
    assert 'json field "kind" one of "A", "B", "C"' in shown
    assert any(each and each.startswith('json field "score" number between 0') for each in shown)


def test_a_special_object_excuses_the_keys() -> None:
    found = _predicates(f'{KEYS}. If it is not a ticket, answer with {{"error": "no ticket"}}.')
    assert found[0] is not None
    assert 'or json only has "error"' in found[0]


@pytest.mark.parametrize(
    "allowed", ["You may answer in JSON.", "You can use up to three emojis.", "Feel free to use Markdown."]
)
def test_a_permission_is_no_rule(allowed: str) -> None:
    assert _predicates(allowed) == []


@table(
    ("said", "predicate"),
    [
        ("Give three to five bullet points, each of at most 12 words.", "each item: words <= 12"),
        ("Write at most five sentences. Every sentence has no more than 15 words.", "each sentence: words <= 15"),
        ("Return a JSON array of strings. Each tagline has at most seven words.", "each json item: words <= 7"),
        ("Return a JSON array of 3 strings.", "is json array of strings and json array length = 3"),
        ("Give me four names as a JSON array of strings.", "is json array of strings and json array length = 4"),
    ],
)
def test_what_is_asked_of_each_part_is_not_asked_of_the_whole(said: str, predicate: str) -> None:
    found = _predicates(said)
    assert predicate in found
    assert not any(each and each.startswith("words") for each in found)


@table(
    ("said", "predicate"),
    [
        ("Use only lower-case letters, digits and hyphens.", "only characters /[a-z0-9-]/"),
        ("Ask exactly one question per message.", "questions <= 1"),
        ("Translate the following text to French.", "language is fr"),
        ("Keep your answer under 2-3 sentences.", "sentences <= 3"),
        ("Keep your reply neat, limiting the reply to 100 words.", "words <= 100"),
        ('End each reply with the question "Is that all?"', 'ends with "Is that all?"'),
    ],
)
def test_more_that_can_be_checked(said: str, predicate: str) -> None:
    assert predicate in _predicates(said)


@table(
    "said",
    [
        'Put the answer on a line that begins with "Answer:".',
        "New categories must be at most 3 words.",
        'A refusal must begin with "I cannot help with that".',
        "None ends with a full stop.",
        "Use at most 250 words, without the list of sources.",
        "Prefer a subject line under 72 characters.",
    ],
)
def test_what_is_said_of_a_part_gives_no_predicate_for_the_whole(said: str) -> None:
    wrong = ("words", "characters", "starts with", "ends with")
    assert not any(each and each.startswith(wrong) for each in _predicates(f"Write a report on the plan. {said}"))


def test_contact_details_are_banned_where_nothing_limits_the_ban() -> None:
    found = " ".join(each or "" for each in _predicates("Never write e-mail addresses or phone numbers."))
    assert found.count("not (matches") == 2
    assert _predicates("Never repeat an e-mail address or a phone number from the ticket.") == [None]


def test_a_list_of_cases_under_a_command() -> None:
    rules = extract_rules(parse_prompt("Refuse if the user:\n- asks for a password\n- is rude\n"))
    assert [rule.text for rule in rules] == [
        "Refuse if the user asks for a password.",
        "Refuse if the user is rude.",
    ]
