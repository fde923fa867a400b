"""A reply of some case that was not read fails no predicate for what the other answers must have."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.generate.offline.rule_limits import Limit, aim_of
from proctor.prompts.load import parse_prompt
from proctor.text.predicates import parse

CASE = "You answer guests. {rule} If somebody is rude, answer with a joke about boats."


@table(
    ("rule", "predicate"),
    [
        ('Begin with "Ahoy, friend".', 'when characters > 100: starts with "Ahoy, friend"'),
        ("Your answer has exactly four lines.", "when lines > 2: lines = 4"),
        ("Your answer has at most 60 words.", "words <= 60"),
        ("Use no emoji.", "emoji = 0"),
    ],
)
def test_short_answers_are_left_out(rule: str, predicate: str) -> None:
    rules = extract_rules(parse_prompt(CASE.format(rule=rule)))
    found = [each for each in rules if each.predicate and each.text.startswith(rule[:8])]
    assert [each.predicate for each in found] == [predicate]
    assert parse(predicate).check("A boat.", inputs={}).ok is not False


def test_the_guard_is_no_limit() -> None:
    rules = extract_rules(parse_prompt(CASE.format(rule="Your answer has exactly four lines.")))
    (rule,) = (each for each in rules if each.predicate and "lines = 4" in each.predicate)
    assert aim_of(rule).most == Limit(unit="lines", number=4)
