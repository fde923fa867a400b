from __future__ import annotations

from benchmarks.damage_forms import breaking_damages
from benchmarks.obedient.search import obey

from proctor.text.predicates import parse, vocabulary
from tests.tables import table

INPUTS = {"text": "The quick brown fox jumps over the lazy dog 42 times. It was fun, said Anna."}


@table("example", [entry.example for entry in vocabulary()])
def test_a_damage_that_must_break_its_predicate_does(example: str) -> None:
    predicate = parse(example)
    good = obey([predicate.root], INPUTS, liberal=False).text
    for name, text in breaking_damages(good, example, INPUTS).items():
        assert predicate.check(text, INPUTS).ok is False, (name, text)


@table(
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
    assert set(breaking_damages(output, predicate, INPUTS)) == names


def test_a_condition_that_does_not_hold_has_no_damage() -> None:
    assert not breaking_damages("one two three", 'when input contains "?": words <= 3', {"text": "no question"})
