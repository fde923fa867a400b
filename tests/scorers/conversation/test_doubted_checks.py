"""Findings that are too often wrong put a conversation in doubt; two gates that agree fail it."""

from __future__ import annotations

from proctor.core.score import Evidence, Score
from proctor.scorers.conversation.doubted_checks import doubt_agreed, in_doubt

DOUBTED = ("facts.day", "terms")


def failed(name: str, *found: tuple[str, int]) -> Score:
    evidence = tuple(Evidence(quote="so", turn=turn, check=check) for check, turn in found)
    return Score(name=name, value=0.0, threshold=1.0, evidence=evidence, confidence=0.8)


def test_a_doubted_finding_alone_passes_in_doubt_with_its_evidence() -> None:
    score = in_doubt(failed("facts", ("day", 2)), DOUBTED)
    assert (score.passed, score.in_doubt, score.evidence[0].turn) == (True, True, 2)
    assert (score.confidence or 1.0) < 0.5


def test_a_firm_finding_fails_and_comes_first() -> None:
    score = in_doubt(failed("facts", ("day", 0), ("price", 3)), DOUBTED)
    assert (score.passed, score.in_doubt) == (False, False)
    assert [one.turn for one in score.evidence] == [3, 0]


def test_a_whole_gate_may_be_doubted() -> None:
    assert in_doubt(failed("terms", ("any", 1)), DOUBTED).in_doubt
    assert in_doubt(failed("facts", ("price", 1)), DOUBTED).passed is False


def test_two_gates_that_doubt_the_same_turn_fail() -> None:
    for turn, fails in ((2, True), (3, False)):
        before = [failed("facts", ("day", 2)), failed("terms", ("any", turn))]
        parts = doubt_agreed([in_doubt(each, DOUBTED) for each in before], before)
        assert [part.passed is False for part in parts] == [fails, fails]


def test_one_gate_does_not_agree_with_itself() -> None:
    before = [failed("facts", ("day", 2), ("day", 2))]
    assert doubt_agreed([in_doubt(each, DOUBTED) for each in before], before)[0].in_doubt


def test_two_checks_of_a_gate_that_find_the_same_turn_confirm_each_other() -> None:
    doubted = ("facts.day", "facts.hour")
    assert in_doubt(failed("facts", ("day", 2), ("hour", 2)), doubted).passed is False
    assert in_doubt(failed("facts", ("day", 2), ("hour", 0)), doubted).in_doubt
