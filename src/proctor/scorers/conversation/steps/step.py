"""Steps of a conversation for predicates: requests, answers, remarks, calls and hand-offs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from proctor.core.tool_effect import StatedEffect, ToolEffect, tool_effect
from proctor.core.trajectory import Trajectory
from proctor.core.transcript import TranscriptStep, parse_loosely, result_text, steps
from proctor.scorers.checked_answers import quoted, turn_label
from proctor.scorers.match_calls import shown
from proctor.text.assent import agrees, asks
from proctor.text.find_phrase import Folded, fold

__all__ = ["StepsView", "TraceStep", "view_of"]

_SHOWN = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep(TranscriptStep):
    """A step with its index, and whether the customer agrees to what was asked."""

    index: int = 0
    agrees: bool = False

    @property
    def said(self) -> str:
        """The step as a report shows it."""
        if self.call is not None:
            return quoted(shown(self.call), _SHOWN)
        return quoted(" ".join(self.text.split()), _SHOWN)

    @property
    def place(self) -> str:
        """The step and its turn, for a reason."""
        name = self.call.name if self.call is not None else f"the {self.kind} “{self.said}”" if self.text else self.kind
        return f"{name} in {turn_label(self.turn)}"

    @property
    def written(self) -> str:
        """The text that an output predicate checks: the message, or the arguments of a call as JSON."""
        if self.call is None:
            return self.text
        return json.dumps(dict(self.call.arguments), ensure_ascii=False, default=str)

    @property
    def asks(self) -> bool:
        """Whether the agent asks the customer a question in it."""
        return self.is_agent_message and asks(self.text)

    @property
    def result(self) -> Any:
        """The result of a call, parsed if it is data."""
        if self.call is None:
            return None
        return parse_loosely(self.call.result) if isinstance(self.call.result, str) else self.call.result


@dataclass(frozen=True)
class StepsView:
    """The steps of one conversation, and the effects of its tools."""

    steps: tuple[TraceStep, ...]
    turns: int = 0
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)

    def effect(self, name: str) -> ToolEffect:
        """Return the effect of a tool."""
        return tool_effect(name, self.tool_effects)

    @cached_property
    def calls_placed(self) -> bool:
        """Whether it is known which calls were made in one message."""
        return all(step.message is not None for step in self.steps if step.call is not None)

    @cached_property
    def given(self) -> tuple[Folded | None, ...]:
        """For each step the text that the customer or a tool gave in it, folded for search."""
        return tuple(fold(text, ignore_case=True) if (text := _given(step)) else None for step in self.steps)


def _given(step: TraceStep) -> str:
    if step.call is not None:
        return result_text(step.call)
    return step.text if step.kind == "request" else ""


def view_of(
    run: Trajectory,
    *,
    writes: Iterable[str] = (),
    reads: Iterable[str] = (),
    tool_effects: Mapping[str, StatedEffect] | None = None,
) -> StepsView:
    """Convert the conversation to steps; ``writes``, ``reads``, then ``tool_effects`` state the effects of tools."""
    found: list[TraceStep] = []
    asked = ""
    for step in steps(run):
        if step.call is not None and step.by_user:  # the customer's own calls are no steps of the agent
            continue
        agreed = step.kind == "request" and agrees(step.text, asked)
        asked = step.text if step.is_agent_message else asked
        found.append(
            TraceStep(
                kind=step.kind,
                turn=step.turn,
                text=step.text,
                call=step.call,
                message=step.message,
                index=len(found),
                agrees=agreed,
            )
        )
    stated: dict[str, StatedEffect] = {**dict.fromkeys(writes, "changes")}
    for name in reads:
        stated.setdefault(name, "reads")
    for name, effect in (tool_effects or {}).items():
        stated.setdefault(name, effect)
    return StepsView(tuple(found), turns=len(run.turns), tool_effects=stated)
