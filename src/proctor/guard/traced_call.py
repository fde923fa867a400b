"""A tool call with the origins of its values, and what may be wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from proctor.core.chat import ToolCall
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.guard.call_values import CallValue
from proctor.guard.customer_request import CustomerRequest
from proctor.guard.tool_settings import shown
from proctor.guard.value_origins import SessionTexts, TracedValue
from proctor.lexicon.requested_acts import Act, acts_of_tool, looks_only

__all__ = ["CallOrigin", "OriginProblem", "ProblemKind", "described", "is_short", "may_change"]

ProblemKind = Literal[
    "untraced", "swapped", "lookalike", "told", "noted", "invented", "unasked", "unprompted", "delegated"
]


@dataclass(frozen=True, slots=True)
class CallOrigin:
    """A call with the origins of its values, and the texts of its session."""

    call: ToolCall
    values: tuple[TracedValue, ...]
    request: CustomerRequest
    texts: SessionTexts

    @property
    def acts(self) -> frozenset[Act]:
        """The kinds of act that the tool carries out."""
        return acts_of_tool(self.call.name)


@dataclass(frozen=True, slots=True)
class OriginProblem:
    """One thing that nobody vouches for."""

    kind: ProblemKind
    reason: str


def may_change(tool: str, stated: Mapping[str, StatedEffect] | None = None) -> bool:
    """Return whether a tool may change something: it is stated, or its name does not say that it only reads."""
    if stated and any(tool == each or fnmatchcase(tool, each) for each in stated):
        return tool_effect(tool, stated) == "changes"
    return tool_effect(tool) in ("changes", "unknown") and not looks_only(tool)


def is_short(value: CallValue) -> bool:
    """Return whether a value is found anywhere by chance: a number of one digit, a letter."""
    return len(value.text.removesuffix(".0").removesuffix(".00")) <= 1


def described(value: CallValue) -> str:
    """Return the argument and the value, for a reason; a secret is hidden."""
    return f"{value.argument[:40]} {shown(value.shown, name=value.argument)}"
