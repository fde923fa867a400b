"""Conversations and a judge for the scorers' tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from proctor.core.case import Ask, Case, Expectation
from proctor.core.chat import Message, Reply, Request, ToolCall
from proctor.core.trajectory import Trajectory, Turn

BROKEN = Trajectory(error="the server said 500", error_kind="target", raw="oops")
SILENT = Trajectory()


def said(*answers: str, calls: Sequence[Sequence[ToolCall]] = ()) -> Trajectory:
    """A conversation in which these were the answers."""
    return Trajectory(
        turns=tuple(
            Turn(
                messages=(
                    Message(role="user", content=f"question {index + 1}"),
                    Message(role="assistant", content=answer),
                ),
                tool_calls=tuple(calls[index]) if index < len(calls) else (),
            )
            for index, answer in enumerate(answers)
        )
    )


def case(**expect: Any) -> Case:
    """A case that expects this."""
    return Case(id="c", input="question 1", expect=Expectation(**expect))


def turns(*expects: Expectation | None, **expect: Any) -> Case:
    """A case of several turns, each with its own expectation."""
    asks = tuple(Ask(text=f"question {index + 1}", expect=each) for index, each in enumerate(expects))
    return Case(id="c", turns=asks, expect=Expectation(**expect))


class StagedJudge:
    """A judge that answers what it is told to, and keeps what it was asked."""

    name = "fake:judge"

    def __init__(self, answer: Callable[[Request], Any], *, cost: float | None = 0.01) -> None:
        self._answer = answer
        self._cost = cost
        self.asked: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        data = self._answer(request)
        if isinstance(data, Exception):
            raise data
        return Reply(text=str(data), data=data, cost=self._cost)


def verdict(value: Any, reason: str = "because") -> dict[str, Any]:
    return {"reason": reason, "verdict": value}
