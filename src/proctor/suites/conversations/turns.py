"""Group messages into turns, and match tool results with their calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from proctor.core.chat import ToolCall, Usage
from proctor.core.trajectory import Turn
from proctor.suites.conversations.log_metadata import metadata_fields
from proctor.suites.conversations.messages import LoggedMessage, result_of

__all__ = ["turns_of"]


def turns_of(messages: Iterable[LoggedMessage]) -> tuple[Turn, ...]:
    """Group messages into turns.

    A turn begins with a user message and ends before the next one; agent messages before the first user message belong
    to the first turn. The agent's calls carry their results. A call by the user (some benchmarks give the customer
    tools too) stays on the user's message, with its result, and is not among the agent's.
    """
    turns: list[_Open] = []
    for said in messages:
        if said.aside is not None:
            turns = turns or [_Open()]
            turns[-1].asides.append({**said.aside, "after": len(turns[-1].said)})
            continue
        if not turns or (said.message.role == "user" and turns[-1].answered):
            turns.append(_Open())
        if said.message.role == "tool":
            _settle(turns, said)
        turns[-1].add(said)
    return tuple(turn.closed() for turn in turns)


class _Open:
    """A turn under construction."""

    def __init__(self) -> None:
        self.said: list[LoggedMessage] = []
        self.calls: list[ToolCall] = []
        self.open: list[int] = []  # calls without a result yet
        self.user_calls: list[tuple[int, ToolCall]] = []
        self.asides: list[Mapping[str, Any]] = []
        self._asked = False
        self.answered = False

    def add(self, said: LoggedMessage) -> None:
        role = said.message.role
        self._asked = self._asked or role == "user"
        self.answered = self.answered or (self._asked and role in ("assistant", "tool") and not said.by_user)
        if role == "assistant":
            for call in said.message.tool_calls:
                self.open.append(len(self.calls))
                self.calls.append(call)
        self.said.append(said)
        if role == "user":
            self.user_calls += [(len(self.said) - 1, call) for call in said.message.tool_calls]

    def closed(self) -> Turn:
        usages = [said.usage for said in self.said if said.usage]
        costs = [said.cost for said in self.said if said.cost is not None and said.message.role == "assistant"]
        times = [said.time for said in self.said if said.time]
        messages = tuple(said.message for said in self.said)
        beside = metadata_fields(messages)
        waited = _waited(self.said)
        return Turn(
            messages=messages,
            tool_calls=tuple(self.calls),
            usage=sum(usages, Usage()) if usages else None,
            cost=sum(costs) if costs else None,
            latency=beside.pop("latency", None) if waited is None else waited,
            time=times[0] if times else None,
            extra={"asides": self.asides} if self.asides else {},
            **{name: value for name, value in beside.items() if name != "latency"},
        )


def _waited(said: Sequence[LoggedMessage]) -> float | None:
    """Return the seconds from the user's last message to the agent's last."""
    asked = _last(said, "user")
    answered = _last(said, "assistant")
    if asked is None or answered is None:
        return None
    try:
        waited = (answered - asked).total_seconds()
    except TypeError:
        return None
    return waited if waited >= 0 else None


def _last(said: Sequence[LoggedMessage], role: str) -> datetime | None:
    return next((each.time for each in reversed(said) if each.message.role == role and each.time), None)


def _settle(turns: list[_Open], said: LoggedMessage) -> None:
    """Assign a result to its call: by id, else by tool name, else the oldest without a result."""
    if said.by_user:
        _settle_user(turns[-1], said)
        return
    message = said.message
    waiting = [(turn, at) for turn in reversed(turns) for at in turn.open]
    chosen = next(
        ((turn, at) for turn, at in waiting if message.tool_call_id and turn.calls[at].id == message.tool_call_id), None
    )
    if chosen is None:
        free = [(turn, at) for turn, at in waiting if not (message.tool_call_id and turn.calls[at].id)]
        named = [(turn, at) for turn, at in free if message.name and turn.calls[at].name == message.name]
        chosen = next(iter(named), None) or (next(iter(free), None) if not message.name else None)
    if chosen is None:
        made = said.call or ToolCall(name=message.name or "unknown", id=message.tool_call_id)
        turns[-1].calls.append(_with_result(made, said))
        return
    turn, at = chosen
    turn.calls[at] = _with_result(turn.calls[at], said)
    turn.open.remove(at)


def _settle_user(turn: _Open, said: LoggedMessage) -> None:
    for index, (at, call) in enumerate(turn.user_calls):
        if said.message.tool_call_id is None or call.id == said.message.tool_call_id:
            done = _with_result(call, said)
            before = turn.said[at]
            calls = tuple(done if each is call else each for each in before.message.tool_calls)
            turn.said[at] = replace(before, message=replace(before.message, tool_calls=calls))
            del turn.user_calls[index]
            return


def _with_result(call: ToolCall, said: LoggedMessage) -> ToolCall:
    if said.error is not None:
        return replace(call, error=said.error)
    return replace(call, result=result_of(said.message.content))
