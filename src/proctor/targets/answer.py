"""Convert an agent's reply (text, a mapping, or a turn) to a turn."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from proctor.core.chat import Message
from proctor.core.codec import dumps
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.source_shorthand import source_records
from proctor.core.trajectory import Turn
from proctor.targets.play_case import AnswerError

__all__ = ["KEYS", "chat_messages", "turn_of"]

ANSWER = "answer"
KEYS = frozenset({ANSWER, *(field.name for field in dataclasses.fields(Turn) if field.name != "extra")})
_CONTENT_KEYS = ("messages", "tool_calls", "escalation", "error")
_USAGE = {
    "input": ("input", "input_tokens", "prompt_tokens"),
    "output": ("output", "output_tokens", "completion_tokens"),
    "cached_input": ("cached_input", "cache_read_input_tokens"),
    "reasoning": ("reasoning", "reasoning_tokens"),
}


def turn_of(value: Any, asked: str) -> Turn:
    """Convert an agent's return value to a turn.

    Raises:
        AnswerError: it is not an answer; ``raw`` keeps it.
    """
    if isinstance(value, Turn):
        return value if value.messages else dataclasses.replace(value, messages=_said(asked, ""))
    if isinstance(value, str):
        return Turn(messages=_said(asked, value))
    if not isinstance(value, Mapping):
        what = "nothing" if value is None else type(value).__name__
        raise AnswerError(
            f"the target returned {what}", raw=_shown(value), hint="return text, or a mapping with `answer`"
        )
    data = {str(key): item for key, item in value.items()}
    answer = data.pop(ANSWER, None)
    if answer is None and not any(data.get(name) for name in _CONTENT_KEYS):
        found = ", ".join(sorted(data)) or "nothing"
        raise AnswerError(f"the reply has no `answer` (it has: {found})", raw=_shown(value), hint="add `answer`: text")
    if answer is not None and not isinstance(answer, str):
        raise AnswerError(f"`answer` must be text, not {type(answer).__name__}", raw=_shown(value))
    data = {**data, **_normal(data)}
    try:
        turn = decode(Turn, {key: item for key, item in data.items() if item is not None})
    except MalformedError as error:
        raise AnswerError(f"the reply is malformed: {error}", raw=_shown(value)) from None
    return _with_words(turn, asked, answer)


def chat_messages(messages: tuple[Message, ...] | list[Message]) -> list[dict[str, Any]]:
    """Convert messages to mappings of role and content."""
    return [{"role": message.role, "content": message.content} for message in messages]


def _said(asked: str, answer: str) -> tuple[Message, ...]:
    return (Message(role="user", content=asked), Message(role="assistant", content=answer))


def _with_words(turn: Turn, asked: str, answer: str | None) -> Turn:
    """Add the user's text and the answer to the messages, if missing."""
    messages = turn.messages
    if not any(message.role == "user" for message in messages):
        messages = (Message(role="user", content=asked), *messages)
    if answer is not None and turn.answer != answer:
        messages = (*messages, Message(role="assistant", content=answer))
    elif not turn.messages:
        messages = _said(asked, "")
    return dataclasses.replace(turn, messages=messages)


def _normal(data: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the formats of various agents to our field names."""
    made: dict[str, Any] = {}
    if isinstance(calls := data.get("tool_calls"), (list, tuple)):
        made["tool_calls"] = [_tool_call(call) for call in calls]
    if (sources := data.get("sources")) is not None:
        made["sources"] = source_records(sources)
    if (intents := data.get("intents")) is not None:
        made["intents"] = _intents(intents)
    if isinstance(escalation := data.get("escalation"), bool):
        made["escalation"] = {} if escalation else None
    if isinstance(usage := data.get("usage"), Mapping):
        made["usage"] = _usage(usage)
    return made


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _tool_call(call: Any) -> Any:
    """Convert a call in our format, OpenAI's (`function` with JSON arguments) or Anthropic's (`input`)."""
    if isinstance(call, str):
        return {"name": call}
    if not isinstance(call, Mapping):
        return call
    made = dict(call)
    if isinstance(function := made.pop("function", None), Mapping):
        made.update(function)
        made.pop("type", None)
    if "arguments" not in made and isinstance(made.get("input"), Mapping):
        made["arguments"] = made.pop("input")
    if isinstance(text := made.get("arguments"), str):
        try:
            parsed = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError):
            parsed = None
        made["arguments"] = parsed if isinstance(parsed, dict) else {"": text}
    if made.get("arguments") is None:
        made.pop("arguments", None)
    return made


def _intents(intents: Any) -> list[Any]:
    if isinstance(intents, Mapping) and "name" not in intents:
        return [{"name": str(name), "confidence": confidence} for name, confidence in intents.items()]
    return _several(intents)


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for ours, theirs in _USAGE.items():
        found = next((usage[name] for name in theirs if usage.get(name) is not None), None)
        if found is not None:
            made[ours] = found
    inside = usage.get("prompt_tokens_details")
    if isinstance(inside, Mapping) and isinstance(cached := inside.get("cached_tokens"), int):
        made.setdefault("cached_input", cached)
    return made


def _shown(value: Any) -> str:
    return dumps(value).decode(errors="replace")[:4_000]
