"""Conversations become lines in the order in which the agent knew things."""

from __future__ import annotations

from typing import Any

from training.talks import events_of, faulty_act, results_first, training_talks

_CALL = {"name": "price", "arguments": {"id": "A1"}, "result": {"price": 5}}


def _row(fault: str, *messages: dict[str, Any], turn: int) -> dict[str, Any]:
    return {"label": "faulty", "fault": fault, "turn": turn, "messages": list(messages)}


def _said(text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "tool_calls": list(calls)}


_ASKED = {"role": "user", "content": "How much?"}
_THANKS = {"role": "user", "content": "Thanks"}


def test_text_beside_results_at_the_end_of_a_turn_follows_its_calls() -> None:
    row = results_first(_row("invented_policy", _ASKED, _said("It is 6.", _CALL), _THANKS, _said("Bye."), turn=2))
    events, places = events_of(row)
    assert [each.who for each in events] == ["customer", "call", "agent", "customer", "agent"]
    bad = faulty_act(row, places, events)
    assert bad is not None
    assert events[bad].text == "It is 6."


def test_the_fault_of_a_wrong_id_stays_with_the_call_and_later_faults_move() -> None:
    row = results_first(_row("wrong_id", _ASKED, _said("It is 6.", _CALL), turn=2))
    events, places = events_of(row)
    bad = faulty_act(row, places, events)
    assert bad is not None
    assert events[bad].who == "call"
    row = results_first(_row("loop", _ASKED, _said("It is 5.", _CALL), _ASKED, _said("Which one?"), turn=4))
    events, places = events_of(row)
    bad = faulty_act(row, places, events)
    assert bad is not None
    assert events[bad].text == "Which one?"


def test_a_remark_before_a_call_stays_before_it() -> None:
    waiting = _row("loop", _ASKED, _said("A moment.", _CALL), _said("It is 5."), turn=3)
    assert results_first(waiting) == waiting
    unknown = _row("loop", _ASKED, _said("A moment.", {"name": "price", "arguments": {}}), turn=2)
    assert results_first(unknown) == unknown


def test_every_written_fault_is_at_an_act_of_the_agent() -> None:
    for row in training_talks():
        if row["label"] == "faulty":
            events, places = events_of(row)
            assert row["messages"][row["turn"] - 1]["role"] == "assistant", row["id"]
            assert faulty_act(row, places, events) is not None, row["id"]
