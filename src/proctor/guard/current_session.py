"""The session of the running turn, and a decorator for tools that ask it for permission."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, overload

from proctor.core.chat import GUARD_STOP, ToolCall
from proctor.core.errors import ToolRefused
from proctor.core.verdict import Verdict
from proctor.guard.session import Session, passed
from proctor.guard.vault import Vault

__all__ = ["Running", "current", "guarded_tool", "turn_of"]

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(slots=True, kw_only=True)
class Running:
    """A turn in progress: its session, the verdicts so far, and the calls made."""

    session: Session
    vault: Vault | None = None
    verdicts: list[Verdict] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)


_RUNNING: ContextVar[Running | None] = ContextVar("proctor.guard.running", default=None)


def current() -> Session | None:
    """Return the session of the running turn; None outside of one. Threads need the context passed on."""
    running = _RUNNING.get()
    return None if running is None else running.session


@contextmanager
def turn_of(session: Session, *, vault: Vault | None = None, running: Running | None = None) -> Iterator[Running]:
    """Run the body as a turn of this session, where guarded tools find it.

    ``running`` is the turn itself when it is entered again, as for each piece of a streamed answer.
    """
    running = running or Running(session=session, vault=vault)
    token = _RUNNING.set(running)
    try:
        yield running
    finally:
        _RUNNING.reset(token)


@overload
def guarded_tool(function: Function) -> Function: ...
@overload
def guarded_tool(
    *, name: str | None = None, outside: Literal["refuse", "allow"] = "refuse"
) -> Callable[[Function], Function]: ...


def guarded_tool(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    outside: Literal["refuse", "allow"] = "refuse",
) -> Any:
    """Allow a tool call only if the session of the running turn permits it, and check its result.

    ``name`` is the tool's name if it differs from the function's. ``outside`` is for calls outside a guarded turn.
    Placeholders in the arguments are restored if the turn has a vault: a tool needs the real number.

    Raises:
        ToolRefused: the guard did not permit the call, or held its result back.
    """
    if function is None:
        return lambda given: _wrapped(given, name, outside)
    return _wrapped(function, name, outside)


def _wrapped(function: Callable[..., Any], name: str | None, outside: Literal["refuse", "allow"]) -> Callable[..., Any]:
    tool = _Tool(name=name or function.__name__, signature=inspect.signature(function), outside=outside)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def call(*args: Any, **named: Any) -> Any:
            running = tool.turn()
            if running is None:
                return await function(*args, **named)
            bound = tool.bound(running, args, named)
            await tool.ask(running, bound)
            return await tool.told(running, bound, await function(*bound.args, **bound.kwargs))

        return call

    @functools.wraps(function)
    def call_now(*args: Any, **named: Any) -> Any:
        running = tool.turn()
        if running is None:
            return function(*args, **named)
        door, bound = running.session.door, tool.bound(running, args, named)
        door.run(tool.ask(running, bound))
        return door.run(tool.told(running, bound, function(*bound.args, **bound.kwargs)))

    return call_now


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    """The name, signature and settings of a guarded tool."""

    name: str
    signature: inspect.Signature
    outside: Literal["refuse", "allow"]

    def turn(self) -> Running | None:
        running = _RUNNING.get()
        if running is None and self.outside == "refuse":
            hint = "call it inside a guarded turn, or decorate it with guarded_tool(outside='allow')"
            raise ToolRefused(f"{self.name} was called outside of a guarded turn", hint=hint)
        return running

    def bound(self, running: Running, args: tuple[Any, ...], named: Mapping[str, Any]) -> inspect.BoundArguments:
        bound = self.signature.bind(*args, **named)
        if running.vault is not None:
            for name, value in bound.arguments.items():
                bound.arguments[name] = _restored(value, running.vault)
        return bound

    async def ask(self, running: Running, bound: inspect.BoundArguments) -> None:
        arguments = self._told_to_gates(bound)
        verdict = await running.session.tool_call(self.name, arguments)
        running.verdicts.append(verdict)
        if not passed(verdict):
            refused = f"refused by the guard: {verdict.reason}"
            mark = {GUARD_STOP: "tool_call"}
            running.calls.append(ToolCall(name=self.name, arguments=arguments, error=refused, extra=mark))
            raise ToolRefused(f"{self.name} was not called: {verdict.reason}", verdict=verdict)

    async def told(self, running: Running, bound: inspect.BoundArguments, result: Any) -> Any:
        arguments = self._told_to_gates(bound)
        verdict = await running.session.tool_result(self.name, result, arguments)
        running.verdicts.append(verdict)
        call = ToolCall(name=self.name, arguments=arguments)
        if not passed(verdict):
            held = f"held back by the guard: {verdict.reason}"
            running.calls.append(replace(call, error=held, extra={GUARD_STOP: "tool_result"}))
            raise ToolRefused(f"what {self.name} answered is held back: {verdict.reason}", verdict=verdict)
        told = result if verdict.text is None else _as_before(result, verdict.text)
        running.calls.append(replace(call, result=told))
        return told

    def _told_to_gates(self, bound: inspect.BoundArguments) -> dict[str, Any]:
        """Return the arguments by name, without ``self`` or ``cls``."""
        told: dict[str, Any] = {}
        for place, (name, value) in enumerate(bound.arguments.items()):
            if self.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                told.update(value)
            elif place > 0 or name not in ("self", "cls"):
                told[name] = value
        return told


def _restored(value: Any, vault: Vault) -> Any:
    if isinstance(value, str):
        return vault.restore(value)
    if type(value) is dict:
        return {key: _restored(item, vault) for key, item in value.items()}
    return type(value)(_restored(item, vault) for item in value) if type(value) in (list, tuple) else value


def _as_before(result: Any, text: str) -> Any:
    """Return a changed result in its original form: data if it was data and still parses."""
    if isinstance(result, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
