"""Prepare tool calls in conversations for a provider, and parse them from its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from proctor.core.chat import Message, ToolCall
from proctor.core.codec import dumps

__all__ = ["FAILED", "plain_id", "read_call", "settled"]

_RAW_ARGUMENTS = 2_000

FAILED = "is_error"
"""The key in ``Message.extra`` that marks a tool result as an error."""


def settled(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the conversation with ids on every tool call and results in separate messages.

    Recorded conversations often keep a call's result inside the call, and have no ids. Providers require an
    id on each, and the result in a message after it. A result without an id is assigned to the first open call
    with its name, or else to the first open call.
    """
    if not any(message.tool_calls or message.role == "tool" for message in messages):
        return messages
    done: list[Message] = []
    open_calls: list[ToolCall] = []
    made = 0
    for message in messages:
        if message.role == "tool":
            answer = _answer(message, open_calls)
            open_calls = [call for call in open_calls if call.id != answer.tool_call_id]
            done.append(answer)
            continue
        done.extend(_results(open_calls))
        open_calls = []
        if message.tool_calls:
            calls = []
            for call in message.tool_calls:
                made += 1
                calls.append(call if call.id else replace(call, id=f"call_{made}"))
            open_calls = calls
            message = replace(message, tool_calls=tuple(calls))  # noqa: PLW2901 - the same message, with ids
        done.append(message)
    done.extend(_results(open_calls))
    return tuple(done)


def _result_text(call: ToolCall) -> str:
    """Return a tool's result as the text for the model."""
    if call.error is not None:
        return call.error
    return call.result if isinstance(call.result, str) else dumps(call.result).decode()


def _answer(message: Message, open_calls: Sequence[ToolCall]) -> Message:
    if message.tool_call_id or not open_calls:
        return message
    same_name = [call for call in open_calls if call.name == message.name]
    return replace(message, tool_call_id=(same_name or list(open_calls))[0].id)


def _results(calls: Sequence[ToolCall]) -> list[Message]:
    """Return messages with the results stored in the calls; a call without one is skipped."""
    results = []
    for call in calls:
        if call.error is None and call.result is None:
            continue
        extra: Mapping[str, bool] = {FAILED: True} if call.error is not None else {}
        results.append(
            Message(role="tool", name=call.name, tool_call_id=call.id, content=_result_text(call), extra=extra)
        )
    return results


def plain_id(call_id: str | None) -> str:
    """Replace characters other than letters, digits, ``_`` and ``-``, and truncate to 64, as some providers require."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", call_id or "")[:64] or "call"


def read_call(name: object, arguments: object, call_id: object) -> ToolCall:
    """Parse a tool call; arguments that are not valid JSON are kept as text in ``error``."""
    called, known_as = str(name or ""), str(call_id) if call_id else None
    if isinstance(arguments, Mapping):
        return ToolCall(name=called, arguments=arguments, id=known_as)
    text = arguments if isinstance(arguments, str) else "" if arguments is None else str(arguments)
    if not text.strip():
        return ToolCall(name=called, id=known_as)
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if isinstance(read, dict):
        return ToolCall(name=called, arguments=read, id=known_as)
    return ToolCall(name=called, id=known_as, error=f"the arguments are not a JSON object: {text[:_RAW_ARGUMENTS]}")
