"""What the sidecar is asked: one shape for each point of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.core.trajectory import Source

__all__ = ["QUESTIONS", "InputAsked", "OutputAsked", "ToolCallAsked", "ToolResultAsked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputAsked:
    """Words of the customer, before the agent reads them.

    ``session`` names the conversation; without one, a new one begins. ``customer`` says whose it is.
    """

    text: str
    session: str | None = None
    customer: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallAsked:
    """A tool that the agent wants to call, before it is called.

    ``intents`` are what the customer is taken to want. ``confirmed`` says that the customer has agreed to the call.
    ``id`` is the call's own name, by which its result is known.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    intents: tuple[str, ...] = ()
    confirmed: bool = False
    id: str | None = None
    session: str | None = None
    customer: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultAsked:
    """What a tool or a document says, before the agent reads it; ``result`` is a text or any JSON."""

    name: str
    result: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    session: str | None = None
    customer: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputAsked:
    """A draft answer, before the customer reads it.

    ``sources`` are the passages that it rests on, as texts or as objects. ``section`` says which part of the business
    it is about.
    """

    draft: str
    sources: tuple[str | Source, ...] = ()
    section: str | None = None
    session: str | None = None
    customer: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


QUESTIONS: Mapping[str, type[Any]] = {
    "input": InputAsked,
    "tool_call": ToolCallAsked,
    "tool_result": ToolResultAsked,
    "output": OutputAsked,
}
