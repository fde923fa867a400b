"""Apply the guard's verdicts to a turn: texts replaced, calls refused, verdicts recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from proctor.core.chat import GUARD_STOP, Message, ToolCall
from proctor.core.trajectory import Escalation, Turn
from proctor.core.verdict import ACTION_RANK, Verdict
from proctor.guard.current_session import Running
from proctor.guard.session import Session, passed
from proctor.guard.vault import Vault

__all__ = ["answered", "held_turn", "watched"]


def held_turn(session: Session, asked: str, verdict: Verdict) -> Turn:
    """Return the turn of an input that was blocked: the configured reply and the verdict."""
    said = (Message(role="user", content=asked), Message(role="assistant", content=session.refusal(verdict)))
    return Turn(
        messages=said,
        verdicts=(verdict,),
        latency=verdict.latency,
        escalation=_escalation(verdict),
        extra={"held_back": "input"},
    )


async def answered(
    session: Session, turn: Turn, running: Running, verdict: Verdict, asked: str, vault: Vault | None
) -> Turn:
    """Return the agent's turn as the customer gets it, with every verdict on it.

    Calls that the guard checked when they were made are not checked again. Others are checked now: a call that was only
    requested is refused, and one that was already made is marked as such.
    """
    if turn.intents:
        session.intents = (intent.name for intent in turn.intents)
    calls, after = await _calls(session, turn, running.calls)
    held = [each for each in after if not passed(each)]
    messages: list[Message] = []
    outs: list[Verdict] = []
    for message in turn.messages:
        if message.role != "assistant" or not message.content:
            messages.append(_as_asked(message, verdict, asked))
            continue
        out = await session.output(message.content, sources=turn.sources, section=_section(turn.extra))
        outs.append(out)
        stopped = max((each for each in (*held, out) if not passed(each)), key=_strength, default=None)
        words = session.refusal(stopped) if stopped is not None else message.content if out.text is None else out.text
        messages.append(replace(message, content=words if vault is None else vault.restore(words)))
    stopped = max((each for each in (*held, *outs) if not passed(each)), key=_strength, default=None)
    return replace(
        turn,
        messages=tuple(messages),
        tool_calls=calls,
        verdicts=(*turn.verdicts, verdict, *running.verdicts, *after, *outs),
        escalation=turn.escalation or (_escalation(stopped) if stopped is not None else None),
        extra=turn.extra if stopped is None else {**turn.extra, "held_back": stopped.gate},
    )


async def watched(session: Session, turn: Turn) -> Turn:
    """Return a recorded turn with the verdicts it would have had; its texts and calls stay unchanged."""
    if turn.intents:
        session.intents = (intent.name for intent in turn.intents)
    intents = session.intents
    verdicts = [await session.input(turn.asked)] if turn.asked else []
    session.intents = intents
    for call in turn.tool_calls:
        verdicts += await _call(session, call)
    for message in turn.messages:
        if message.role == "assistant" and message.content:
            out = await session.output(message.content, sources=turn.sources, section=_section(turn.extra))
            verdicts.append(out)
    kept = (replace(each, shadow=each.shadow or True) for each in verdicts)
    return replace(turn, verdicts=(*turn.verdicts, *kept))


async def _calls(session: Session, turn: Turn, made: Iterable[ToolCall]) -> tuple[tuple[ToolCall, ...], list[Verdict]]:
    """Return the calls of the turn, and the verdicts on those that the guard had not checked yet."""
    seen = list(made)
    calls: list[ToolCall] = []
    after: list[Verdict] = []
    for call in turn.tool_calls:
        known = next((each for each in seen if each.name == call.name and each.arguments == call.arguments), None)
        if known is not None:
            seen.remove(known)
            stop = {name: value for name, value in known.extra.items() if name == GUARD_STOP}
            calls.append(replace(call, extra={**call.extra, **stop}) if stop else call)
            continue
        said = [replace(each, extra={**each.extra, "after_the_fact": True}) for each in await _call(session, call)]
        after += said
        calls.append(_marked(call, said[0]))
    return (*calls, *seen), after


async def _call(session: Session, call: ToolCall) -> list[Verdict]:
    said = [await session.tool_call(call.name, call.arguments, id=call.id)]
    if call.result is not None:
        said.append(await session.tool_result(call.name, call.result, call.arguments, id=call.id))
    return said


def _marked(call: ToolCall, verdict: Verdict) -> ToolCall:
    if passed(verdict):
        return call
    if call.result is None and call.error is None:
        error = f"refused by the guard: {verdict.reason}"
        return replace(call, error=error, extra={**call.extra, GUARD_STOP: "tool_call"})
    return replace(call, extra={**call.extra, "guard": "made before the guard could refuse it"})


def _as_asked(message: Message, verdict: Verdict, asked: str) -> Message:
    """Return the customer's original message if the agent got a changed text."""
    if message.role == "user" and verdict.text is not None and verdict.text in message.content:
        return replace(message, content=message.content.replace(verdict.text, asked))
    return message


def _escalation(verdict: Verdict) -> Escalation | None:
    if verdict.action != "escalate":
        return None
    kind = verdict.findings[0].kind if verdict.findings else None
    return Escalation(reason=verdict.reason, category=kind)


def _section(extra: Mapping[str, Any]) -> str | None:
    found = extra.get("section")
    return found if isinstance(found, str) else None


def _strength(verdict: Verdict) -> int:
    return ACTION_RANK[verdict.action]
