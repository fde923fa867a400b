"""Build a conversation from the steps of a tracing tool: model calls, tool calls, retrievals, whole exchanges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from proctor.core.chat import ToolCall, Usage
from proctor.core.trajectory import Source, Turn
from proctor.suites.conversations.merge_calls import CallMerger
from proctor.suites.conversations.messages import LoggedMessage
from proctor.suites.conversations.turns import turns_of

__all__ = ["AgentStep", "Kind", "new_turns", "turns_of_steps"]

Kind = Literal["model", "tool", "retrieval", "exchange"]
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStep:
    """One step of an agent. ``sent`` and ``got`` are messages; a tool call carries its result or error."""

    kind: Kind
    name: str = ""
    start: datetime | None = None
    end: datetime | None = None
    sent: Sequence[LoggedMessage] = ()
    got: Sequence[LoggedMessage] = ()
    call: ToolCall | None = None
    sources: tuple[Source, ...] = ()
    usage: Usage | None = None
    cost: float | None = None
    error: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def turns_of_steps(steps: Iterable[AgentStep]) -> tuple[Turn, ...]:
    """Build the turns of a conversation from all its steps.

    The messages come from the model calls. If there are several kinds of calls (one that answers and one that only
    classifies the question, for example), they come from the one with the longest history; the others are stored beside
    the turn they were made in. If no model call was recorded with its messages, whole exchanges are used instead.
    """
    return tuple(_built(steps)[0])


def new_turns(steps: Iterable[AgentStep]) -> tuple[Turn, ...]:
    """Build the turns that these steps answered; earlier ones, which a model call only repeats, are left out."""
    turns, main = _built(steps)
    return tuple(turns[_earlier_turns(main[0].sent) :] if main else turns)


def _built(steps: Iterable[AgentStep]) -> tuple[list[Turn], list[AgentStep]]:
    ordered = sorted(steps, key=lambda step: step.start or step.end or _LONG_AGO)
    talking = [step for step in ordered if step.kind == "model" and (step.sent or step.got)]
    main, others = _main_line(talking)
    if not main:
        main = [step for step in ordered if step.kind == "exchange" and (step.sent or step.got)]
    weaving = CallMerger()
    for step in main:
        weaving.add([*_timed(step.sent, step.start), *_timed(_measured(step), step.end)])
    turns = list(turns_of(weaving.said))
    ends = [_end_of(turn, step_ends) for turn, step_ends in zip(turns, _ends(weaving.said, turns), strict=True)]
    made_in: dict[int, list[AgentStep]] = {}
    for step in ordered:
        if turns and (at := _turn_at(step, ends)) is not None:
            made_in.setdefault(at, []).append(step)
    for at, during in made_in.items():
        turns[at] = _with_steps(turns[at], during, others)
    return turns, main


def _earlier_turns(sent: Sequence[LoggedMessage]) -> int:
    """Return how many turns had ended before a call that was sent these messages."""
    turns, asked, answered = 0, False, False
    for said in sent:
        role = said.message.role
        if said.aside is not None:
            continue
        if not turns or (role == "user" and answered):
            turns, asked, answered = turns + 1, False, False
        asked = asked or role == "user"
        answered = answered or (asked and role in ("assistant", "tool") and not said.by_user)
    return max(turns - 1, 0)


def _measured(step: AgentStep) -> list[LoggedMessage]:
    return CallMerger.measured(step.got, usage=step.usage, cost=step.cost)


def _main_line(calls: list[AgentStep]) -> tuple[list[AgentStep], list[AgentStep]]:
    lines: dict[str, list[AgentStep]] = {}
    for call in calls:
        system = next((said.message.content for said in call.sent if said.message.role == "system"), "")
        lines.setdefault(system, []).append(call)
    if len(lines) < 2:
        return calls, []
    main = max(lines.values(), key=lambda line: (max(len(call.sent) for call in line), len(line)))
    return main, [call for call in calls if call not in main]


def _timed(said: Iterable[LoggedMessage], time: datetime | None) -> list[LoggedMessage]:
    return [each if each.time or time is None else _at_time(each, time) for each in said]


def _at_time(said: LoggedMessage, time: datetime) -> LoggedMessage:
    # `replace` takes four times as long, and this is done for every message of every call
    return LoggedMessage(
        message=said.message,
        error=said.error,
        time=time,
        usage=said.usage,
        cost=said.cost,
        by_user=said.by_user,
        aside=said.aside,
        call=said.call,
        extra=said.extra,
    )


def _ends(said: Sequence[LoggedMessage], turns: Sequence[Turn]) -> list[list[datetime]]:
    """Return the times of each turn's messages, which have the same order in ``said`` and in the turns."""
    left = iter(each for each in said if each.aside is None)
    return [[each.time for _, each in zip(turn.messages, left, strict=False) if each.time] for turn in turns]


def _end_of(turn: Turn, times: list[datetime]) -> datetime | None:
    return max(times, default=turn.time)


def _turn_at(step: AgentStep, ends: Sequence[datetime | None]) -> int | None:
    """Return the first turn that had not ended when the step began; the last if that is unknown."""
    if step.start is None:
        return len(ends) - 1
    return next((at for at, end in enumerate(ends) if end is not None and end >= step.start), len(ends) - 1)


def _with_steps(turn: Turn, steps: Sequence[AgentStep], others: Sequence[AgentStep]) -> Turn:
    """Return a turn with what its steps say: passages, tool calls, an error, and calls beside the conversation."""
    sources, calls, error = turn.sources, turn.tool_calls, turn.error
    kept: list[Any] = []
    for step in steps:
        if step.kind == "retrieval":
            known = {source.id for source in sources}
            sources = (*sources, *(each for each in step.sources if each.id not in known))
        elif step.kind == "tool" and step.call is not None:
            calls = _with_call(calls, step.call)
        elif step in others:
            kept.append(_shown(step))
        if step.error and step.kind in ("model", "exchange"):
            error = error or step.error
    if sources is turn.sources and calls is turn.tool_calls and error is turn.error and not kept:
        return turn
    extra = {**turn.extra, "other_calls": [*turn.extra.get("other_calls", ()), *kept]} if kept else turn.extra
    return replace(turn, sources=sources, tool_calls=calls, error=error, extra=extra)


def _shown(step: AgentStep) -> dict[str, Any]:
    """Return a call outside the conversation in the form it is stored."""
    sent = [{"role": said.message.role, "content": said.message.content} for said in step.sent]
    return {"name": step.name, "sent": sent, "got": "\n".join(said.message.content for said in step.got)}


def _with_call(calls: tuple[ToolCall, ...], done: ToolCall) -> tuple[ToolCall, ...]:
    """Return the calls, one completed by a tool's own step, or with that step as an additional call."""
    for at, call in enumerate(calls):
        same = call.id == done.id if call.id and done.id else call.name == done.name and _same(call, done)
        if same and call.latency is None:
            known = call.result is not None or call.error is not None
            more = {} if known else {"result": done.result, "error": done.error}
            return (*calls[:at], replace(call, latency=done.latency, **more), *calls[at + 1 :])
    return (*calls, done)


def _same(one: ToolCall, other: ToolCall) -> bool:
    return not one.arguments or not other.arguments or one.arguments == other.arguments
