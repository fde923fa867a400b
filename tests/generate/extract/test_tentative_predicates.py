"""A predicate that asks for something is tentative where a prompt has cases; one that forbids something never is."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.generate.extract.tentative_predicates import is_demand
from proctor.prompts.load import parse_prompt


@table(
    ("predicate", "demand"),
    [
        ("words <= 20", True),
        ('starts with "Dear"', True),
        ("is json object", True),
        ("language is ko", True),
        ('one of "yes", "no"', True),
        ("not (matches /[A-Za-z]/)", True),
        ("each line: characters <= 15", True),
        ('labelled "Final Answer": words <= 50', True),
        (r'each /Total:[ \t]*([^\n]*)/: one of "40", "100"', True),
        ('each json field "from": is iso date or is "null"', True),
        ("emoji = 0", False),
        ("exclamations = 0 and links = 0", False),
        ("no markdown", False),
        ("not (has code block)", False),
        ('contains none "cheap", "guarantee" ignoring case as words', False),
        ('not (ends with "!", "！")', False),
        ('when starts with "SKIP": is "SKIP" ignoring punctuation', False),
        ('each /Keep:[ \\t]*([^\\n]*)/: contains none "maybe"', False),
    ],
)
def test_a_demand_is_what_ordinary_prose_breaks(predicate: str, demand: bool) -> None:
    assert is_demand(predicate) is demand


# Letters of no language of the ordinary texts.
@given(st.lists(st.text(alphabet="αβγδεζηθ", min_size=3), min_size=1, max_size=5))
def test_a_ban_of_words_that_no_ordinary_text_has_is_no_demand(words: list[str]) -> None:
    texts = ", ".join(json.dumps(word, ensure_ascii=False) for word in words)
    assert not is_demand(f"contains none {texts}")
    assert is_demand(f"contains all {texts}")


@table(
    ("prompt", "tentative"),
    [
        ("You answer guests. Answer in at most 40 words. Do not use emoji.", False),
        ("You answer guests. Answer in at most 40 words. If they sound angry, be kind. Do not use emoji.", True),
        ("Du beantwortest Mails. Antworte in höchstens 40 Wörtern. Wenn jemand klagt, sei nett. Keine Emojis.", True),
    ],
)
def test_only_demands_beside_cases_are_tentative(prompt: str, tentative: bool) -> None:
    rules = extract_rules(parse_prompt(prompt))
    assert [rule.predicate for rule in rules if rule.tentative] == ["words <= 40"] * tentative
    decided = [rule.predicate for rule in rules if rule.is_checked]
    assert "emoji = 0" in decided
    assert ("words <= 40" in decided) is not tentative


def test_a_case_that_is_about_the_value_of_a_field_is_no_other_answer() -> None:
    asked = 'Return a JSON object with the keys "label" and "urgent". The label has at most two words. '
    about_field = parse_prompt(asked + 'If they threaten to sue, set "urgent" to true.')
    other = parse_prompt(asked + "If it is not a ticket, return an empty object.")
    assert not any(rule.tentative for rule in extract_rules(about_field))
    assert any(rule.tentative for rule in extract_rules(other))


def test_the_schema_of_the_file_itself_decides() -> None:
    prompt = parse_prompt(
        "---\nresponseFormat:\n  type: json_schema\n  json_schema:\n    schema: {type: object, required: [a]}\n---\n"
        "system:\nRead the note. If it has no date, ask for one.\nuser:\n{{note}}\n"
    )
    assert [rule.is_checked for rule in extract_rules(prompt) if rule.predicate] == [True]
