"""Fields of a message or a delta in answers of the chat completions API: which are texts, calls, or neither."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Final

from proctor.server.dialects.openai_answer import are_tokens_of, other_strings
from proctor.server.wire.stream_events import Slot, listed

__all__ = [
    "AT_ONCE",
    "ECHO",
    "TEXTS",
    "are_logprobs_of",
    "drop_malformed_calls",
    "is_unknown_call",
    "other_call_strings",
    "other_delta_strings",
]

TEXTS: Final = ("content", "refusal", "reasoning_content", "reasoning")  # the fields of an answer that are read as text
ECHO: Final = frozenset({"metadata", "proctor"})  # what the developer sent, and what is told from here
AT_ONCE: Final = frozenset({"context", "annotations", "citations", "search_results", "images"})  # no part of a text
_CALLS: Final = frozenset({"tool_calls", "function_call"})
_KNOWN_CALLS: Final = frozenset({"function", "custom"})
_LOGPROBS: Final = frozenset({"content", "refusal"})


def is_unknown_call(call: Mapping[str, Any]) -> bool:
    """Whether a call is of a kind that is not known, or of two kinds at once."""
    if isinstance(call.get("function"), dict) and isinstance(call.get("custom"), dict):
        return True
    return bool(call.get("type")) and (not isinstance(call["type"], str) or call["type"] not in _KNOWN_CALLS)


def drop_malformed_calls(message: dict[str, Any]) -> bool:
    """Take calls out that are no objects; returns whether there were any."""
    calls, call = message.get("tool_calls"), message.get("function_call")
    changed = False
    if calls is not None and (not isinstance(calls, list) or not all(isinstance(each, dict) for each in calls)):
        message["tool_calls"] = [each for each in listed(calls) if isinstance(each, dict)]
        changed = True
    if call is not None and not isinstance(call, dict):
        del message["function_call"]
        changed = True
    return changed


def other_delta_strings(channel: Hashable, message: dict[str, Any]) -> Iterator[Slot]:
    """The strings of a message or a delta beside its texts and what its calls are made with."""
    done = _CALLS | set(TEXTS)
    audio = message.get("audio")
    if isinstance(audio, dict):
        done |= {"audio"}
        has_transcript = isinstance(audio.get("transcript"), str)
        yield from other_strings(channel, audio, frozenset({"transcript"} if has_transcript else ()))
    yield from other_strings(channel, message, done)
    yield from other_call_strings(channel, message)


def other_call_strings(channel: Hashable, message: Mapping[str, Any]) -> Iterator[Slot]:
    """The strings of the calls of a message beside what they are made with."""
    for call in listed(message.get("tool_calls")):
        if not isinstance(call, dict) or is_unknown_call(call):  # those are taken out
            continue
        made = [name for name in ("function", "custom") if isinstance(call.get(name), dict)]
        yield from other_strings(channel, call, frozenset(made))
        for name in made:
            judged = frozenset({"name", "input" if name == "custom" else "arguments"})
            yield from other_strings(channel, call[name], judged)
    if isinstance(message.get("function_call"), dict):
        yield from other_strings(channel, message["function_call"], frozenset({"name", "arguments"}))


def are_logprobs_of(logprobs: Any, content: str, refusal: str) -> bool:
    """Whether log probabilities repeat the texts of a choice and say nothing else."""
    return (
        isinstance(logprobs, dict)
        and logprobs.keys() <= _LOGPROBS
        and are_tokens_of(logprobs.get("content"), content)
        and are_tokens_of(logprobs.get("refusal"), refusal)
    )
