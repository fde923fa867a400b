"""Limit how often a session calls tools, and detect repeated calls."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from threading import Lock
from typing import ClassVar, Final, Literal

from proctor.core.chat import ToolCall
from proctor.core.fast_dataclass import fast_constructor
from proctor.core.sockets import socket
from proctor.core.step import Point
from proctor.core.verdict import Finding, Verdict
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step
from proctor.guard.tool_settings import ByTool, call_of, call_text

__all__ = ["Rate"]

_MAX_SESSIONS: Final = 10_000  # whose calls of the last minute are kept; the least recently used are dropped
_MINUTE_SECONDS: Final = 60.0
_LOOP_WINDOW: Final = 24  # how many calls back to search for the same call
_verdict: Final = fast_constructor(Verdict)


class _Clocked:
    """The times of each session's calls, as far as a limit needs them."""

    __slots__ = ("_lock", "_sessions", "limits")

    def __init__(self, limits: Mapping[str, int]) -> None:
        self.limits = ByTool(limits)
        self._lock = Lock()
        self._sessions: OrderedDict[object, tuple[Memory, dict[str, deque[float]]]] = OrderedDict()

    def over(self, memory: Memory, tool: str, now: float) -> tuple[str, int] | None:
        """Return the limit that this call would exceed, or count the call and return None."""
        limits = self.limits.of(tool)
        if not limits:
            return None
        with self._lock:
            times = self._of(memory)
            for pattern, most in limits:
                seen = times.get(pattern)
                if seen is None:
                    seen = times[pattern] = deque()
                while seen and seen[0] <= now - _MINUTE_SECONDS:
                    seen.popleft()
                if len(seen) >= most:
                    return pattern, most
            for pattern, _ in limits:
                times[pattern].append(now)
        return None

    def _of(self, memory: Memory) -> dict[str, deque[float]]:
        # An unnamed memory is keyed by its id and kept alive, so that the id is not reused.
        key: object = memory.session or id(memory)
        kept = self._sessions.get(key)
        if kept is None:
            while len(self._sessions) >= _MAX_SESSIONS:
                self._sessions.popitem(last=False)
            kept = self._sessions[key] = (memory, {})
        else:
            self._sessions.move_to_end(key)
        return kept[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Limits how often a session calls a tool, and stops the same call from repeating."""

    name: ClassVar[str] = "rate"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("tool_call",)
    pure: ClassVar[bool] = True
    primary: ClassVar[str | None] = None  # a mapping after the name is its settings

    session: Mapping[str, int] = field(default_factory=dict)
    minute: Mapping[str, int] = field(default_factory=lambda: {"*": 60})
    same: int = 5
    action: Literal["block", "escalate"] = "block"
    clock: Callable[[], float] | None = socket(optional=True)
    _by_session: ByTool[int] = field(init=False, repr=False, compare=False)
    _by_minute: _Clocked = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, limits in (("session", self.session), ("minute", self.minute)):
            for tool, most in limits.items():
                if most < 0:
                    raise ValueError(f"{name}.{tool} is {most}; a limit is 0 or more")
        if self.same < 1:
            raise ValueError(f"same is {self.same}; a call may be made at least once")
        object.__setattr__(self, "_by_session", ByTool(self.session))
        object.__setattr__(self, "_by_minute", _Clocked(self.minute))

    async def check(self, step: Step) -> Verdict:
        """Count the session's calls; the call that would exceed a limit is stopped."""
        call = call_of(step)
        found = self._passed(call, step.memory)
        if found is None:
            return _verdict(action="allow", gate=self.name, version=self.version)
        kind, reason = found
        finding = Finding(
            kind=kind, detector=self.name, text=call_text(call), confidence=1.0, severity="medium", reason=reason
        )
        return Verdict(
            action=self.action,
            gate=self.name,
            version=self.version,
            reason=reason,
            findings=(finding,),
            extra={"anomaly": True, "tool": call.name[:80]},
        )

    def _passed(self, call: ToolCall, memory: Memory) -> tuple[str, str] | None:
        """Return the first limit that the call would exceed: its kind, and a sentence about it."""
        name = call.name
        for pattern, most in self._by_session.of(name):
            if _made(memory.made, pattern, name) >= most:
                return "too_many_calls", f"{pattern} may be called {most} times in a session, and was"
        if len(memory.calls) >= self.same:
            repeated = [each.arguments for each in list(memory.calls)[-_LOOP_WINDOW:] if each.name == name].count(
                call.arguments
            )
            if repeated >= self.same:
                return "loop", f"{name[:80]} was called {repeated} times with the same arguments"
        over = self._by_minute.over(memory, name, (self.clock or time.monotonic)())
        return None if over is None else ("too_fast", f"{over[0]} may be called {over[1]} times a minute, and was")


def _made(made: Counter[str], pattern: str, name: str) -> int:
    if pattern == name:
        return made[name]
    return sum(count for tool, count in made.items() if fnmatchcase(tool, pattern))
