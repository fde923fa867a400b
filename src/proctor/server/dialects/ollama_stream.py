"""Streams of Ollama's own API: lines of JSON, each with a part of the answer."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final, Literal

from proctor.server.dialects.answer_check import arguments_text
from proctor.server.wire.ndjson import line
from proctor.server.wire.sse import SseEvent
from proctor.server.wire.stream_events import Call, Frame, Slot, compact, event_data, listed
from proctor.server.wire.strict_json import read_object
from proctor.server.wire.text_walk import is_mark, prune, walk

__all__ = ["TEXTS", "OllamaStream", "cleaned", "functions", "head"]

TEXTS: Final = ("content", "response", "thinking")
_GONE: Final = ("context", "logprobs")  # tokens: what was said, where nobody can read it


def functions(message: Mapping[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The calls of a message, each with its function."""
    calls = (call for call in listed(message.get("tool_calls")) if isinstance(call, dict))
    return [(call, call["function"]) for call in calls if isinstance(call.get("function"), dict)]


def head(data: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of an answer when nothing of it may leave: its names, as far as they are names."""
    names = {key: str(data.get(key) or "") for key in ("model", "created_at")}
    return {key: each if is_mark(key, each, data) else "" for key, each in names.items()}


def cleaned(data: dict[str, Any], kind: Literal["message", "response"]) -> bool:
    """Take out of an answer what cannot be read, or is of another kind; says whether there was anything."""
    gone = False
    for name in (*_GONE, "message" if kind == "response" else "response"):
        gone |= data.pop(name, None) is not None
    place = data.get("message") if kind == "message" else data
    if not isinstance(place, dict):
        gone |= data.pop("message", None) is not None
        return prune(data) or gone
    if kind == "response":
        gone |= place.pop("tool_calls", None) is not None
    elif "tool_calls" in place:
        kept = [call for call, _ in functions(place)]
        gone |= place["tool_calls"] != kept and place["tool_calls"] is not None
        place["tool_calls"] = kept
        for call, function in functions(place):
            extra = [name for name in call if name not in ("id", "type", "function")]
            for name in extra:
                del call[name]
            gone |= bool(extra) or prune(function, "arguments")
        if not kept:
            del place["tool_calls"]
    for name in TEXTS:
        if not isinstance(place.get(name, ""), (str, type(None))):
            del place[name]
            gone = True
    gone |= prune(place, "tool_calls", "message")
    return prune(data, "message") or gone


class OllamaStream:
    """The lines of one answer; ``kind`` is where its words stand."""

    def __init__(self, kind: Literal["message", "response"]) -> None:
        self.kind: Literal["message", "response"] = kind
        self.calls: dict[Hashable, Call] = {}
        self.id = ""
        self._lines = 0
        self._last: dict[str, Any] = {}
        self._spoken = self._settled = False
        self._rewritten: set[int] = set()
        self._places: dict[int, Hashable] = {}  # call of a line on its way -> its key

    def read(self, event: SseEvent) -> Frame:
        """A line taken apart; what is no JSON object is left out."""
        frame = Frame(event=event)
        if event.data is None:
            return frame
        self._lines += 1
        data, more = event_data(event.data), ("more", self._lines)
        if data is None:
            frame.data = {}
            return frame
        frame.data = self._last = data
        if cleaned(data, self.kind):
            self._rewritten.add(id(frame))
        place = self._place(data)
        frame.slots += [Slot(name, place, name) for name in TEXTS if isinstance(place.get(name), str)]
        frame.slots += walk(more, place, *TEXTS, "tool_calls", "message")
        if place is not data:
            frame.slots += walk(more, data, "message")
        for number, (call, function) in enumerate(functions(place)):
            key = (self._lines, number)
            frame.slots += walk(more, function, "name", "arguments")
            frame.calls.add(key)
            self._places[id(call)] = key
            self.calls[key] = Call(
                key=key,
                name=str(function.get("name") or ""),
                arguments=arguments_text(function.get("arguments")),
                id=str(call.get("id") or ""),
                complete=True,
            )
        if any(slot.channel == more for slot in frame.slots):
            frame.ends.add(more)
        if data.get("done"):
            frame.ends |= set(TEXTS)
            frame.calls |= set(self.calls)
            frame.telling = data
        return frame

    def write(self, frame: Frame, changed: bool, refusal: str) -> bytes:
        """The line without the calls that were refused."""
        data = frame.data
        if data is None:
            return frame.event.raw
        if not data:
            return b""
        changed |= id(frame) in self._rewritten
        self._rewritten.discard(id(frame))
        place, lead = self._place(data), b""
        changed |= self._without_refused(place)
        if data.get("done") and not self._settled:
            self._settled = True
            if self.calls and all(call.refused for call in self.calls.values()):
                lead = self._spoken_line(f"\n\n{refusal}" if self._spoken else refusal)
                data["done_reason"] = "content_filter"
                changed = True
        self._spoken = self._spoken or any(slot.text for slot in frame.slots)
        return lead + (line(compact(data)) if changed else frame.event.raw)

    def closing(self, reply: str, said: Mapping[Hashable, str], told: Mapping[str, Any]) -> bytes:
        """The reply, and the end."""
        text = f"\n\n{reply}" if any(said.values()) else reply
        end: dict[str, Any] = {"done": True, "done_reason": "content_filter"}
        return self._spoken_line(text, **end, **({"proctor": told} if told else {}))

    def _place(self, data: dict[str, Any]) -> dict[str, Any]:
        message = data.get("message") if self.kind == "message" else data
        return message if isinstance(message, dict) else {}

    def _without_refused(self, place: dict[str, Any]) -> bool:
        """Take the refused calls out of a line, and give the others their values; says whether that changed it."""
        changed = False
        kept: list[dict[str, Any]] = []
        for call, function in functions(place):
            made = self.calls[self._places.pop(id(call))]
            if made.refused:
                changed = True
                continue
            kept.append(call)
            if made.restored:
                function["arguments"] = read_object(made.arguments)
                changed = True
        if changed:
            place["tool_calls"] = kept
            if not kept:
                del place["tool_calls"]
        return changed

    def _spoken_line(self, text: str, **more: Any) -> bytes:
        said: dict[str, Any] = {"message": {"role": "assistant", "content": text}}
        body = said if self.kind == "message" else {"response": text}
        return line(compact({**head(self._last), **body, "done": False, **more}))
