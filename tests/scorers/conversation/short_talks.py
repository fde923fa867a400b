"""Short conversations for the tests of the conversation gates."""

from __future__ import annotations

from typing import Any

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Source, Trajectory, Turn

__all__ = ["call", "talk"]

Said = str | ToolCall


def call(name: str, arguments: dict[str, Any] | None = None, result: Any = None, error: str | None = None) -> ToolCall:
    return ToolCall(name=name, arguments=arguments or {}, result=result, error=error)


def talk(*turns: tuple[Said, ...], sources: tuple[str, ...] = (), system: str = "") -> Trajectory:
    """Each turn: the customer's words, then the agent's calls and words in order."""
    made = []
    for number, (asked, *rest) in enumerate(turns):
        messages = [Message(role="user", content=str(asked))]
        if system and not number:
            messages.insert(0, Message(role="system", content=system))
        for each in rest:
            if isinstance(each, ToolCall):
                messages.append(Message(role="assistant", tool_calls=(each,)))
            else:
                messages.append(Message(role="assistant", content=each))
        calls = tuple(each for each in rest if isinstance(each, ToolCall))
        given = tuple(Source(id=f"s{at}", text=text) for at, text in enumerate(sources)) if not number else ()
        made.append(Turn(messages=tuple(messages), tool_calls=calls, sources=given))
    return Trajectory(turns=tuple(made))
