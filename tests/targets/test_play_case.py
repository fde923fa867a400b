from __future__ import annotations

import asyncio

import pytest

from proctor.core.case import Ask, Case
from proctor.core.chat import Message
from proctor.core.errors import BudgetError, PromptError, ReplyError, TimedOutError, UnreachableError
from proctor.core.trajectory import Trajectory, Turn
from proctor.targets.play_case import AnswerError, drive
from tests.tables import table


class Echo:
    """Answers with what was said; raises what it is given."""

    session = "s1"

    def __init__(self, failure: BaseException | None = None, at: int = 1) -> None:
        self.said: list[str] = []
        self.closed = 0
        self._failure, self._at = failure, at

    async def say(self, text: str) -> Turn:
        self.said.append(text)
        if self._failure is not None and len(self.said) == self._at:
            raise self._failure
        await asyncio.sleep(0.001)
        return Turn(messages=(Message(role="user", content=text), Message(role="assistant", content=text.upper())))

    async def close(self) -> None:
        self.closed += 1


async def test_messages_are_put_one_after_the_other() -> None:
    echo = Echo()
    made = await drive(Case(id="c", turns=(Ask(text="a"), Ask(text="b"))), lambda: echo, target="t")
    assert echo.said == ["a", "b"]
    assert [turn.answer for turn in made.turns] == ["A", "B"]
    assert all(turn.latency is not None and turn.latency > 0 for turn in made.turns)
    assert (made.target, made.session, made.error, made.error_kind) == ("t", "s1", None, None)
    assert echo.closed == 1


async def test_a_case_without_words_is_put_once() -> None:
    echo = Echo()
    await drive(Case(id="c", inputs={"x": 1}), lambda: echo, target="t")
    assert echo.said == [""]


async def test_a_recorded_case_is_not_put() -> None:
    recorded = Trajectory(turns=(Turn(),), target="other")

    def begin() -> Echo:
        raise AssertionError("nothing is to be called")

    assert await drive(Case(id="c", input="q", recorded=recorded), begin, target="t") is recorded


async def test_a_known_latency_is_kept() -> None:
    class Known:
        async def say(self, text: str) -> Turn:
            return Turn(latency=0.25)

    made = await drive(Case(id="c", input="q"), Known, target="t")
    assert made.latency == 0.25


@table(
    ("failure", "kind", "what"),
    [
        (AnswerError("no", raw="body"), "target", "no"),
        (AnswerError("late", kind="timeout"), "timeout", "late"),
        (TimedOutError("slow"), "timeout", "slow"),
        (TimeoutError(), "timeout", "timed out"),
        (BudgetError("spent"), "budget", "spent"),
        (UnreachableError("gone"), "model", "gone"),
        (PromptError("bad", field="inputs.x"), "target", "inputs.x: bad"),
        (ValueError("boom"), "target", "ValueError: boom"),
        (KeyError("k"), "target", "KeyError: 'k'"),
    ],
)
async def test_a_failure_ends_it_and_keeps_what_was_said(failure: Exception, kind: str, what: str) -> None:
    echo = Echo(failure, at=2)
    made = await drive(Case(id="c", turns=tuple(Ask(text=t) for t in "abc")), lambda: echo, target="t")
    assert [turn.answer for turn in made.turns] == ["A"]
    assert echo.said == ["a", "b"]
    assert made.error_kind == kind
    assert what in (made.error or "")
    assert echo.closed == 1


async def test_the_raw_reply_is_kept_as_far_as_it_is_useful() -> None:
    reply = ReplyError("not JSON")
    reply.raw = "x" * 10_000
    made = await drive(Case(id="c", input="q"), lambda: Echo(reply), target="t")
    assert made.raw == "x" * 2_000
    made = await drive(Case(id="c", input="q"), lambda: Echo(ValueError("y" * 10_000)), target="t")
    assert len(made.error or "") == 2_000


async def test_a_conversation_that_cannot_begin_is_an_error_too() -> None:
    def begin() -> Echo:
        raise AnswerError("no template")

    made = await drive(Case(id="c", input="q"), begin, target="t")
    assert (made.error, made.turns) == ("no template", ())


async def test_a_turn_that_says_error_is_the_last() -> None:
    class Failing:
        async def say(self, text: str) -> Turn:
            return Turn(error="tool broke")

    made = await drive(Case(id="c", turns=(Ask(text="a"), Ask(text="b"))), Failing, target="t")
    assert (made.error, made.error_kind, len(made.turns)) == ("tool broke", "target", 1)


async def test_being_stopped_is_not_an_answer() -> None:
    echo = Echo(asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        await drive(Case(id="c", input="q"), lambda: echo, target="t")
    assert echo.closed == 1


async def test_a_bad_farewell_does_not_undo_the_answers() -> None:
    class Rude(Echo):
        async def close(self) -> None:
            raise RuntimeError("slam")

    made = await drive(Case(id="c", input="q"), Rude, target="t")
    assert (made.error, made.answer) == (None, "Q")
