"""Test cases: the input of a target and the expectations on its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from proctor.core.chat import Message, ToolCall
from proctor.core.record import dataclass
from proctor.core.rule import Rule
from proctor.core.trajectory import Trajectory

__all__ = ["INCIDENT_TAG", "Ask", "Case", "Check", "Expectation", "Suite"]

INCIDENT_TAG: Final = "incident"  # of a case made from a conversation behind an alert; the gate lets none fail


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The expected properties of a good answer."""

    reference: str | None = None
    facts: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    intents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    escalation: bool | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One scorer with its settings, as listed in a suite or a case."""

    scorer: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    threshold: float | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0.0 <= self.threshold <= 1.0:
            raise ValueError(f"a threshold is from 0 to 1, not {self.threshold:g}")
        if not self.weight >= 0.0:
            raise ValueError(f"a weight is 0 or more, not {self.weight:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One user message of a multi-turn case, with the expectations on the answer and the checks of it alone."""

    SHORTHAND = "text"

    text: str
    expect: Expectation | None = None
    checks: tuple[Check, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test: the input of the target and the expected answer.

    ``input`` is one user message; ``turns`` are several, sent one after the other. ``inputs`` fill a
    prompt's variables. ``history`` is the conversation before the case begins. ``recorded`` is an
    existing answer, which is scored as it is.
    """

    id: str
    input: str | None = None
    turns: tuple[Ask, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[Message, ...] = ()
    page: Mapping[str, Any] = field(default_factory=dict)
    intent: str | None = None
    expect: Expectation = field(default_factory=Expectation)
    checks: tuple[Check, ...] = ()
    tags: tuple[str, ...] = ()
    description: str = ""
    recorded: Trajectory | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The user's messages in order, in either notation of the case."""
        if self.turns:
            return self.turns
        return (Ask(text=self.input),) if self.input is not None else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The settings shared by the cases of one collection.

    The cases themselves are streamed and never all in memory.
    """

    name: str
    description: str = ""
    target: str | None = None
    scorers: tuple[Check, ...] = ()
    tags: tuple[str, ...] = ()
    version: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
