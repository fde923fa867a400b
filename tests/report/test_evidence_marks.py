from __future__ import annotations

from dataclasses import replace

from proctor.core.chat import Message
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.report.evidence_marks import EvidenceMarks, TextPlace, mark_text, quotations
from tests.store.recorded_runs import result


def _score(*evidence: Evidence, name: str = "facts", value: float = 0.1) -> Score:
    return Score(name=name, value=value, threshold=0.5, evidence=evidence)


def _marked(answer: str, quote: str) -> list[str]:
    found = result("c", "fail", answer=answer, scores=(_score(Evidence(quote=quote)),))
    marks = EvidenceMarks(found, quotations(found.scores))
    return [piece.text for piece in marks.pieces(TextPlace(0, "message", 1), answer) if piece.marks]


def test_a_quotation_is_marked_where_it_was_said() -> None:
    assert _marked("It takes 60 days, as I said.", "60 days") == ["60 days"]
    assert _marked("お届けから15日以内であれば返品できます。", "15日以内") == ["15日以内"]
    assert _marked("يمكنك الإرجاع خلال 60 يوما", "خلال 60") == ["خلال 60"]


def test_other_white_space_and_omissions_are_forgiven() -> None:
    assert _marked("It takes\n\n60 days in all.", "takes 60 days") == ["takes\n\n60 days"]
    assert _marked("First one, then two, then three.", "first one … then three") == ["First one", "then three"]
    assert _marked("A long answer that goes on", "A long answer that…") == ["A long answer that"]
    assert _marked("Something else (a+b)*", "not there at all") == []
    assert _marked("(a+b)* is a pattern", "(a+b)*  is") == ["(a+b)* is"]


def test_the_turn_decides_and_without_one_the_last_answer() -> None:
    turns = tuple(
        Turn(messages=(Message(role="user", content="sixty days?"), Message(role="assistant", content="sixty days")))
        for _ in range(3)
    )
    base = replace(result("c", "fail"), trajectory=Trajectory(turns=turns))
    named = EvidenceMarks(base, quotations([_score(Evidence(quote="sixty days", turn=1))]))
    assert named.places == {1: TextPlace(1, "message", 1)}
    free = EvidenceMarks(base, quotations([_score(Evidence(quote="sixty days"))]))
    assert free.places == {1: TextPlace(2, "message", 1)}


def test_what_an_answer_is_held_against_is_marked_in_the_source() -> None:
    found = result("c", "fail")
    quoted = quotations(found.scores)
    assert [(each.number, each.is_source, each.state) for each in quoted] == [(1, False, "fail"), (2, True, "fail")]
    marks = EvidenceMarks(found, quoted)
    assert marks.places == {1: TextPlace(0, "message", 1), 2: TextPlace(0, "source", 0)}


def test_overlapping_marks_are_cut_and_the_worst_state_wins() -> None:
    scores = [
        _score(Evidence(quote="abcdef"), name="good", value=0.9),
        _score(Evidence(quote="cdefgh"), name="bad"),
    ]
    first, second = quotations(scores)
    pieces = mark_text("abcdefghij", [(0, 6, first), (2, 8, second)])
    assert [(each.text, each.marks, each.begins, each.state) for each in pieces] == [
        ("ab", (1,), (1,), "pass"),
        ("cdef", (1, 2), (2,), "fail"),
        ("gh", (2,), (), "fail"),
        ("ij", (), (), ""),
    ]
    assert mark_text("", []) == []


def test_parts_count_once_and_the_words_of_a_rule_are_no_quotation() -> None:
    same = Evidence(quote="60 days")
    rule = Score(name="r-1", value=0.0, threshold=1.0, label="err", evidence=(Evidence(quote="Say 30", where="rule"),))
    whole = replace(_score(same, name="quality"), parts=(_score(same, name="facts"), rule))
    assert [each.score for each in quotations([whole])] == ["quality"]
    assert quotations([whole], only="other") == []
