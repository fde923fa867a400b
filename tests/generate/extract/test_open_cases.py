"""A reply of some case that was not read fails no predicate for what the other answers must have: it is tentative."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.prompts.load import parse_prompt
from proctor.text.predicates import parse

CASE = "You answer guests. {rule} If somebody is rude, answer with a joke about boats."


@table(
    ("rule", "predicate", "tentative"),
    [
        ('Begin with "Ahoy, friend".', 'starts with "Ahoy, friend"', True),
        ("Your answer has exactly four lines.", "lines = 4", True),
        ("Your answer has at most 60 words.", "words <= 60", True),
        ("Use no emoji.", "emoji = 0", False),
    ],
)
def test_what_other_answers_must_have_is_tentative(rule: str, predicate: str, tentative: bool) -> None:
    rules = extract_rules(parse_prompt(CASE.format(rule=rule)))
    (found,) = (each for each in rules if each.predicate and each.text.startswith(rule[:8]))
    assert (found.predicate, bool(found.tentative)) == (predicate, tentative)
    assert tentative or parse(predicate).check("A boat.", inputs={}).ok is True


@table(
    ("case", "predicate"),
    [
        ("Spell out abbreviations the first time, except GP and MRI.", "words >= 20"),
        ("Spell out all names, except MRI.", "words >= 20"),
        (
            "If there is no text, answer only with <error>no text</error>.",
            'words >= 20 or one of "<error>no text</error>"',
        ),
        ("If there is no text, answer only with <error>...</error>.", "words >= 20"),
    ],
)
def test_names_are_no_replies_and_elements_that_are_written_out_are(case: str, predicate: str) -> None:
    rules = extract_rules(parse_prompt(f"Summarise the text in at least 20 words.\n{case}"))
    assert rules[0].predicate == predicate
