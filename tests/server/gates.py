"""A small gate with words of its own, and guards made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from proctor.core.event import Event
from proctor.core.step import POINTS
from proctor.core.verdict import Edit, Finding, Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.edits import apply
from proctor.guard.engine import Plan
from proctor.guard.step import Step
from proctor.wiring.guard import Guard

REPLY = "I cannot say that."
HANDOFF = "A colleague will answer."


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Blocks ATTACK and tools named drop_*, hands LAWYER over, masks SECRET-1 and the like."""

    name: ClassVar[str] = "words"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = POINTS
    pure: ClassVar[bool] = False

    async def check(self, step: Step) -> Verdict:
        told = step.text if step.call is None or step.point != "tool_call" else step.call.name
        if step.point == "tool_call" and told.startswith("drop_"):
            return self._said("block", step, "the tool destroys things")
        if "ATTACK" in told:
            return self._said("block", step, "an attack")
        if "LAWYER" in told:
            return self._said("escalate", step, "a lawyer is named")
        found = list(re.finditer(r"SECRET-\w+", told))
        if not found or step.point == "tool_call":
            return Verdict(action="allow", gate="words")
        edits = tuple(Edit(start=each.start(), end=each.end(), text="[SECRET]") for each in found)
        findings = tuple(Finding(kind="secret", text=each[0], start=each.start(), end=each.end()) for each in found)
        return Verdict(
            action="redact",
            gate="words",
            findings=findings,
            reason="a secret",
            text=apply(step.text, edits),
            edits=edits,
        )

    def _said(self, action: Any, step: Step, reason: str) -> Verdict:
        return Verdict(action=action, gate="words", reason=reason, findings=(Finding(kind="word", reason=reason),))


class BreaksOnce:
    """Fails at the first "hi", and lets everything through from then on."""

    name: ClassVar[str] = "breaks"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = POINTS
    pure: ClassVar[bool] = False

    def __init__(self) -> None:
        self.asked = 0

    async def check(self, step: Step) -> Verdict:
        self.asked += step.text == "hi"
        if step.text == "hi" and self.asked == 1:
            raise RuntimeError("broken")
        return Verdict(action="allow", gate=self.name)


class Kept:
    """Keeps what is put on record."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def record(self, event: Event, *, borderline: bool, sampled: bool) -> None:
        self.events.append(event)

    def texts(self, point: str) -> list[Any]:
        return [event.metadata.get("text") for event in self.events if event.name == point]


def make_guard(**settings: Any) -> tuple[Guard, Kept]:
    """A guard with the gate at every point, and its record."""
    kept = Kept()
    chains = {point: Chain(point=point, posts=(Post(gate=Words(), name="words", timeout=5.0),)) for point in POINTS}
    plan = Plan(chains=chains, replies={"block": REPLY, "escalate": HANDOFF}, **settings)
    return Guard(plan, recorder=kept), kept
