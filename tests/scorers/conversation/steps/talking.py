"""Recorded conversations for the tests of step predicates, written as a script."""

from __future__ import annotations

from typing import Any

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Trajectory, Turn

Line = str | ToolCall | tuple[str | ToolCall, ...]


def call(name: str, result: Any = "done", *, error: str | None = None, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments, result=None if error else result, error=error)


def talk(*lines: Line) -> Trajectory:
    """A conversation: ``> …`` is the customer and begins a turn, ``< …`` the agent; a call is a message of its own.

    A tuple is one message with words and several calls in it.
    """
    turns: list[list[Message]] = []
    for line in lines:
        if isinstance(line, str) and line.startswith("> "):
            turns.append([Message(role="user", content=line[2:])])
            continue
        if not turns:
            turns.append([])
        turns[-1].append(_message(line))
    return Trajectory(turns=tuple(Turn(messages=tuple(m), tool_calls=_calls(m)) for m in turns))


def _message(line: Line) -> Message:
    if isinstance(line, str):
        return Message(role="assistant", content=line.removeprefix("< "))
    several = line if isinstance(line, tuple) else (line,)
    words = " ".join(each for each in several if isinstance(each, str))
    return Message(role="assistant", content=words, tool_calls=tuple(c for c in several if isinstance(c, ToolCall)))


def _calls(messages: list[Message]) -> tuple[ToolCall, ...]:
    return tuple(each for message in messages for each in message.tool_calls)
