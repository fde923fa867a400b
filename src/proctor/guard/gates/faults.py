"""Ask the optional large network whether the draft is a fault, given the whole session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from proctor.core.chat import Message
from proctor.core.sockets import socket
from proctor.core.step import Point
from proctor.core.talk_event import FAULT_WORDS, FaultReader, TalkEvent, call_event, source_events
from proctor.core.verdict import Finding, Verdict
from proctor.guard.step import Step

__all__ = ["Faults"]

_LONGEST: Final = 60_000  # characters of a draft that are looked at
_MAX_QUOTE_CHARS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Stops a draft that reads like a fault after all that was said, read and done in the session."""

    name: ClassVar[str] = "faults"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("output",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = "threshold"

    threshold: float = 0.8
    action: Literal["flag", "block", "escalate"] = "escalate"
    faults: FaultReader | None = socket(optional=True)

    def __post_init__(self) -> None:
        if not 0.0 < self.threshold <= 1.0:
            raise ValueError(f"threshold is {self.threshold:g}; it is a probability above 0, at most 1")
        if self.faults is None:
            raise ValueError("it needs the optional large network, which is off")

    async def check(self, step: Step) -> Verdict:
        """Read the session and the draft as its last act."""
        if not step.text.strip() or self.faults is None:
            return Verdict(action="allow", gate=self.name, version=self.version, reason="the draft is empty")
        read = await self.faults.faults(_events(step))
        last = read[-1]  # earlier messages were already sent
        if last.probability < self.threshold:
            told = {"probability": round(last.probability, 4)}
            return Verdict(action="allow", gate=self.name, version=self.version, extra=told)
        reason = f"the draft {FAULT_WORDS[last.kind]} (probability {last.probability:.2f})"
        finding = Finding(
            kind=last.kind,
            detector=self.name,
            text=step.text[:_MAX_QUOTE_CHARS],
            start=0,
            end=len(step.text),
            confidence=round(last.probability, 4),
            severity="high",
            reason=reason,
        )
        return Verdict(
            action="allow" if self.action == "flag" else self.action,
            gate=self.name,
            version=self.version,
            reason=reason,
            findings=(finding,),
            borderline=self.action == "flag",
        )


def _events(step: Step) -> list[TalkEvent]:
    """Return the sources, what was said and done in its order, and the draft."""
    memory = step.memory
    events = source_events((*memory.sources, *step.sources))
    for each in memory.talk:
        if not isinstance(each, Message):
            events.append(call_event(each))
        elif each.content.strip():
            events.append(TalkEvent(who="customer" if each.role == "user" else "agent", text=each.content))
    return [*events, TalkEvent(who="agent", text=step.text[:_LONGEST])]
