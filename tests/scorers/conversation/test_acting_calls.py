"""What the result of a call says: done, refused, or waiting for somebody."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.core.chat import ToolCall
from proctor.scorers.conversation.acting_calls import is_waiting, may_have_acted, was_refused


def call(result: Any) -> ToolCall:
    return ToolCall(name="refund_order", arguments={"id": "7", "amount": 4}, result=result)


@pytest.mark.parametrize(
    "result",
    [
        "Fehler: Zeitüberschreitung",
        "fout: pas geblokkeerd",
        '{"status": "geweigerd"}',
        {"ok": False},
        {"état": 1, "status": "refusé"},
    ],
)
def test_a_refused_call_has_not_acted(result: Any) -> None:
    assert was_refused(call(result))
    assert not may_have_acted(call(result))


@pytest.mark.parametrize(
    "result", ["ok, 40 EUR", "Timed entry booked for 10:00", {"status": "done"}, '{"status": "processed"}', ["a"], None]
)
def test_a_call_that_ran_is_not_refused_and_waits_for_nobody(result: Any) -> None:
    assert not was_refused(call(result))
    assert not is_waiting(call(result))


@pytest.mark.parametrize("state", ["pending_review", "Open", "awaiting_photos", "en attente", "審査中", "대기 중"])
def test_a_matter_that_somebody_must_decide_waits(state: str) -> None:
    assert is_waiting(call({"status": state}))
    assert may_have_acted(call({"status": state}))
