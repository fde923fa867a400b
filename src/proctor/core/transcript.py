"""The steps of a recorded conversation: messages, tool calls and their results."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Trajectory, Turn

__all__ = ["StepKind", "TranscriptStep", "failed", "parse_loosely", "result_text", "steps"]

StepKind = Literal["request", "answer", "remark", "call", "hand-off"]

_MAX_STATUS_CHARS: Final = 2000  # of a result that may be a record with an error or a status
_ERROR: Final = re.compile(
    r"""^(?:#\s*\w+\s*=)?[\s"'\[{(]*(?:error|exception|traceback|failed|failure|invalid|unauthori[sz]ed|forbidden|"
    r"\w*error:)""",
    re.I,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptStep:
    """One step: a message of the customer or the agent, a call by either, or a recorded hand-off to a person.

    A ``remark`` is text in the same message as a call; an ``answer`` has no call. A remark precedes its calls, unless
    it is the last text of its turn and the calls stand in its message with their results, which no message of a tool
    brings: it was written when they were known. ``turn`` and ``message`` count from zero; ``message`` is None for a
    call that no message of the turn contains.
    """

    kind: StepKind
    turn: int
    text: str = ""
    call: ToolCall | None = None
    message: int | None = None
    by_user: bool = False

    @property
    def is_agent_message(self) -> bool:
        """Whether it is a message of the agent."""
        return self.kind in ("answer", "remark")


def steps(run: Trajectory) -> tuple[TranscriptStep, ...]:
    """Return every step in order. A call has the position of its message, and its result if known."""
    return tuple(step for index, turn in enumerate(run.turns) for step in _steps_of_turn(index, turn))


def _steps_of_turn(index: int, turn: Turn) -> Iterator[TranscriptStep]:
    known = list(turn.tool_calls)
    results = {message.tool_call_id: message for message in turn.messages if message.role == "tool"}
    placed = any(message.tool_calls for message in turn.messages if message.role != "user")
    last_answer = max((i for i, m in enumerate(turn.messages) if m.role == "assistant"), default=None)
    for place, message in enumerate(turn.messages):
        if not placed and place == last_answer:
            yield from _rest(index, known)
        by_user = message.role == "user"
        calls = [
            _call(index, _with_result(call, [] if by_user else known, results), message=place, by_user=by_user)
            for call in message.tool_calls
        ]
        after = place == last_answer and _has_own_results(message, results)
        if after:
            yield from calls
        if message.role in ("user", "assistant") and message.content:
            spoken: StepKind = "remark" if calls else "answer"
            yield TranscriptStep(kind="request" if by_user else spoken, turn=index, text=message.content, message=place)
        if not after:
            yield from calls
    if placed or last_answer is None:
        yield from _rest(index, known)
    if turn.escalation is not None:
        yield TranscriptStep(kind="hand-off", turn=index, text=turn.escalation.reason)


def _has_own_results(message: Message, results: Mapping[str | None, Message]) -> bool:
    """Whether a message records its calls with their results, so that its text was written when they were known."""
    return bool(message.tool_calls) and all(
        (call.result is not None or call.error is not None) and (not call.id or call.id not in results)
        for call in message.tool_calls
    )


def _rest(index: int, known: list[ToolCall]) -> Iterator[TranscriptStep]:
    """Yield the calls that no message contains."""
    for call in known:
        yield _call(index, call)
    known.clear()


def _call(index: int, call: ToolCall, *, message: int | None = None, by_user: bool = False) -> TranscriptStep:
    by_user = by_user or call.extra.get("requestor") == "user"
    return TranscriptStep(kind="call", turn=index, call=call, message=message, by_user=by_user)


def _with_result(call: ToolCall, known: list[ToolCall], results: Mapping[str | None, Message]) -> ToolCall:
    """Return the call with its result: from the turn, or from the tool's own message."""
    for place, other in enumerate(known):
        same = other.id == call.id if call.id and other.id else other.name == call.name
        if same:
            return known.pop(place)
    answer = results.get(call.id) if call.id else None
    if call.result is None and call.error is None and answer is not None:
        return replace(call, result=answer.content)
    return call


def result_text(call: ToolCall) -> str:
    """Return the tool's result as text."""
    if isinstance(call.result, str):
        return call.result
    return "" if call.result is None else json.dumps(call.result, ensure_ascii=False, default=str)


def failed(call: ToolCall) -> bool:
    """Return whether the call failed: it has an error, or the tool's answer reports one."""
    if call.error:
        return True
    result = call.result
    if isinstance(result, str):
        if _ERROR.match(result):
            return True
        result = parse_loosely(result) if result[:1] == "{" and len(result) < _MAX_STATUS_CHARS else None
    if not isinstance(result, Mapping):
        return False
    status = str(result.get("status", "")).casefold()
    return bool(result.get("error")) or result.get("success") is False or status in ("error", "failed", "failure")


def parse_loosely(text: str) -> Any:
    """Parse the text as JSON or as a Python literal; return it unchanged if it is neither."""
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
