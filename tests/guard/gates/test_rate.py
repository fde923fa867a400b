from __future__ import annotations

import pytest

from proctor.core.errors import MalformedError
from proctor.guard.gates.rate import Rate
from proctor.guard.session_memory import Memory
from tests.guard.gates.staging import done, gate, memory, wants


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_session_calls_a_tool_so_often_and_not_once_more() -> None:
    rate = gate("rate", session={"modify_booking": 2})
    assert (
        await rate.check(wants("modify_booking", {"n": 3}, memory=memory(done("modify_booking"))))
    ).action == "allow"
    verdict = await rate.check(wants("modify_booking", memory=memory(*[done("modify_booking", n=i) for i in range(2)])))
    assert (verdict.action, verdict.findings[0].kind) == ("block", "too_many_calls")
    assert "2 times in a session" in verdict.reason
    assert (await rate.check(wants("get_faq", memory=memory(*[done("modify_booking")] * 2)))).action == "allow"


async def test_a_pattern_counts_all_tools_under_it() -> None:
    rate = gate("rate", session={"refund_*": 2})
    before = memory(done("refund_start"), done("refund_ask"), done("get_faq"))
    assert (await rate.check(wants("refund_pay", memory=before))).action == "block"
    assert (await rate.check(wants("get_faq", memory=before))).action == "allow"


async def test_nothing_at_all_may_be_called_with_a_limit_of_nought() -> None:
    assert (await gate("rate", session={"*": 0}).check(wants("get_faq"))).action == "block"


async def test_the_minute_is_counted_by_the_clock_and_for_each_session() -> None:
    clock = Clock()
    rate = Rate(minute={"*": 2}, clock=clock)
    one, other = Memory(session="a"), Memory(session="b")
    answers = [(await rate.check(wants("get_faq", {"n": n}, memory=one))).action for n in range(3)]
    assert answers == ["allow", "allow", "block"]
    assert (await rate.check(wants("get_faq", memory=other))).action == "allow"
    clock.now = 61.0
    assert (await rate.check(wants("get_faq", memory=one))).action == "allow"


async def test_sessions_without_a_name_are_told_apart() -> None:
    rate = Rate(minute={"*": 1}, clock=Clock())
    assert [(await rate.check(wants("a", memory=Memory()))).action for _ in range(5)] == ["allow"] * 5


async def test_the_same_call_again_and_again_is_a_loop() -> None:
    rate = gate("rate", same=3)
    same = [done("get_booking", id="B1") for _ in range(3)]
    verdict = await rate.check(wants("get_booking", {"id": "B1"}, memory=memory(*same)))
    assert (verdict.action, verdict.findings[0].kind) == ("block", "loop")
    assert (await rate.check(wants("get_booking", {"id": "B2"}, memory=memory(*same)))).action == "allow"
    mixed = [call for pair in zip(same, [done("get_faq", q=i) for i in range(3)], strict=True) for call in pair]
    assert (await rate.check(wants("get_booking", {"id": "B1"}, memory=memory(*mixed)))).action == "block"


async def test_memory_of_sessions_is_bounded() -> None:
    rate = Rate(minute={"*": 1}, clock=Clock())
    for number in range(10_050):
        await rate.check(wants("a", memory=Memory(session=str(number))))
    assert len(rate._by_minute._sessions) == 10_000


@pytest.mark.parametrize("settings", [{"session": {"a": -1}}, {"minute": {"*": -1}}, {"same": 0}])
def test_impossible_limits_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises((ValueError, MalformedError)):
        gate("rate", **settings)
