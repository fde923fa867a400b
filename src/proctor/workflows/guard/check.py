"""Run the gates of one point on single steps without recording them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from proctor.config import Config
from proctor.core.codec import encode
from proctor.core.event import Event
from proctor.core.step import POINTS, Point
from proctor.core.verdict import STOPS, Verdict
from proctor.guard.chain import Decision
from proctor.guard.step import Step
from proctor.store.mask_decisions import Masker
from proctor.wiring.guard import Guard
from proctor.wiring.guard_settings import check_guard

__all__ = ["CheckedStep", "checked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStep:
    """A step and the decision on it."""

    step: Step
    decision: Decision

    @property
    def stopped(self) -> bool:
        """Whether the step would be stopped."""
        return self.decision.verdict.action in STOPS

    @property
    def goes_on(self) -> str | None:
        """The text that would be passed on; none if the step is stopped or has no text."""
        if self.stopped or self.step.point == "tool_call":
            return None
        return self.step.text if self.decision.verdict.text is None else self.decision.verdict.text

    def verdicts(self, *, show: bool) -> list[dict[str, Any]]:
        """Return the overall verdict, then each gate's; quotes are masked unless ``show``."""
        parts = (self.decision.verdict, *self.decision.parts)
        if show:
            return [_shown(part) for part in parts]
        told = {"parts": self.decision.parts, "text": self.step.text}
        masker = Masker(Event(kind="gate", time=datetime.now(UTC), verdict=self.decision.verdict, metadata=told))
        return [masker.verdict(part, part=True) for part in parts]


async def checked(
    config: Config, point: Point, steps: Iterable[Step], *, seconds: float | None = None
) -> AsyncIterator[CheckedStep]:
    """Run the gates of the point on each step; models are loaded before the first step that they read is timed.

    Only this point's gates decide, but the settings of all points must be valid. Shadow mode decides as if it were
    active. Nothing is recorded.

    Raises:
        InputError: something under ``guard:`` in proctor.yaml is wrong.
    """
    check_guard(config)  # all points and `escalate`, of which the narrowed settings keep only one point
    section = {**config.settings.guard, "mode": "enforce"} | {other: [] for other in POINTS if other != point}
    section.pop("escalate", None)  # trial texts are not escalated
    if seconds is not None:
        section["timeout"] = seconds
    narrowed = replace(config, settings=replace(config.settings, guard=section))
    guard = Guard.from_config(narrowed, record=False, reload=False)
    try:
        chain, is_warm = guard.plan.chains[point], False
        for step in steps:
            if not is_warm and not chain.is_too_long(step):
                await guard.warm()
                is_warm = True
            yield CheckedStep(step=step, decision=await guard.decide(step))
    finally:
        guard.close()


def _shown(verdict: Verdict) -> dict[str, Any]:
    data: dict[str, Any] = encode(replace(verdict, edits=None, text=None))
    return data
