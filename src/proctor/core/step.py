"""The points of a live conversation where gates run, and the fields of a step that any gate can read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol, get_args

from proctor.core.chat import ToolCall
from proctor.core.trajectory import Source

__all__ = ["POINTS", "GateStep", "Point"]

Point = Literal["input", "tool_call", "tool_result", "output"]
POINTS: Final[tuple[Point, ...]] = get_args(Point)


class GateStep(Protocol):
    """The plain data of a step: a message, a tool call, a tool result or a draft answer.

    ``proctor.guard.step.Step`` is the step that the guard passes to gates. It has these fields, the normalised text and
    the memory of the session. A gate that needs only these fields can name this protocol instead.
    """

    @property
    def point(self) -> Point:
        """The point of the conversation."""
        ...

    @property
    def text(self) -> str:
        """The text of an input, a tool's result or an output."""
        ...

    @property
    def call(self) -> ToolCall | None:
        """The call, and for a tool's result the call that it answers."""
        ...

    @property
    def intents(self) -> tuple[str, ...]:
        """The intents that the agent recognised."""
        ...

    @property
    def sources(self) -> tuple[Source, ...]:
        """The passages that a draft answer is based on."""
        ...

    @property
    def section(self) -> str | None:
        """The policy section that a draft answer belongs to."""
        ...

    @property
    def confirmed(self) -> bool:
        """Whether the customer has confirmed the call."""
        ...

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Any further data from the caller."""
        ...
