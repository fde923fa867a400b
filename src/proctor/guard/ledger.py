"""Record a step in the session after it passed, and drop claims that a tool result confirms."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Source
from proctor.guard.session_memory import KEPT, KEPT_LETTERS, Memory
from proctor.guard.step import Step
from proctor.lexicon.promise_claims import Asserted, topic_of

__all__ = ["result_text", "standing", "unconfirmed", "write"]

Item = TypeVar("Item")
_MAX_RESULT_CHARS: Final = 40_000
_MAX_TOOLS: Final = 4 * KEPT
# Near the word of the promise: it was not made, or not yet.
_DENIED: Final = re.compile(
    r"\b(?:not|no|never|none|without|den(?:y|ied|ies)|reject\w*|declin\w*|refus\w*|pending|false|null|cannot|"
    r"unable|nor)\b|n['’]t\b|ません|なし|却下|拒否|未",
)
_BEFORE, _AFTER = 40, 30
_ERROR: Final = re.compile(r"\s*(?:error|exception|traceback|failed|failure)\b", re.IGNORECASE)


def write(memory: Memory, step: Step, going_on: str) -> None:
    """Record a step that passed; ``going_on`` is its text after redaction.

    Collections are replaced, never changed: a gate of another step of this session may be reading them.
    """
    if step.point == "input":
        memory.asked = _with(memory.asked, step.text[:KEPT_LETTERS])
        memory.talk = _with(memory.talk, Message(role="user", content=memory.asked[-1]))
        memory.claims = _with(memory.claims, *standing(step.claims, memory.calls))
        memory.turns += 1
    elif step.point == "tool_call":
        _count(memory, step.call)
    elif step.point == "tool_result":
        _result(memory, step, going_on)
    else:
        memory.said = _with(memory.said, going_on[:KEPT_LETTERS])
        memory.talk = _with(memory.talk, Message(role="assistant", content=memory.said[-1]))
        _remember(memory, step.sources)


def standing(claims: Iterable[Asserted], calls: Iterable[ToolCall]) -> tuple[Asserted, ...]:
    """Return the claims that no call's result confirms."""
    left = tuple(claims)
    for call in calls if left else ():
        if _succeeded(call):
            left = unconfirmed(left, result_text(call.result))
    return left


def unconfirmed(claims: Iterable[Asserted], told: str) -> tuple[Asserted, ...]:
    """Return the claims that a tool's answer does not confirm.

    It confirms a claim if it contains the words of the promise, about the same topic, and does not deny them.
    """
    held = tuple(claims)
    text = told[:_MAX_RESULT_CHARS].casefold() if held else ""
    stands = {deed: _stands(deed, text) for deed in {deed for claim in held for deed in claim.deeds}}
    if not any(stands.values()):
        return held
    topic = topic_of(text)
    return tuple(claim for claim in held if not (claim.topic & topic and any(stands[deed] for deed in claim.deeds)))


def result_text(result: Any) -> str:
    """Return a tool's result as text."""
    if isinstance(result, str):
        return result
    return "" if result is None else json.dumps(result, ensure_ascii=False, default=str)


def _stands(deed: str, text: str) -> bool:
    at = text.find(deed)
    while at >= 0:
        if not _DENIED.search(text[max(0, at - _BEFORE) : at + len(deed) + _AFTER]):
            return True
        at = text.find(deed, at + 1)
    return False


def _succeeded(call: ToolCall) -> bool:
    result = call.result
    if call.error or result is None or (isinstance(result, str) and _ERROR.match(result)):
        return False
    if not isinstance(result, Mapping):
        return True
    status = str(result.get("status", "")).casefold()
    return not result.get("error") and result.get("success") is not False and status not in ("error", "failed")


def _with(kept: deque[Item], *more: Item) -> deque[Item]:
    return deque((*kept, *more), maxlen=KEPT)


def _count(memory: Memory, call: ToolCall | None) -> None:
    if call is None:
        return
    memory.calls = _with(memory.calls, call)
    memory.talk = _with(memory.talk, call)
    if call.name in memory.made:  # incrementing an existing count does not disturb readers
        memory.made[call.name] += 1
        return
    made = Counter(memory.made)
    made[call.name] += 1
    while len(made) > _MAX_TOOLS:  # invented tool names must not fill the memory
        made.pop(min(made, key=made.__getitem__))
    memory.made = made


def _result(memory: Memory, step: Step, going_on: str) -> None:
    if step.call is None:
        return
    held = going_on[:KEPT_LETTERS] if len(going_on) > KEPT_LETTERS or going_on != step.text else step.call.result
    done = replace(step.call, result=held)
    calls = list(memory.calls)
    waiting = next((place for place, call in enumerate(calls) if _is_open(call, done)), None)
    if waiting is None:
        calls.append(done)
        memory.talk = _with(memory.talk, done)
    else:
        opened, calls[waiting] = calls[waiting], replace(done, arguments=calls[waiting].arguments)
        memory.talk = deque((calls[waiting] if each is opened else each for each in memory.talk), maxlen=KEPT)
    memory.calls = deque(calls, maxlen=KEPT)
    if memory.claims and _succeeded(done):
        memory.claims = deque(unconfirmed(memory.claims, going_on), maxlen=KEPT)


def _is_open(call: ToolCall, done: ToolCall) -> bool:
    """Return whether the result belongs to this call: the first open one with the same id or name."""
    if call.result is not None or call.error is not None or call.name != done.name:
        return False
    if call.id is not None and done.id is not None:
        return call.id == done.id
    return not done.arguments or call.arguments == done.arguments


def _remember(memory: Memory, sources: Iterable[Source]) -> None:
    known = {(source.id, source.text) for source in memory.sources}
    kept = [replace(source, text=source.text[:KEPT_LETTERS]) for source in sources]
    if new := [source for source in kept if (source.id, source.text) not in known]:
        memory.sources = _with(memory.sources, *new)
