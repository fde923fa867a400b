"""Trajectories: a conversation as turns, each with everything known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Literal

from proctor.core.chat import Message, ToolCall, Usage
from proctor.core.record import dataclass
from proctor.core.verdict import Verdict

__all__ = ["Escalation", "Intent", "MemoryRead", "Source", "Trajectory", "Turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """The user's intent as recognised by the agent, and its confidence."""

    SHORTHAND = "name"

    name: str
    confidence: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage the agent retrieved; ``date`` is the age of its knowledge."""

    id: str
    text: str = ""
    date: str | None = None
    score: float | None = None
    title: str | None = None
    uri: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRead:
    """An item that the agent read from its memory of the session or the customer."""

    key: str
    value: Any = None
    origin: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """A hand-off to a person."""

    SHORTHAND = "reason"

    reason: str = ""
    category: str | None = None
    to: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One exchange: the user's message, the agent's actions, and its answer.

    ``messages`` are those this turn added, in order. ``tool_calls`` carry results and errors.
    Latency is in seconds, cost in the price table's currency; ``None`` means unknown. ``first_token`` is how many
    seconds the first words took, of an agent that streams.
    """

    messages: tuple[Message, ...] = ()
    intents: tuple[Intent, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    memory: tuple[MemoryRead, ...] = ()
    sources: tuple[Source, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    confidence: float | None = None
    latency: float | None = None
    first_token: float | None = None
    usage: Usage | None = None
    cost: float | None = None
    escalation: Escalation | None = None
    time: datetime | None = None
    error: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> str:
        """The user's text in this turn."""
        return "\n".join(m.content for m in self.messages if m.role == "user")

    @property
    def answer(self) -> str:
        """The agent's last message in this turn."""
        return next((m.content for m in reversed(self.messages) if m.role == "assistant"), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """A whole conversation, live or replayed: the unit that is scored.

    ``error`` is set if the target did not answer; the turns before it are kept.
    """

    turns: tuple[Turn, ...] = ()
    id: str | None = None
    target: str | None = None
    session: str | None = None
    customer: str | None = None
    error: str | None = None
    error_kind: Literal["target", "model", "timeout", "budget"] | None = None
    raw: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answer(self) -> str:
        """The agent's final message."""
        return self.turns[-1].answer if self.turns else ""

    @property
    def messages(self) -> tuple[Message, ...]:
        """Every message, in order."""
        return tuple(message for turn in self.turns for message in turn.messages)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Every tool call, in order."""
        return tuple(call for turn in self.turns for call in turn.tool_calls)

    @property
    def sources(self) -> tuple[Source, ...]:
        """Every retrieved passage, in order."""
        return tuple(source for turn in self.turns for source in turn.sources)

    @property
    def latency(self) -> float | None:
        """Seconds over all turns, or ``None`` if a turn's is unknown."""
        return _total([turn.latency for turn in self.turns])

    @property
    def cost(self) -> float | None:
        """Money over all turns, or ``None`` if a turn's is unknown."""
        return _total([turn.cost for turn in self.turns])

    @property
    def usage(self) -> Usage:
        """Tokens over all turns, as far as they were reported."""
        return sum((turn.usage for turn in self.turns if turn.usage), Usage())


def _total(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if values and len(known) == len(values) else None
