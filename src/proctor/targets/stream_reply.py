"""Read the reply of an agent that streams: server-sent events or JSON lines, and when the first words arrived."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.core.sockets import HttpReply
from proctor.targets.paths import Path, PathMissingError, find, parse_path
from proctor.targets.play_case import AnswerError

__all__ = ["STREAM_PATHS", "StreamedReply", "is_stream", "read_stream"]

_EVENTS = "text/event-stream"
_LINES = (
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines",
    "application/jsonlines",
)
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")
_END = "[DONE]"
_OPENAI_CALLS = "choices[0].delta.tool_calls"
# Where the OpenAI chat format has its pieces in a stream.
STREAM_PATHS: Mapping[str, Path] = {
    "answer": parse_path("choices[0].delta.content"),
    "tool_calls": parse_path(_OPENAI_CALLS),
    "usage": parse_path("usage"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedReply:
    """What the events of a stream say together; ``first_token`` is in seconds since the request."""

    found: Mapping[str, Any]
    first_token: float | None = None


@dataclass(frozen=True, slots=True)
class _Event:
    name: str
    text: str
    end: int  # bytes of the body up to its end


def is_stream(reply: HttpReply) -> bool:
    """Return whether a reply says of itself that it is a stream."""
    return _kind(reply) in (_EVENTS, *_LINES)


def read_stream(reply: HttpReply, paths: Mapping[str, Path], *, whole: bool = False) -> StreamedReply:
    """Join the events of a stream: texts at the path of the answer are joined, of other values the last one counts.

    With ``whole`` every event has the text so far. Events of plain text are the answer themselves.

    Raises:
        AnswerError: an event reports an error, or no event has an answer.
    """
    events = [event for event in _events(reply) if event.text.strip() not in ("", _END)]
    parsed = [(event, _json(event.text)) for event in events]
    if events and not any(isinstance(data, Mapping) for _, data in parsed):
        pieces = [(event.end, event.text) for event in events]
        return StreamedReply(found={"answer": _joined(pieces, whole)}, first_token=_arrival(reply, pieces))
    pieces = []
    found: dict[str, Any] = {}
    calls: list[Any] = []
    for event, data in parsed:
        _refuse_error(event, data)
        for name, path in paths.items():
            value = _value(data, path)
            if value is None:
                continue
            if name == "answer":
                pieces.append((event.end, _text(value)))
            elif name == "tool_calls" and isinstance(value, Sequence) and not isinstance(value, str):
                calls.extend(value)
            else:
                found[name] = value
    if calls:
        found["tool_calls"] = _calls(calls)
    if not pieces and not calls:
        raise AnswerError(_nothing(parsed), hint="check `reply.answer`: the path is of one event of the stream")
    return StreamedReply(found={**found, "answer": _joined(pieces, whole)}, first_token=_arrival(reply, pieces))


def _kind(reply: HttpReply) -> str:
    return reply.headers.get("content-type", "").partition(";")[0].strip().lower()


def _events(reply: HttpReply) -> Iterator[_Event]:
    if _kind(reply) != _EVENTS:
        for match in _LINE.finditer(reply.body):
            yield _Event("", match[1].decode("utf-8", "replace"), match.end())
        return
    name = ""
    lines: list[str] = []
    for match in _LINE.finditer(reply.body):
        line = match[1].decode("utf-8", "replace").removeprefix("\ufeff" if match.start() == 0 else "\0")
        if not line:
            if lines:
                yield _Event(name, "\n".join(lines), match.end())
            name, lines = "", []
            continue
        key, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if key == "data":
            lines.append(value)
        elif key == "event":
            name = value
    if lines:  # the last event of a stream that was closed without a blank line
        yield _Event(name, "\n".join(lines), len(reply.body))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _value(data: Any, path: Path) -> Any:
    try:
        return find(data, path)
    except PathMissingError:
        return None


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in value]
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) == len(parts):
            return "".join(texts)
    raise AnswerError(f"the answer is {type(value).__name__}, not text", hint="check `reply.answer`")


def _joined(pieces: Sequence[tuple[int, str]], whole: bool) -> str:
    if whole:
        return pieces[-1][1] if pieces else ""
    return "".join(text for _, text in pieces)


def _refuse_error(event: _Event, data: Any) -> None:
    error = data.get("error") if isinstance(data, Mapping) else None
    if event.name == "error" or error:
        told = error.get("message", error) if isinstance(error, Mapping) else error or event.text
        raise AnswerError(f"the stream ended with an error: {str(told)[:500]}")


def _nothing(parsed: Sequence[tuple[_Event, Any]]) -> str:
    if not parsed:
        return "the stream has no event"
    first = parsed[0][1]
    has = ", ".join(map(str, list(first)[:12])) if isinstance(first, Mapping) else type(first).__name__
    return f"the answer was not found in any of the {len(parsed)} events of the stream (the first has: {has})"


def _calls(pieces: Sequence[Any]) -> list[Any]:
    """Join calls that come in pieces with an index, as in the OpenAI format; others are whole."""
    made: list[Any] = []
    by_index: dict[int, dict[str, Any]] = {}
    for piece in pieces:
        index = piece.get("index") if isinstance(piece, Mapping) else None
        function = piece.get("function") if isinstance(piece, Mapping) else None
        if not isinstance(index, int) or not isinstance(function, Mapping):
            made.append(piece)
            continue
        if index not in by_index:
            by_index[index] = {"function": {"name": "", "arguments": ""}}
            made.append(by_index[index])
        call = by_index[index]
        call.update({key: value for key, value in piece.items() if key not in ("index", "function") and value})
        for key in ("name", "arguments"):
            call["function"][key] += function.get(key) or ""
    return made


def _arrival(reply: HttpReply, pieces: Sequence[tuple[int, str]]) -> float | None:
    """Return when the first words had arrived; ``None`` if it was not recorded."""
    end = next((end for end, text in pieces if text.strip()), None)
    if end is None:
        return None
    return next((seconds for seconds, size in reply.arrivals if size >= end), None)
