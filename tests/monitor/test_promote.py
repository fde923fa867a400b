from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from proctor.core.case import Ask, Case, Check, Expectation
from proctor.core.chat import Message
from proctor.core.report import Result
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.monitor.promote import Provenance, promoted, same_question

WHERE = Provenance(run="r1", suite="march")


def turn(asked: str, answer: str, *before: Message) -> Turn:
    said = (Message(role="user", content=asked), Message(role="assistant", content=answer))
    return Turn(messages=(*before, *said))


RUN = Trajectory(
    turns=(
        turn(
            "Can I cancel?",
            "Within 14 days.",
            Message(role="system", content="x"),
            Message(role="assistant", content="Hi!"),
        ),
        turn("Sure?", "Within 30 days."),
        Turn(messages=(Message(role="assistant", content="Still there?"),)),
    ),
    session="s1",
)
GATE = Score(
    name="cross_turn",
    value=0.0,
    threshold=1.0,
    reason="14 days, then 30 days",
    evidence=(Evidence(turn=1, quote="Within 30 days."),),
)
FAILED = Score(
    name="conversation",
    value=0.0,
    threshold=0.7,
    reason="cross_turn failed",
    parts=(GATE, Score(name="loops", value=1.0, threshold=1.0)),
)
PASSED = Score(name="fluency", value=1.0, threshold=0.5)


def result(case: Case, *scores: Score) -> Result:
    when = datetime(2026, 3, 1, tzinfo=UTC)
    return Result(
        case=case, target="desk", trajectory=RUN, scores=scores, outcome="fail", reason="it failed", started=when
    )


def bare(name: str) -> Check:
    return Check(scorer=name)


def test_a_conversation_becomes_its_questions_and_the_checks_it_failed() -> None:
    case = Case(id="c1", recorded=RUN, expect=Expectation(facts=("14 days",)), tags=("web",), metadata={"secret": 1})
    made = promoted(result(case, FAILED, PASSED), checks=bare, where=WHERE)
    assert [ask.text for ask in made.asks] == ["Can I cancel?", "Sure?"]
    assert made.recorded is None
    assert made.expect.facts == ("14 days",)
    assert made.checks == (Check(scorer="conversation"),)
    assert made.tags == ("web", "regression")
    assert [message.content for message in made.history] == ["Hi!"]
    told = made.metadata["promoted"]
    assert (told["run"], told["suite"], told["target"], told["session"], told["when"]) == (
        "r1", "march", "desk", "s1", "2026-03-01",
    )  # fmt: skip
    failed = {
        "check": "conversation",
        "part": "cross_turn",
        "turn": 1,
        "reason": "14 days, then 30 days",
        "quote": "Within 30 days.",
    }
    assert told["failed"] == [failed]
    assert "secret" not in made.metadata


def test_it_is_kept_whose_conversation_it_was() -> None:
    """What is the customer's own is a leak when another asks for it: without the name nothing could tell."""
    case = Case(id="c1", recorded=RUN, page={"customer": "C-7"})
    found = replace(result(case, FAILED), trajectory=replace(RUN, customer="C-7"))
    made = promoted(found, checks=bare, where=WHERE)
    assert (made.metadata["customer"], made.page) == ("C-7", {"customer": "C-7"})
    assert "customer" not in promoted(result(case, FAILED), checks=bare, where=WHERE).metadata


def test_a_case_of_a_suite_keeps_what_it_asks_and_how_it_is_checked() -> None:
    strict = Check(scorer="contains", settings={"": "14"}, name="days")
    asks = (Ask(text="Can I cancel?", expect=Expectation(facts=("14 days",))), Ask(text="Sure?"))
    case = Case(id="c1", turns=asks, checks=(strict, Check(scorer="fluency")))
    made = promoted(result(case, Score(name="days", value=0.0, threshold=1.0)), checks=lambda name: None, where=WHERE)
    assert made.turns == asks
    assert made.checks == (strict,)


def test_one_question_is_an_input_and_a_recording_is_kept_when_asked_for() -> None:
    run = Trajectory(turns=(turn("Hello?", "No."),))
    failed = Result(case=Case(id="c", recorded=run), target="t", trajectory=run, scores=(GATE,), outcome="fail")
    made = promoted(failed, checks=bare, where=WHERE, recording=True)
    assert (made.input, made.turns, made.recorded) == ("Hello?", (), run)
    assert made.metadata["promoted"]["failed"][0]["check"] == "cross_turn"


def test_the_same_question_is_known_whatever_it_is_called() -> None:
    one = Case(id="a", input="Hello?")
    assert same_question(one) == same_question(Case(id="b", turns=(Ask(text="Hello?"),), tags=("x",)))
    assert same_question(one) != same_question(Case(id="a", input="Hello!"))
    assert same_question(one) != same_question(
        Case(id="a", input="Hello?", history=(Message(role="user", content="x"),))
    )
