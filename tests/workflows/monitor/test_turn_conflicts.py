"""Contradictions between turns, by rules and from the evidence of scores."""

from __future__ import annotations

from datetime import UTC, datetime

from proctor.core.chat import Message
from proctor.core.event import Event
from proctor.core.trajectory import Turn
from proctor.workflows.monitor.turn_conflicts import TurnConflict, find_conflicts, reported_conflicts


def _turn(asked: str, answer: str) -> Turn:
    return Turn(messages=(Message(role="user", content=asked), Message(role="assistant", content=answer)))


async def test_figures_that_differ_are_a_contradiction_with_the_numbers_of_the_turns() -> None:
    turns = [
        _turn("返品は何日以内にできますか？", "未開封の商品は到着後30日以内に返品できます。"),
        _turn("送料は無料ですか？", "はい、返品の送料は無料です。"),
        _turn("返品の期限をもう一度。", "未開封の商品は到着後14日以内に返品できます。"),
    ]
    (found,) = await find_conflicts(turns, first=100)
    assert (found.earlier, found.later) == (100, 102)
    assert (found.earlier_quote, found.later_quote) == (turns[0].answer, turns[2].answer)
    assert found.why


async def test_what_agrees_is_none() -> None:
    assert await find_conflicts([_turn("How long?", "30 days."), _turn("And the fee?", "The fee is 5 EUR.")]) == []
    assert await find_conflicts([]) == []


def test_a_score_reports_its_contradictions() -> None:
    def score(name: str, evidence: object) -> Event:
        return Event(kind="score", time=datetime.now(UTC), name=name, value=0.0, metadata={"evidence": evidence})

    pair = [{"turn": 4, "quote": "14 days", "note": "differs"}, {"turn": 1, "quote": "30 days", "note": "said before"}]
    wanted = TurnConflict(earlier=1, later=4, earlier_quote="30 days", later_quote="14 days", why="differs")
    odd = [score("cross_turn", "text"), score("cross_turn", [1, 2]), score("cross_turn", pair[:1]), score("tone", pair)]
    assert reported_conflicts([score("cross_turn", pair), *odd]) == [wanted]
    assert reported_conflicts([score("cross_turn", list(reversed(pair)))]) == []
