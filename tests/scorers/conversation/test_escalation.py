from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from proctor.core.case import Case
from proctor.core.chat import Message, ToolCall
from proctor.core.score import Score
from proctor.core.trajectory import Escalation, Source, Trajectory, Turn
from proctor.core.verdict import Finding, Verdict
from proctor.scorers.conversation.escalation import EscalationCategory
from tests.tables import table

HANDED = Escalation(reason="")
CHILDREN = Source(id="p1", text="Children under six travel free of charge on every boat tour.")


class NoEmbedder:
    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        raise AssertionError("light means without a model")


class Near:
    """An embedder that finds every passage as near to the question as it was told."""

    def __init__(self, cosine: float) -> None:
        self.cosine = cosine

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        rest = (1 - self.cosine**2) ** 0.5
        return [[1.0, 0.0], *[[self.cosine, rest]] * (len(texts) - 1)]


def _turn(asked: str, answer: str = "Let me pass you on.", **more: Any) -> Turn:
    said = (Message(role="user", content=asked), Message(role="assistant", content=answer))
    return Turn(messages=said, **more)


async def _score(*turns: Turn, wanted: str | None = None, embedder: Any = None, **settings: Any) -> Score:
    scorer = EscalationCategory(light=embedder is None, embedder=embedder or NoEmbedder(), **settings)
    case = Case(id="t", metadata={"escalation_category": wanted} if wanted else {})
    return await scorer.score(case, Trajectory(turns=turns))


def _call(name: str, result: Any = None, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments, result=result)


CAUSES = {
    "explicit_request": [_turn("When does it start?", "At nine."), _turn("Let me talk to a human.", escalation=HANDED)],
    "sentiment_trigger": [_turn("This is useless, I am furious!!", escalation=HANDED)],
    "knowledge_gap": [
        _turn(
            "Can I bring my parrot on the boat?",
            "I could not find any information about that.",
            tool_calls=(_call("get_faq", [], query="parrot"),),
            escalation=HANDED,
        )
    ],
    "confidence_failure": [
        _turn("Do children travel free of charge?", sources=(CHILDREN,), confidence=0.41, escalation=HANDED)
    ],
    "policy_complexity": [
        _turn(
            "I booked two tours, one was cancelled by you and I was ill for the other. What do I get back?",
            sources=(
                Source(id="a", text="Tours are refunded if we cancel, unless weather is the cause."),
                Source(id="b", text="If you are ill, a refund is given only if a doctor says so, except for boats."),
            ),
            escalation=Escalation(reason="several policies apply and an exception needs approval"),
        )
    ],
}


@table("category", CAUSES)
async def test_each_cause_is_told_from_the_conversation(category: str) -> None:
    score = await _score(*CAUSES[category])
    assert score.label == category
    assert score.value == (0.0 if category in ("knowledge_gap", "confidence_failure") else 1.0)
    assert ("does not count" in score.reason) == (score.value == 1.0)
    assert score.evidence
    assert score.evidence[0].turn == len(CAUSES[category]) - 1


async def test_without_a_hand_off_there_is_nothing_to_score() -> None:
    score = await _score(_turn("I want to speak to a human", "Nobody is here."))
    assert (score.status, score.value) == ("skipped", None)
    assert "not handed over" in score.reason


async def test_a_hand_off_that_nothing_explains_is_unscored() -> None:
    score = await _score(_turn("When does it start?", "One moment.", escalation=HANDED))
    assert (score.status, score.label) == ("skipped", None)


@pytest.mark.parametrize("name", ["escalate", "transfer_to_human_agents", "hand_off"])
async def test_a_tool_may_hand_over(name: str) -> None:
    turn = _turn("It is broken", tool_calls=(_call(name, "ok", summary="The customer wants to speak to a supervisor"),))
    assert (await _score(turn)).label == "explicit_request"
    failed = _turn("It is broken", tool_calls=(ToolCall(name=name, error="not reached"),))
    assert (await _score(failed)).status == "skipped"


async def test_what_was_retrieved_must_be_about_the_question() -> None:
    turn = _turn("Do children travel free of charge?", sources=(CHILDREN,), confidence=0.41, escalation=HANDED)
    assert (await _score(turn, embedder=Near(0.8))).label == "confidence_failure"
    far = await _score(turn, embedder=Near(0.1))
    assert far.label == "knowledge_gap"
    assert "nearest 0.10" in far.reason
    doubt = Escalation(reason="not sure enough of children-2026")
    told = _turn("Is there a place to charge my car?", sources=(CHILDREN,), confidence=0.41, escalation=doubt)
    assert (await _score(told, embedder=Near(0.1))).label == "knowledge_gap", "there was nothing to be sure of"
    assert (await _score(told, embedder=Near(0.8))).label == "confidence_failure"
    scored = _turn("Do children go free?", sources=(Source(id="x", text="Dogs.", score=0.9),), escalation=HANDED)
    assert (await _score(scored, source_score=0.95)).label == "knowledge_gap"


async def test_a_draft_that_failed_its_gate_is_a_failure_of_confidence() -> None:
    verdict = Verdict(action="escalate", gate="grounding", findings=(Finding(kind="unsupported claim"),))
    turn = _turn("Do children travel free?", sources=(CHILDREN,), verdicts=(verdict,))
    assert (await _score(turn)).label == "confidence_failure"


async def test_the_agents_own_word_is_a_witness_and_not_the_judge() -> None:
    turn = _turn("I want a real person, now", escalation=Escalation(reason="", category="confidence_failure"))
    assert (await _score(turn)).label == "explicit_request"
    alone = _turn("When does it start?", escalation=Escalation(category="confidence_failure"))
    assert (await _score(alone)).label == "confidence_failure"


async def test_an_early_request_fades() -> None:
    early = [_turn("Can I talk to a human?", "I can help."), *[_turn("And the price?", "9 euro.")] * 5]
    assert (await _score(*early, _turn("ok", escalation=HANDED))).status == "skipped"
    assert (await _score(*early, _turn("ok", escalation=HANDED), lookback=9)).label == "explicit_request"


async def test_topics_that_need_a_person_are_a_setting() -> None:
    turn = _turn("My lawyer will hear about the accident", escalation=HANDED)
    assert (await _score(turn, judgement=("accident",))).label == "policy_complexity"


async def test_an_expected_cause_is_compared() -> None:
    score = await _score(*CAUSES["explicit_request"], wanted="knowledge_gap")
    assert [(part.name, part.value) for part in score.parts] == [("as_expected", 0.0)]


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="confidence"):
        EscalationCategory(confidence=2, embedder=NoEmbedder())
    with pytest.raises(ValueError, match="lookback"):
        EscalationCategory(lookback=-1, embedder=NoEmbedder())
