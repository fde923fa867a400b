"""Tool calls in conversations: made ready for a provider, and read from its answer."""

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
"""The key in ``Message.extra`` of a tool result that tells of an error."""


def settled(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The same conversation with ids on every tool call and its results in messages of their own.

    Recorded conversations often keep a call's result inside the call, and have no ids. Providers want an
    id on each, and the result in a message after it. A result without an id is taken to be that of the
    first open call with its name, or else of the first open call.
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
    """What a tool gave back, as the model is told it."""
    if call.error is not None:
        return call.error
    return call.result if isinstance(call.result, str) else dumps(call.result).decode()


def _answer(message: Message, open_calls: Sequence[ToolCall]) -> Message:
    if message.tool_call_id or not open_calls:
        return message
    same_name = [call for call in open_calls if call.name == message.name]
    return replace(message, tool_call_id=(same_name or list(open_calls))[0].id)


def _results(calls: Sequence[ToolCall]) -> list[Message]:
    """Messages with the results that calls carry themselves; a call without one is left as it is."""
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
    """An id of the letters, digits, ``_`` and ``-`` that some providers insist on, at most 64 of them."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", call_id or "")[:64] or "call"


def read_call(name: object, arguments: object, call_id: object) -> ToolCall:
    """A tool call from what the model wrote; arguments that cannot be read are kept as text in ``error``."""
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
