"""Conversations for the tests of what is safe, and scorers with the models that ship."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from proctor.core.case import Case
from proctor.core.chat import Message, ToolCall
from proctor.core.decode import decode
from proctor.core.score import Score
from proctor.core.sockets import is_fast, is_optional, is_socket
from proctor.core.trajectory import Intent, Source, Trajectory, Turn
from proctor.wiring.local_models import LOCAL, local_model

Kind = TypeVar("Kind")
CASE = Case(id="c")


def built(kind: type[Kind], **settings: Any) -> Kind:
    """The scorer with these settings and the local models in its sockets."""
    sockets: dict[str, Any] = {}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if is_socket(field) and field.name not in settings:
            sockets[field.name] = local_model(field.name, fast=is_fast(field)) if field.name in LOCAL else None
            assert field.name in LOCAL or is_optional(field)
    return decode(kind, {**sockets, **settings}, strict=True)


def turn(
    asked: str,
    answer: str,
    *calls: ToolCall,
    intents: tuple[str, ...] = (),
    sources: tuple[Source, ...] = (),
    **more: Any,
) -> Turn:
    """One exchange with the calls between question and answer."""
    said = (Message(role="user", content=asked), Message(role="assistant", content=answer))
    named = tuple(Intent(name=name) for name in intents)
    return Turn(messages=said, tool_calls=calls, intents=named, sources=sources, **more)


def talk(*turns: Turn | tuple[str, str], **more: Any) -> Trajectory:
    """A conversation of turns, or of pairs of question and answer."""
    return Trajectory(turns=tuple(each if isinstance(each, Turn) else turn(*each) for each in turns), **more)


def call(name: str, result: Any = "ok", *, error: str | None = None, **arguments: Any) -> ToolCall:
    """A call of a tool with its result."""
    return ToolCall(name=name, arguments=arguments, result=None if error else result, error=error)


def turns_of(score: Score) -> list[int | None]:
    """The turns that the evidence points to."""
    return [each.turn for each in score.evidence]
