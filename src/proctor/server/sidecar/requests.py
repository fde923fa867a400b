"""The request bodies of the sidecar: one class per point of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.core.trajectory import Source
from proctor.guard.ledger import result_text
from proctor.server.sidecar.utf16_offsets import Offsets

__all__ = [
    "QUESTIONS",
    "InputRequest",
    "OutputRequest",
    "ToolCallRequest",
    "ToolResultRequest",
    "UnmaskRequest",
    "text_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRequest:
    """What every question about a step may name.

    ``session`` names the conversation; without one, a new one begins. ``customer`` says whose it is.
    ``offsets`` is how places in the text are counted: ``utf16`` as in Java and JavaScript, else in code points.
    """

    session: str | None = None
    customer: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    offsets: Offsets = "code_points"


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequest(StepRequest):
    """Words of the customer, before the agent reads them.

    ``session`` names the conversation; without one, a new one begins. ``customer`` says whose it is.
    ``offsets`` is how places in the text are counted: ``utf16`` as in Java and JavaScript, else in code points.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRequest(StepRequest):
    """A tool that the agent wants to call, before it is called.

    ``intents`` are what the customer is taken to want. ``confirmed`` says that the customer has agreed to the call.
    ``id`` is the call's own name, by which its result is known.
    ``offsets`` may be given as with the other questions; findings about a call have no places.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    intents: tuple[str, ...] = ()
    confirmed: bool = False
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultRequest(StepRequest):
    """What a tool or a document says, before the agent reads it.

    ``result`` is a text or any JSON.
    ``offsets`` is how places in the text are counted: ``utf16`` as in Java and JavaScript, else in code points.
    """

    name: str
    result: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRequest(StepRequest):
    """A draft answer, before the customer reads it.

    ``sources`` are the passages that it rests on, as texts or as objects. ``section`` says which part of the business
    it is about.
    ``offsets`` is how places in the draft are counted: ``utf16`` as in Java and JavaScript, else in code points.
    """

    draft: str
    sources: tuple[str | Source, ...] = ()
    section: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmaskRequest:
    """A text in which the customer is to read their own data again, in place of the placeholders of the session."""

    text: str
    session: str
    customer: str | None = None


QUESTIONS: Mapping[str, type[Any]] = {
    "input": InputRequest,
    "tool_call": ToolCallRequest,
    "tool_result": ToolResultRequest,
    "output": OutputRequest,
}


def text_of(asked: Any) -> str:
    """Return the text that findings refer to; a result that is not text is serialized as JSON."""
    if isinstance(asked, InputRequest):
        return asked.text
    if isinstance(asked, OutputRequest):
        return asked.draft
    return result_text(asked.result) if isinstance(asked, ToolResultRequest) else ""
