"""Predicates joined: three answers, of which the clear ones win."""

from __future__ import annotations

from tests.tables import table

from proctor.text.predicates import parse

YES, NO = "not (is empty)", "is empty"
SKIPPED = 'when contains "never there": is empty'
OPEN = "shorter than the input"  # without an input


@table(
    ("left", "right", "both", "either"),
    [
        (YES, YES, True, True),
        (YES, NO, False, True),
        (NO, NO, False, False),
        (YES, SKIPPED, True, True),
        (NO, SKIPPED, False, False),
        (SKIPPED, SKIPPED, None, None),
        (YES, OPEN, None, True),
        (NO, OPEN, False, None),
        (SKIPPED, OPEN, None, None),
    ],
)
def test_clear_answers_win_and_what_does_not_apply_stands_aside(
    left: str, right: str, both: bool | None, either: bool | None
) -> None:
    for one, other in ((left, right), (right, left)):
        assert parse(f"({one}) and ({other})").check("text").ok is both
        assert parse(f"({one}) or ({other})").check("text").ok is either


def test_not_applying_is_known_and_not_telling_is_not() -> None:
    skipped, unsure = parse(SKIPPED).check("text"), parse(OPEN).check("text")
    assert (skipped.ok, skipped.known) == (None, True)
    assert skipped.reason == "does not apply: it lacks 'never there'"
    assert (unsure.ok, unsure.known) == (None, False)
    assert unsure.reason == "the input is not known"
    assert parse(f"({SKIPPED}) and ({OPEN})").check("text").known is False


def test_a_guard_asks_for_the_body_only_where_the_condition_holds() -> None:
    guarded = parse('when input "language" is "fr": language is fr')
    french = "Bonjour, je suis très content de vous voir."
    assert guarded.check("The weather is nice and the sun is out.", {"language": "fr"}).ok is False
    assert guarded.check(french, {"language": "fr"}).ok is True
    assert guarded.check("The weather is nice.", {"language": "en"}).ok is None
    assert guarded.check("The weather is nice.", {}).known is False


def test_a_negated_guard_still_does_not_apply() -> None:
    assert parse(SKIPPED).negated().check("text").ok is None


def test_reasons_name_every_part_that_was_looked_at() -> None:
    found = parse("words <= 3 and lines = 1").check("a b")
    assert found.reason == "2 words (asked: at most 3); 1 line (asked: exactly 1)"
    many = parse(" and ".join(["words >= 0"] * 20)).check("a")
    assert many.reason.endswith("; and 12 more")


def test_the_part_that_decides_gives_the_reason() -> None:
    assert parse("words <= 3 and lines = 2").check("a b").reason == "1 line (asked: exactly 2)"
