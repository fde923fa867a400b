"""Decide about steps by the current plan and record every decision."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from secrets import token_hex
from time import monotonic
from typing import Any, Final, Literal

from proctor.core.chat import ToolCall
from proctor.core.event import Event
from proctor.core.fast_dataclass import fast_constructor
from proctor.core.step import POINTS, Point
from proctor.core.verdict import Verdict
from proctor.guard.chain import Chain, Decision
from proctor.guard.escalation import EscalationHook
from proctor.guard.recorder import Recorder
from proctor.guard.step import Step
from proctor.guard.sync_bridge import SyncBridge
from proctor.guard.verdict_validation import FailAction, failure

__all__ = ["REPLIES", "Plan", "Watch"]

REPLIES: Final[Mapping[str, str]] = {
    "block": "I am sorry, I cannot help with that.",
    "escalate": "I am passing this on to a colleague, who will get back to you.",
}
_log = logging.getLogger(__name__)
_made: Final = fast_constructor(Event)
_MIN_EMBEDDED_CHARS: Final = 4  # a shorter value is hidden only as a whole word


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The settings of a guard: its chains, whether they act, the replies to the customer, and what is logged.

    ``sample`` is the share of allowed steps that people review too. ``version`` identifies the settings.
    """

    chains: Mapping[Point, Chain] = field(default_factory=dict)
    mode: Literal["enforce", "shadow"] = "enforce"
    on_failure: FailAction = "block"
    replies: Mapping[str, str] = field(default_factory=lambda: REPLIES)
    log: Literal["masked", "none"] = "masked"
    sample: float = 0.0
    version: str = ""


class Watch:
    """Runs steps through the chains of the current plan. The plan may be replaced at any time between two steps."""

    def __init__(self, plan: Plan, *, recorder: Recorder | None = None) -> None:
        self.plan, self.recorder, self.door = plan, recorder, SyncBridge()
        self.look: Callable[[], None] | None = None  # called before each step; loads a newer plan if there is one
        self.ready: Callable[[Step], Awaitable[None]] | None = None  # awaited while the plan's gates are cold
        self.hook: EscalationHook | None = None  # receives each escalated step
        self.unrecorded = 0
        self._owed = 0  # lost records that were not yet reported

    async def decide(self, step: Step, *, record: bool = True) -> Decision:
        """Return the decision about a step and the verdict of each gate. Never raises."""
        if self.look is not None:
            self.look()
        if (ready := self.ready) is not None:
            await ready(step)
        plan, begun = self.plan, monotonic()
        try:
            decision = await _chain(plan, step).decide(step)
        except Exception as error:
            action = "block" if isinstance(error, _MalformedCallError) else plan.on_failure
            told = failure("guard", plan.version, action, error)
            told = replace(told, gate=str(step.point), latency=monotonic() - begun, by="guard")
            decision = Decision(verdict=told)
        verdict = decision.verdict
        if plan.mode == "shadow":
            verdict = replace(verdict, action="allow", text=None, shadow=verdict)
        if record and not self._record(plan, step, verdict, decision.parts):
            verdict = replace(verdict, unrecorded=True)
        return decision if verdict is decision.verdict else Decision(verdict=verdict, parts=decision.parts)

    def note(self, name: str, **metadata: Any) -> None:
        """Record an event about the guard itself."""
        self._tell(Event(kind="note", time=datetime.now(UTC), name=name, metadata=metadata))

    def _record(self, plan: Plan, step: Step, verdict: Verdict, parts: tuple[Verdict, ...]) -> bool:
        key = token_hex(16)
        if self.hook is not None and verdict.action == "escalate":
            self._hand_over(self.hook, _event_or_bare(key, replace(plan, log="masked"), step, verdict, parts))
        if self.recorder is None:
            return True
        sampled = verdict.decided.action == "allow" and int(key[:8], 16) < plan.sample * 0x1_0000_0000
        borderline = any([part.borderline for part in parts])
        event = _event_or_bare(key, plan, step, verdict, parts)
        return self._tell(event, borderline=borderline, sampled=sampled)

    def _hand_over(self, hook: EscalationHook, event: Event) -> None:
        try:
            hook.escalated(event)
        except Exception as error:  # the decision stands even if the hook fails
            self.note("escalation_failed", id=event.id, error=type(error).__name__)

    def _tell(self, event: Event, *, borderline: bool = False, sampled: bool = False) -> bool:
        if self.recorder is None:
            return True
        try:
            self.recorder.record(event, borderline=borderline, sampled=sampled)
        except Exception as error:
            if not self._owed:
                _log.warning("decisions of the guard are not recorded: %s", type(error).__name__)
            self.unrecorded += 1
            self._owed += 1
            return False
        if self._owed:
            lost, self._owed = self._owed, 0
            self.note("records_lost", count=lost)
        return True


