"""The session of the running turn, and tools that ask it before they do anything."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, overload

from proctor.core.chat import ToolCall
from proctor.core.errors import ToolRefused
from proctor.core.verdict import Verdict
from proctor.guard.session import Session, passed
from proctor.guard.vault import Vault

__all__ = ["Running", "current", "guarded_tool", "turn_of"]

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(slots=True, kw_only=True)
class Running:
    """A turn that is being answered: its session, what was decided in it so far, and the calls that were made."""

    session: Session
    vault: Vault | None = None
    verdicts: list[Verdict] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)


_RUNNING: ContextVar[Running | None] = ContextVar("proctor.guard.running", default=None)


def current() -> Session | None:
    """The session of the running turn; none outside of one. A thread that a turn starts needs the context handed on."""
    running = _RUNNING.get()
    return None if running is None else running.session


@contextmanager
def turn_of(session: Session, *, vault: Vault | None = None, running: Running | None = None) -> Iterator[Running]:
    """Everything inside belongs to a turn of this session: guarded tools find it there.

    ``running`` is the turn itself where it is entered again, as for each piece of a streamed answer.
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
    """Let a tool be called only when the session of the running turn permits it, and check what it answers.

    ``name`` is the tool's name where it is not the function's. ``outside`` is for calls in no guarded turn.
    Placeholders in the arguments are restored where the turn has a vault: a tool needs the real number.

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
    """What is known of a guarded tool beside the function itself."""

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
            running.calls.append(ToolCall(name=self.name, arguments=arguments, error=refused))
            raise ToolRefused(f"{self.name} was not called: {verdict.reason}", verdict=verdict)

    async def told(self, running: Running, bound: inspect.BoundArguments, result: Any) -> Any:
        arguments = self._told_to_gates(bound)
        verdict = await running.session.tool_result(self.name, result, arguments)
        running.verdicts.append(verdict)
        call = ToolCall(name=self.name, arguments=arguments)
        if not passed(verdict):
            running.calls.append(replace(call, error=f"held back by the guard: {verdict.reason}"))
            raise ToolRefused(f"what {self.name} answered is held back: {verdict.reason}", verdict=verdict)
        told = result if verdict.text is None else _as_before(result, verdict.text)
        running.calls.append(replace(call, result=told))
        return told

    def _told_to_gates(self, bound: inspect.BoundArguments) -> dict[str, Any]:
        """The arguments by name, without the object that a method belongs to."""
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
    """A changed result in the shape that it had: data where it was data and still reads as such."""
    if isinstance(result, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
