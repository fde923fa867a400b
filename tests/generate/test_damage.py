from __future__ import annotations

import pytest

from proctor.core.rule import Rule
from proctor.generate.damage import damages
from proctor.generate.obeying.search import obey
from proctor.text.predicates import parse, vocabulary

INPUTS = {"text": "The quick brown fox jumps over the lazy dog 42 times. It was fun, said Anna."}


@pytest.mark.parametrize("example", [entry.example for entry in vocabulary()])
def test_a_damage_that_must_break_its_predicate_does(example: str) -> None:
    predicate = parse(example)
    good = obey([predicate.root], INPUTS, liberal=False).text
    rule = Rule(text="x", predicate=example)
    for damage in damages(good, [rule], INPUTS):
        if damage.rule:
            assert predicate.check(damage.text, INPUTS).ok is False, (damage.name, damage.text)


@pytest.mark.parametrize(
    ("predicate", "output", "names"),
    [
        ('one of "A", "B"', "A", {"wrong label", "two labels", "label with a remark"}),
        ("words <= 3", "one two three", {"too many words"}),
        ("words >= 2", "one two", {"too few words"}),
        ("is json", '{"a": 1}', {"bracket cut off", "prose in its place"}),
        ('json has "a"', '{"a": 1}', {"without the key 'a'"}),
        ("no framing", "Paris", {"preamble", "closing remark"}),
        ("language is en", "The old harbour is calm and the day is over.", {"in another language"}),
        ('contains none "sorry"', "Fine.", {"with 'sorry'"}),
        ('tags "p" >= 1', "<p>a</p>", {"no <p>"}),
        ('fields in order "A:", "B:"', "A: 1\nB: 2", {"without 'A:'", "in the wrong order"}),
        ("each line: words <= 2", "one two\nthree", {"a line with too many words"}),
    ],
)
def test_each_family_has_its_own_damage(predicate: str, output: str, names: set[str]) -> None:
    found = damages(output, [Rule(text="x", predicate=predicate)], INPUTS)
    assert {damage.name for damage in found if damage.rule} == names


def test_a_guard_that_does_not_apply_has_no_damage_and_a_judged_rule_none_that_must_break_it() -> None:
    rules = [Rule(text="x", predicate='when input contains "?": words <= 3'), Rule(text="Be kind.")]
    found = damages("one two three", rules, {"text": "no question"})
    assert not [damage for damage in found if damage.rule]
    assert {"emptied", "refusal", "cut in half"} <= {damage.name for damage in found}


def test_no_damage_leaves_the_output_as_it_was() -> None:
    for output in ("", "x", "I'm sorry, but I can't help with that."):
        assert all(damage.text.strip() != output.strip() for damage in damages(output, [], INPUTS))
