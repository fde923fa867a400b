"""Streams of the Anthropic Messages API."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final

from proctor.server.dialects.answer_check import arguments_text
from proctor.server.dialects.anthropic_request import CALLS
from proctor.server.wire.sse import SseEvent, encoded
from proctor.server.wire.stream_events import Call, Frame, Slot, compact, event_data
from proctor.server.wire.strict_json import read_object
from proctor.server.wire.text_walk import is_mark, prune, walk

__all__ = ["AnthropicStream", "is_known", "message_head", "spoken"]

_WORDS: Final = {"text": "text", "thinking": "thinking", "compaction": "content"}  # kind of a block -> where it says it
_DELTAS: Final = {"text_delta": "text", "thinking_delta": "thinking", "compaction_delta": "compaction"}
_QUIET: Final = frozenset({"redacted_thinking", "container_upload"})


def is_known(block: Mapping[str, Any]) -> bool:
    """Whether it is known what a block of an answer is; any other is taken out."""
    kind = block.get("type")
    return isinstance(kind, str) and (kind in _WORDS or kind in CALLS or kind in _QUIET or _is_result(kind))


def _is_result(kind: Any) -> bool:
    return isinstance(kind, str) and kind.endswith("_tool_result")


class AnthropicStream:
    """The events of one message.

    Blocks are numbered as they are read; the client has numbers of its own, since blocks may be left out.
    """

    def __init__(self) -> None:
        self.calls: dict[Hashable, Call] = {}
        self._message: dict[str, Any] = {}
        self._kinds: list[str] = []  # of each block; "" for one that is left out
        self._given: list[int] = []  # the number of each block upstream
        self._at: dict[int, int] = {}  # number upstream -> block that has it now
        self._by_id: dict[str, int] = {}  # id of a call -> its block
        self._run = 0  # runs of text blocks: a sentence may go over several
        self._last_kind = ""
        self._more = 0
        self._places: dict[int, int] = {}  # block -> its number for the client
        self._open: int | None = None  # the block that the client has seen begin
        self._begun = self._spoken = self._settled = False
        self._rewritten: set[int] = set()  # events on their way that something was taken out of
        self._gone: set[int] = set()  # blocks that are left out
        self._changed: set[int] = set()  # blocks whose thoughts are no longer those that were signed
        self._made: set[int] = set()  # calls whose restored arguments have left

    @property
    def id(self) -> str:
        """The name of the message."""
        return str(self._message.get("id") or "")

    # --- reading ---

    def read(self, event: SseEvent) -> Frame:
        """An event taken apart; what is no JSON object or not known is left out."""
        frame = Frame(event=event)
        if event.data is None:
            return frame
        data = event_data(event.data)
        if data is None:
            frame.data = {}
            return frame
        frame.data = data
        kind = data.get("type")
        if event.name and event.name != kind:  # two readers could take it for two events
            frame.data = {}
        elif kind == "message_start" and isinstance(data.get("message"), dict):
            self._read_start(frame, data["message"])
        elif kind == "content_block_start" and isinstance(data.get("content_block"), dict) and _has_index(data):
            self._read_block(frame, data["content_block"])
        elif kind in ("content_block_delta", "content_block_stop") and _has_index(data):
            self._read_part(frame, str(kind))
        elif kind in ("message_delta", "message_stop"):
            self._read_end(frame)
        elif kind in ("ping", "error"):
            self._read_more(frame, data)
        else:
            frame.data = {}
        return frame

    def _read_start(self, frame: Frame, message: dict[str, Any]) -> None:
        if message.get("content") != []:  # words here would be read by clients before those that follow
            message["content"] = []
            self._rewritten.add(id(frame))
        self._message = message
        self._read_more(frame, message)

    def _read_block(self, frame: Frame, block: dict[str, Any]) -> None:
        assert frame.data is not None
        kind, number = str(block.get("type")), len(self._kinds)
        known = is_known(block)
        self._kinds.append(kind if known else "")
        self._given.append(frame.data["index"])
        self._at[frame.data["index"]] = number
        frame.data["index"] = number
        if kind != "text" and known:
            self._end_run(frame)
        self._last_kind = kind if known else self._last_kind
        if not known:
            return
        if kind in _WORDS:
            if isinstance(block.get(_WORDS[kind]), str):
                frame.slots.append(Slot(self._channel(number), block, _WORDS[kind]))
            self._read_more(frame, block, _WORDS[kind])
        elif kind in CALLS:
            frame.calls.add(number)
            told = arguments_text(block["input"]) if block.get("input") else ""
            self.calls[number] = Call(
                key=number, name=str(block.get("name") or ""), id=str(block.get("id") or ""), arguments=told
            )
            self._by_id[str(block.get("id") or "")] = number
            self._read_more(frame, block, "input", "name")
        elif _is_result(kind):
            used = str(block.get("tool_use_id") or "")
            if (call := self._by_id.get(used)) is not None:
                frame.calls.add(call)  # it leaves with its call or not at all
            if prune(block):
                self._rewritten.add(id(frame))
            frame.slots += walk(("result", number, used), block)
            frame.ends.add(("result", number, used))
        else:
            self._read_more(frame, block)

    def _read_part(self, frame: Frame, event: str) -> None:
        assert frame.data is not None
        number = self._at.get(frame.data["index"])
        if number is None:
            frame.data = {}
            return
        frame.data["index"] = number
        kind = self._kinds[number]
        if not kind:
            return
        if kind in CALLS:
            frame.calls.add(number)
        if event == "content_block_stop":
            if kind in CALLS:
                self.calls[number].complete = True
            elif kind != "text":
                frame.ends.add(self._channel(number))
            self._read_more(frame, frame.data)
            return
        delta = frame.data.get("delta")
        name = delta.get("type") if isinstance(delta, dict) else None
        if not isinstance(delta, dict) or not self._read_delta(frame, number, str(name), delta):
            frame.data = {}

    def _read_delta(self, frame: Frame, number: int, name: str, delta: dict[str, Any]) -> bool:
        """Take in a part of a block; says whether it is a part of such a block at all."""
        kind = self._kinds[number]
        if _DELTAS.get(name) == kind:
            key = _WORDS[kind]
            if isinstance(delta.get(key), str):
                frame.slots.append(Slot(self._channel(number), delta, key))
            self._read_more(frame, delta, key)
        elif name == "input_json_delta" and kind in CALLS:
            self.calls[number].arguments += str(delta.get("partial_json") or "")
            self._read_more(frame, delta, "partial_json")
        elif (name == "citations_delta" and kind == "text") or (name == "signature_delta" and kind == "thinking"):
            self._read_more(frame, delta)
        else:
            return False
        return True

    def _read_end(self, frame: Frame) -> None:
        assert frame.data is not None
        self._end_run(frame)
        frame.ends |= {self._channel(number) for number, kind in enumerate(self._kinds) if kind in _WORDS}
        for call in self.calls.values():
            call.complete = True
        frame.calls |= set(self.calls)
        if frame.data.get("type") == "message_delta":
            frame.telling = frame.data
        self._read_more(frame, frame.data)

    def _read_more(self, frame: Frame, place: dict[str, Any], *skip: str) -> None:
        """Whatever else stands in an event is a text of its own."""
        if prune(place, *skip):
            self._rewritten.add(id(frame))
        self._more += 1
        found = list(walk(("more", self._more), place, *skip))
        if found:
            frame.slots += found
            frame.ends.add(("more", self._more))

    def _end_run(self, frame: Frame) -> None:
        if self._last_kind == "text":
            frame.ends.add(("text", self._run))
            self._run += 1
        self._last_kind = ""

    def _channel(self, number: int) -> Hashable:
        kind = self._kinds[number]
        return ("text", self._run) if kind == "text" else (kind, number)

    # --- writing ---

    def write(self, frame: Frame, changed: bool, refusal: str) -> bytes:
        """The event without the blocks that were refused or are not known; empty when it is all about one of them."""
        data = frame.data
        if data is None:
            return frame.event.raw
        if not data:
            return b""
        kind, lead = data.get("type"), b""
        changed |= id(frame) in self._rewritten
        self._rewritten.discard(id(frame))
        if kind == "message_start":
            self._begun = True
        elif kind in ("content_block_start", "content_block_delta", "content_block_stop"):
            number = data["index"]
            if not self._kinds[number] or self._is_refused(frame):
                self._gone.add(number)
            if number in self._gone:
                return b""
            if kind == "content_block_delta" and self._is_stale(data, number, changed):
                return b""
            changed |= self._with_values(data, number)
            changed |= self._renumbered(data, number)
        elif kind in ("message_delta", "message_stop") and not self._settled:
            self._settled = True
            lead, altered = self._without_calls(data, refusal)
            changed |= altered
        self._spoken = self._spoken or any(slot.text for slot in frame.slots)
        if not changed:
            return lead + frame.event.raw
        return lead + encoded(compact(data), frame.event.name)

    def closing(self, reply: str, said: Mapping[Hashable, str], told: Mapping[str, Any]) -> bytes:
        """The reply as the end of the text that was being written, or as a block of its own; then the end."""
        parts: list[bytes] = []
        if not self._begun:
            end: dict[str, Any] = {"content": [], "stop_reason": None, "stop_sequence": None}
            parts.append(_event({"type": "message_start", "message": {**message_head(self._message), **end}}))
        text = f"\n\n{reply}" if any(said.values()) else reply
        if self._open is not None and self._kinds[self._open] == "text":
            place = self._places[self._open]
            parts += [_event(body) for body in _block_bodies(place, text)[1:]]
        else:
            if self._open is not None:
                parts.append(_event({"type": "content_block_stop", "index": self._places[self._open]}))
            parts += [_event(body) for body in _block_bodies(len(self._places), text)]
        last: dict[str, Any] = _end_body("refusal", self._message.get("usage"))
        if told:
            last["proctor"] = told
        return b"".join((*parts, _event(last), _event({"type": "message_stop"})))

    def _is_refused(self, frame: Frame) -> bool:
        return any(self.calls[key].refused for key in frame.calls if key in self.calls)

    def _is_stale(self, data: Mapping[str, Any], number: int, changed: bool) -> bool:
        """Whether a part is a signature of words that have become others."""
        delta = data.get("delta")
        name = delta.get("type") if isinstance(delta, Mapping) else None
        if changed and name == "thinking_delta":
            self._changed.add(number)
        return name == "signature_delta" and number in self._changed

    def _with_values(self, data: dict[str, Any], number: int) -> bool:
        """Give a restored call its arguments, all with the first part; says whether it is one."""
        call = self.calls.get(number)
        if call is None or not call.restored:
            return False
        delta, block = data.get("delta"), data.get("content_block")
        if isinstance(block, dict) and block.get("input"):
            block["input"] = read_object(call.arguments)
            self._made.add(number)
        elif isinstance(delta, dict):
            delta["partial_json"] = "" if number in self._made else call.arguments
            self._made.add(number)
        return True

    def _renumbered(self, data: dict[str, Any], number: int) -> bool:
        if data["type"] == "content_block_start":
            self._places[number] = len(self._places)
            self._open = number
        elif data["type"] == "content_block_stop":
            self._open = None
        data["index"] = self._places.get(number, 0)
        return bool(data["index"] != self._given[number])

    def _without_calls(self, data: dict[str, Any], refusal: str) -> tuple[bytes, bool]:
        """What is said where no call is left, and whether the end of the message is another than the one that came."""
        refused = [call for call in self.calls.values() if call.refused]
        if not refused:
            return b"", False
        delta = data.get("delta") if isinstance(data.get("delta"), dict) else {}
        assert isinstance(delta, dict)
        if len(refused) == len(self.calls):
            text = f"\n\n{refusal}" if self._spoken else refusal
            bodies = _block_bodies(len(self._places), text)
            self._places[-1] = len(self._places)
            if data["type"] == "message_stop":
                bodies.append(_end_body("refusal", None))
            delta.update(stop_reason="refusal", stop_sequence=None)
            return b"".join(_event(body) for body in bodies), True
        left = [number for number, call in self.calls.items() if not call.refused]
        if delta.get("stop_reason") == "tool_use" and not any(
            self._kinds[int(str(each))] == "tool_use" for each in left
        ):
            delta["stop_reason"] = "end_turn"
        return b"", True


def message_head(message: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of a message when nothing of it may leave: its names, as far as they are names, and its counts."""
    usage = message.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    names = {key: message.get(key) for key in ("id", "model")}
    kept = {key: each if isinstance(each, str) and is_mark(key, each, message) else "" for key, each in names.items()}
    counts = {key: usage[key] if isinstance(usage.get(key), int) else 0 for key in ("input_tokens", "output_tokens")}
    return {**kept, "type": "message", "role": "assistant", "usage": counts}


def spoken(message: dict[str, Any], text: str) -> bytes:
    """A whole stream that says one text."""
    told = message.pop("proctor", None)
    head = {**message, "content": [], "stop_reason": None}
    end = _end_body(str(message["stop_reason"]), message.get("usage"))
    if told:
        end["proctor"] = told
    bodies: list[dict[str, Any]] = [
        {"type": "message_start", "message": head},
        *_block_bodies(0, text),
        end,
        {"type": "message_stop"},
    ]
    return b"".join(_event(body) for body in bodies)


def _block_bodies(place: int, text: str) -> list[dict[str, Any]]:
    """The events that say a text in a block of its own."""
    return [
        {"type": "content_block_start", "index": place, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": place, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": place},
    ]


def _end_body(reason: str, usage: Any) -> dict[str, Any]:
    count = usage.get("output_tokens") if isinstance(usage, Mapping) else None
    delta = {"stop_reason": reason, "stop_sequence": None}
    return {"type": "message_delta", "delta": delta, "usage": {"output_tokens": count if isinstance(count, int) else 0}}


def _has_index(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("index"), int)


def _event(body: Mapping[str, Any]) -> bytes:
    return encoded(compact(body), str(body["type"]))
