"""What a sentence asks is of the part that its clause names."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.prompts.load import parse_prompt

TAGS = "Answer in this shape:\n<verdict>...</verdict>\n<explanation>...</explanation>\n\n"
NOTES = "Write one section called SUMMARY and one section called TOOLS. "


def predicates(text: str) -> list[str]:
    return [rule.predicate for rule in extract_rules(parse_prompt(text)) if rule.predicate]


@table(
    ("text", "asked"),
    [
        (f"{TAGS}The explanation has two to four sentences.", 'each "explanation": sentences between 2 and 4'),
        (f"{TAGS}The explanation is for children. Two to four sentences.", 'each "explanation": sentences between 2'),
        (f"{TAGS}The verdict is one of: true, false, unclear.", 'each "verdict": one of "true", "false", "unclear"'),
        (f"{TAGS}The verdict is short. Write it in lower case.", 'each "verdict": case is lower'),
        (f"{NOTES}Keep SUMMARY under 30 words.", 'section "SUMMARY": words < 30'),
        (f"{NOTES}Extract 3 to 6 tools into a section called TOOLS.", "items between 3 and 6 or lines between 3 and 6"),
        (f"{NOTES}In TOOLS, each item has at most 5 words.", 'section "TOOLS": each item: words <= 5'),
        (
            'Return JSON:\n{"steps": ["..."], "note": "..."}\n\nNo step is longer than 20 words.',
            "each json item: words <= 20",
        ),
        (
            'Return JSON:\n{"note": "...", "who": "..."}\n\nKeep note under 12 words.',
            'json field "note" words < 12',
        ),
    ],
)
def test_a_limit_is_of_the_part_that_is_named(text: str, asked: str) -> None:
    found = predicates(text)
    assert any(asked in each for each in found), found


@table(
    "text",
    [
        f"{NOTES}Use no more than 250 words, without the TOOLS.",
        f"{TAGS}The explanation is plain. Use at most 80 words.",  # of the answer, or of the part
        f"{TAGS}The explanation is plain. A rule in it has at most 12 words.",  # of the rule
    ],
)
def test_a_limit_of_something_else_is_not_of_the_part(text: str) -> None:
    assert not [each for each in predicates(text) if "words" in each and ("each " in each or "section" in each)]


def test_a_limit_of_a_part_is_none_of_the_whole_answer() -> None:
    found = predicates(f"{TAGS}The explanation is for children. Two to four sentences.")
    assert not [each for each in found if each.startswith("sentences")]


def test_values_that_a_case_allows_excuse_a_part() -> None:
    asked = (
        'Write a section called DATES. In DATES every line is a date as DD/MM/YYYY. If there is none: "No date given".'
    )
    assert any('"No date given"' in each for each in predicates(asked) if each.startswith('section "DATES"'))


def test_a_rule_that_says_all_of_its_sentence_stands_alone() -> None:
    rules = extract_rules(parse_prompt(f"{TAGS}The explanation has at most 40 words."))
    said = [rule for rule in rules if "40 words" in rule.text]
    assert [bool(rule.predicate) for rule in said] == [True]