def _chain(plan: Plan, step: Step) -> Chain:
    """Return the chain for the step.

    Raises:
        ValueError: the step is invalid.
    """
    if not isinstance(step.text, str):
        raise ValueError(f"the text of the step is {type(step.text).__name__}, not text")
    if step.point not in POINTS:
        raise ValueError(f"there is no point {str(step.point)[:40]!r}")
    if step.call is None and step.point == "tool_call":
        raise ValueError("a step of tool_call has no call")
    if step.call is not None:
        _check_call(step.call, step.point)
    return plan.chains.get(step.point) or Chain(point=step.point, version=plan.version)


def _check_call(call: ToolCall, point: Point) -> None:
    """Refuse a call that gates could not read: its name must be one, and its arguments an object.

    Raises:
        _MalformedCallError: they are not.
    """
    name: Any = call.name
    if point == "tool_call" and not (isinstance(name, str) and name.strip()):
        given = "empty" if isinstance(name, str) else f"{type(name).__name__}, not text"
        raise _MalformedCallError(f"the name of the tool is {given}")
    if not isinstance(call.arguments, Mapping):
        raise _MalformedCallError(
            f"the arguments of the call are {type(call.arguments).__name__}, not a mapping of names to values"
        )


class _MalformedCallError(ValueError):
    """A call that no gate can read. It is blocked whatever ``on_failure`` is: with that it would pass unread."""


def _event_or_bare(key: str, plan: Plan, step: Step, verdict: Verdict, parts: tuple[Verdict, ...]) -> Event:
    try:
        return _event(key, plan, step, verdict, parts)
    except Exception:  # a step too broken to describe
        return Event(kind="gate", time=datetime.now(UTC), id=key, name=str(step.point), verdict=verdict)


def _event(key: str, plan: Plan, step: Step, verdict: Verdict, parts: tuple[Verdict, ...]) -> Event:
    told: dict[str, Any] = {"parts": parts, "mode": plan.mode, "turn": step.memory.turns, "sample": plan.sample}
    if step.intents:
        told["intents"] = list(step.intents)
    if step.call is not None:
        told["tool"] = step.call.name
    if plan.log == "none":
        verdict, told["parts"] = verdict.without_words(), tuple(part.without_words() for part in parts)
    else:
        told["text"] = step.text
        if step.call is not None:
            held = step.memory.placeholders.forms() if len(step.memory.placeholders) else {}
            arguments, found = _hidden(step.call.arguments, held)
            found |= {value for value in held if value in step.text}
            told["call"] = {"name": step.call.name, "arguments": arguments}
            if found:  # the log masks text that quotes them
                known = tuple((held[value][1:-1], value) for value in found)
                verdict = replace(verdict, personal=(*verdict.personal, *known))
    return _made(
        kind="gate",
        time=datetime.now(UTC),
        id=key,
        session=step.memory.session or None,
        customer=step.memory.customer,
        intent=step.intents[0] if step.intents else None,
        name=step.point,
        verdict=verdict,
        value=verdict.latency,
        metadata=told,
    )


def _hidden(value: Any, held: Mapping[str, str]) -> tuple[Any, set[str]]:
    """Return arguments with the session's restored values replaced by placeholders again, and those values.

    No pattern recognises a PIN or a birth date that stands alone.
    """
    known = sorted((each for each in held if len(each) > 1), key=len, reverse=True)
    if not known or not value:
        return value, set()
    every = re.compile(
        "|".join(re.escape(each) if len(each) >= _MIN_EMBEDDED_CHARS else rf"\b{re.escape(each)}\b" for each in known)
    )
    found: set[str] = set()

    def placeholder(hit: re.Match[str]) -> str:
        found.add(hit.group())
        return held[hit.group()]

    def walk(each: Any) -> Any:
        if isinstance(each, str):
            return every.sub(placeholder, each)
        if isinstance(each, Mapping):
            return {walk(key): walk(item) for key, item in each.items()}
        return [walk(item) for item in each] if isinstance(each, (list, tuple)) else each

    return walk(value), found
