"""Requests to a chat model and its replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal

from proctor.core.record import dataclass

__all__ = ["GUARD_STOP", "Message", "Reply", "Request", "Role", "Sampling", "Tool", "ToolCall", "Usage"]

Role = Literal["system", "user", "assistant", "tool"]
# In the extra of a call that the guard stopped: ``tool_call`` if it was refused, ``tool_result`` if it was made and its
# answer held back.
GUARD_STOP: Final = "guard_stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call: its arguments, and its result if known."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    result: Any = None
    error: str | None = None
    latency: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str = ""
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool the model may call; ``parameters`` is a JSON schema."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Sampling parameters; an unset field is left to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything that decides an answer, and so everything in the cache key.

    ``sample`` distinguishes repeated samples of the same request. ``schema`` requests JSON of that
    shape; ``schema_name`` is the name that some providers require for it.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    sampling: Sampling = field(default_factory=Sampling)
    sample: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one or more calls."""

    input: int = 0
    output: int = 0
    cached_input: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cached_input=self.cached_input + other.cached_input,
            reasoning=self.reasoning + other.reasoning,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply of a model.

    ``data`` is the parsed JSON if the request had a schema. ``cost`` is ``None`` if no price is known:
    unknown is not zero. ``cached`` marks a reply from the cache.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish: str = "stop"
    latency: float = 0.0
    model: str = ""
    data: Any = None
    cost: float | None = None
    cached: bool = False
    attempts: int = 1
    extra: Mapping[str, Any] = field(default_factory=dict)
