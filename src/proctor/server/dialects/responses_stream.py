"""Streams of the responses API."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from proctor.server.dialects.openai_answer import drop_texts, other_strings, other_text
from proctor.server.dialects.response_events import item_bodies
from proctor.server.dialects.response_items import (
    CALLS,
    KNOWN_ITEMS,
    NAMED_CALLS,
    call_name,
    call_text,
    drop_logprobs,
    item_texts,
    kind_of,
    message_item,
    other_item_text,
    other_part_strings,
    part_slot,
)
from proctor.server.wire.sse import SseEvent, encoded
from proctor.server.wire.stream_events import Call, Frame, Slot, compact, event_data, is_unread_json, listed, slots
from proctor.server.wire.text_slots import all_strings, has_space, joined

__all__ = ["ECHO", "ResponsesStream"]

# Fields of a response that repeat what the developer sent.
ECHO: Final = frozenset(
    {"instructions", "metadata", "tools", "tool_choice", "prompt", "text", "user", "safety_identifier"}
    | {"prompt_cache_key", "proctor"}
)
_DELTAS: Final = {  # events of a text -> kind of the text, its number in the item, where the last event repeats it
    "response.output_text": ("output_text", "content_index", "text"),
    "response.refusal": ("refusal", "content_index", "refusal"),
    "response.reasoning_text": ("reasoning_text", "content_index", "text"),
    "response.reasoning_summary_text": ("summary_text", "summary_index", "text"),
    "response.code_interpreter_call_code": ("code", "content_index", "code"),
    "response.mcp_call_arguments": ("mcp_arguments", "content_index", "arguments"),
    "response.audio.transcript": ("transcript", "content_index", "transcript"),
}
_PARTS: Final = frozenset(
    {"response.content_part.added", "response.content_part.done"}
    | {"response.reasoning_summary_part.added", "response.reasoning_summary_part.done"}
)
_ITEMS: Final = frozenset({"response.output_item.added", "response.output_item.done"})
_ARGUMENTS: Final = frozenset({"response.function_call_arguments", "response.custom_tool_call_input"})
_SHELL_OUTPUT: Final = "response.shell_call_output_content"
_WHOLE: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_RESPONSES: Final = _WHOLE | {"response.created", "response.in_progress", "response.queued"}
_AT_ONCE: Final = frozenset({"error", "response.output_text.annotation.added"})  # their texts are whole


class ResponsesStream:
    """The events of one response."""

    __slots__ = ("_last", "_left", "_made", "_malformed", "_more", "_open", "_parts", "_response", "_texts", "calls")

    def __init__(self) -> None:
        self.calls: dict[Hashable, Call] = {}
        self._response: dict[str, Any] = {}
        self._open: _Open | None = None
        self._left: list[dict[str, Any]] = []  # items that are done
        self._last = -1  # number of the last event that left
        self._more = 0  # events that were put in: later ones are numbered behind them
        self._texts: set[Hashable] = set()
        self._malformed = 0
        self._parts: dict[int, tuple[str, str]] = {}  # of calls that are not complete: what they began with, and more
        self._made: set[int] = set()  # calls whose restored arguments have left

    @property
    def id(self) -> str:
        """The name of the response."""
        return str(self._response.get("id") or "")

    def read(self, event: SseEvent) -> Frame:
        """An event taken apart; what is no JSON is read as a text of its own."""
        frame = Frame(event=event)
        if event.data is None or event.data.strip() == "[DONE]":
            return frame
        data = event_data(event.data)
        if data is None:
            if is_unread_json(event.data):  # the client might read what was not read here
                frame.dropped = True
                return frame
            self._malformed += 1
            frame.slots += slots(("no JSON", self._malformed), {"text": event.data}, "text")
            frame.ends.add(("no JSON", self._malformed))
            return frame
        frame.data = data
        kind = data.get("type") or event.name
        done = self._read_known(frame, data, kind) if isinstance(kind, str) else None
        number = _index(data)
        if "output_index" in data and number in self.calls:  # it leaves with its call, or not at all
            frame.calls.add(number)
            done = done or frozenset()
        if done is None and any(True for _ in other_strings("", data, frozenset())):
            frame.dropped, frame.data, frame.slots = True, None, []  # a kind that is not known
        else:
            self._malformed += 1
            frame.slots += other_text(("event", self._malformed), data, done or frozenset(), whole=True)
        return frame

    def write(self, frame: Frame, changed: bool, refusal: str) -> bytes:
        """The event without the calls that were refused; empty when it is all about one of them."""
        data = frame.data
        if data is None:
            return encoded(frame.slots[0].text, frame.event.name) if changed and frame.slots else frame.event.raw
        number = _index(data)
        changed |= bool(frame.calls) and self._with_values(data, number)
        gone = sorted(int(str(key)) for key, call in self.calls.items() if call.refused)
        lead = b""
        if gone:
            if frame.calls and "response" not in data:
                if all(self.calls[key].refused for key in frame.calls):
                    return b""
            elif str(data.get("type")) in _WHOLE:
                lead = self._without_calls(data["response"], refusal, gone)
                changed = True
            elif frame.calls:
                data["response"]["output"] = _kept(data["response"], gone)
                changed = True
        if isinstance(data.get("output_index"), int) and (less := sum(each < data["output_index"] for each in gone)):
            data["output_index"] -= less
            changed = True
        if self._more and isinstance(data.get("sequence_number"), int):
            data["sequence_number"] += self._more
            changed = True
        self._leaves(data, number)
        if not changed:
            return frame.event.raw
        _without_logprobs(data)
        return lead + encoded(compact(data), frame.event.name)

    def closing(self, reply: str, said: Mapping[Hashable, str], told: Mapping[str, Any]) -> bytes:
        """The reply as the end of the message that was being written, or as one of its own; then the end."""
        parts: list[bytes] = []
        before, name, place, begun = "", "", len(self._left), 0
        if self._open is not None and self._open.item.get("type") == "message":
            before = said.get((self._open.number, "output_text", 0), "")
            name, begun = str(self._open.item.get("id") or ""), 2 if self._open.begun else 1
        elif self._open is not None:
            parts.append(self._numbered({"type": "response.output_item.done", **self._open.done()}))
            self._left.append(self._open.item)
            place += 1
        more = f"\n\n{reply}" if before else reply
        item = message_item(before + more, name)
        parts += [self._numbered(body) for body in item_bodies(item, more, place)[begun:]]
        response = dict(self._response)
        drop_texts(response, ECHO)
        response |= {"status": "completed", "error": None, "incomplete_details": None}
        response.update(output=[*self._left, item], proctor=told)
        parts.append(self._numbered({"type": "response.completed", "response": response}))
        return b"".join(parts)

    # --- reading ---

    def _read_known(self, frame: Frame, data: dict[str, Any], kind: str) -> frozenset[str] | None:
        """Read an event of a known kind; returns which of its fields that covers, or None where it is not known."""
        base, _, step = kind.rpartition(".")
        if base in _DELTAS and step in ("delta", "done"):
            return self._read_text(frame, _DELTAS[base], step)
        if kind in _PARTS and isinstance(data.get("part"), dict):
            self._read_part(frame)
            return frozenset({"part"})
        if kind in _ITEMS and isinstance(data.get("item"), dict):
            self._read_item(frame, step)
            return frozenset({"item"})
        if base in _ARGUMENTS:
            self._read_arguments(frame, data, step)
            return frozenset({"delta", "arguments", "input", "name"})
        if kind in _RESPONSES and isinstance(data.get("response"), dict):
            self._read_response(frame, kind)
            return frozenset({"response"})
        if base == _SHELL_OUTPUT:
            return self._read_shell(frame, data)
        if kind == "response.audio.delta" and isinstance(data.get("delta"), str) and not has_space(data["delta"]):
            return frozenset({"delta"})
        return frozenset() if kind in _AT_ONCE else None

    def _read_text(self, frame: Frame, names: tuple[str, str, str], step: str) -> frozenset[str]:
        assert frame.data is not None
        kind, index, key = names
        place = frame.data.get(index)
        channel = (_index(frame.data), kind, place if isinstance(place, int) else 0)
        self._texts.add(channel)
        name = "delta" if step == "delta" else key
        if step == "done":
            frame.ends.add(channel)
        if not isinstance(frame.data.get(name), str):
            return frozenset()
        frame.slots.append(Slot(channel, frame.data, name, whole=step == "done"))
        frame.changed |= drop_logprobs(frame.data, frame.data[name])
        return frozenset({name, "logprobs"})

    def _read_arguments(self, frame: Frame, data: Mapping[str, Any], step: str) -> None:
        """Keep what a call is made with, for a stream that breaks off before it says the whole call."""
        call = self.calls.setdefault(_index(data), Call(key=_index(data)))
        frame.calls.add(call.key)
        if call.complete:
            return
        opened, parts = self._parts.get(_index(data), ("", ""))
        if step == "delta":
            parts += str(data.get("delta") or "")
        else:
            parts = _both(parts, str(data.get("arguments") or data.get("input") or ""))
        self._parts[_index(data)] = opened, parts
        call.arguments = _both(opened, parts)
        call.name = call.name or str(data.get("name") or "")

    def _read_shell(self, frame: Frame, data: dict[str, Any]) -> frozenset[str]:
        if not isinstance(data.get("delta"), dict):
            return frozenset()
        for name in data["delta"]:
            if isinstance(data["delta"][name], str):
                channel = (_index(data), f"shell {name}", str(data.get("command_index")))
                self._texts.add(channel)
                frame.slots.append(Slot(channel, data["delta"], name))
        return frozenset({"delta"})

    def _read_part(self, frame: Frame) -> None:
        assert frame.data is not None
        summary = "summary_index" in frame.data
        place = frame.data.get("summary_index" if summary else "content_index")
        number, part = _index(frame.data), frame.data["part"]
        place = place if isinstance(place, int) else 0
        frame.slots += part_slot(number, place, part)
        channel = (number, "other", place)
        if (slot := joined(channel, list(other_part_strings(channel, part)), whole=True)) is not None:
            frame.slots.append(slot)
        frame.changed |= drop_logprobs(part, part.get("text"))

    def _read_item(self, frame: Frame, step: str) -> None:
        assert frame.data is not None
        self._read_output(frame, _index(frame.data), frame.data["item"], complete=step == "done")

    def _read_response(self, frame: Frame, kind: str) -> None:
        assert frame.data is not None
        response = frame.data["response"]
        self._response = response
        output = response.get("output")
        if isinstance(output, list) and not all(isinstance(item, dict) for item in output):
            output = response["output"] = [item for item in output if isinstance(item, dict)]
            frame.changed = True
        for number, item in enumerate(listed(output)):
            self._read_output(frame, number, item, complete=True)
        done = ECHO | {"output"} if isinstance(output, list) else ECHO
        frame.slots += other_text(("response", "other"), response, done, whole=True)
        if kind in _WHOLE:
            frame.ends |= self._texts
            frame.telling = response
            for call in self.calls.values():
                call.complete = True

    def _read_output(self, frame: Frame, number: int, item: dict[str, Any], *, complete: bool) -> None:
        """Read an item of the answer, be it a call, a text or of a kind that is not known."""
        kind = kind_of(item)
        if kind in CALLS or kind not in KNOWN_ITEMS:
            frame.calls.add(number)
            self._take(number, item, complete=complete or kind not in KNOWN_ITEMS)
        elif kind in ("message", "reasoning"):
            frame.slots += [slot for slot in item_texts(number, item) if slot.text or slot.channel in self._texts]
            for part in listed(item.get("content")):
                frame.changed |= isinstance(part, dict) and drop_logprobs(part, part.get("text"))
        if kind in KNOWN_ITEMS:
            frame.slots += other_item_text(number, item)

    def _take(self, number: int, item: Mapping[str, Any], *, complete: bool) -> None:
        call = self.calls.setdefault(number, Call(key=number))
        kind = kind_of(item)
        call.id, call.unknown, call.fixed = (
            str(item.get("call_id") or ""),
            kind not in KNOWN_ITEMS,
            kind not in NAMED_CALLS,
        )
        call.name = kind if call.unknown else call_name(item)
        call.free = kind == "custom_tool_call"
        if call.complete:
            return
        told = "" if call.unknown else call_text(item)
        opened, parts = self._parts.get(number, ("", ""))
        if not complete:
            self._parts[number] = told, parts
            call.arguments = _both(told, parts)
            return
        # Where the parts said something else than the whole, the client could read either: the call is not readable.
        if call.fixed:
            same = all(each in told for each in _strings(opened))
        else:
            same = told.startswith(opened) and parts in ("", told, told[len(opened) :])
        call.arguments, call.complete = told if same else opened + parts + told, True

    # --- writing ---

    def _leaves(self, data: Mapping[str, Any], number: int) -> None:
        """Remember what the client has seen: which items are open, which are done, the number of the last event."""
        kind, item = data.get("type"), data.get("item")
        if isinstance(data.get("sequence_number"), int):
            self._last = data["sequence_number"]
        if kind == "response.output_item.added" and isinstance(item, dict):
            self._open = _Open(number, _index(data), item)
        elif kind == "response.content_part.added" and self._open is not None:
            self._open.begun = True
        elif kind == "response.output_item.done" and isinstance(item, dict):
            self._open = None
            self._left.append(item)

    def _with_values(self, data: dict[str, Any], number: int) -> bool:
        """Give restored calls their arguments, all with the first part of each; says whether there were any."""
        found = False
        if isinstance(data.get("response"), dict):
            held = list(enumerate(listed(data["response"].get("output"))))
        else:
            held = [(number, data.get("item") if "item" in data else data)]
        for place, item in held:
            call = self.calls.get(place)
            if call is None or not call.restored or not isinstance(item, dict):
                continue
            key = next((each for each in ("delta", "arguments", "input") if item.get(each)), None)
            if key is not None:
                item[key] = "" if key == "delta" and place in self._made else call.arguments
                self._made.add(place)
                found = True
        return found

    def _without_calls(self, response: dict[str, Any], refusal: str, gone: list[int]) -> bytes:
        """Take the refused calls out of the whole answer; where no call is left, the reply is said first."""
        kept = response["output"] = _kept(response, gone)
        left = {kind_of(item) for item in kept}
        called = any(call.refused and not call.unknown for call in self.calls.values())
        if left & (CALLS if called else CALLS | {"message"}):
            return b""
        item = message_item(refusal)
        bodies = item_bodies(item, refusal, len(kept))
        kept.append(item)
        self._more += len(bodies)
        return b"".join(self._numbered(body) for body in bodies)

    def _numbered(self, body: Mapping[str, Any]) -> bytes:
        self._last += 1
        return encoded(compact({**body, "sequence_number": self._last}), str(body["type"]))


@dataclass(slots=True)
class _Open:
    """An item that the client has seen begin: its number upstream, its place here, and whether its text has begun."""

    number: int
    place: int
    item: dict[str, Any]
    begun: bool = False

    def done(self) -> dict[str, Any]:
        self.item = {**self.item, "status": "completed"}
        return {"output_index": self.place, "item": self.item}


def _strings(arguments: str) -> list[str]:
    """The strings of a call's arguments, as they stand in JSON."""
    data = {"arguments": event_data(arguments) if arguments else None}
    return [compact(slot.text)[1:-1] for slot in all_strings("", data, "arguments")]


def _kept(response: Mapping[str, Any], gone: list[int]) -> list[Any]:
    """The items of a response without those that are refused."""
    return [item for number, item in enumerate(listed(response.get("output"))) if number not in gone]


def _both(first: str, second: str) -> str:
    """Two texts as one, where the second does not repeat the first."""
    return second if second.startswith(first) else first + second


def _index(data: Mapping[str, Any]) -> int:
    return data["output_index"] if isinstance(data.get("output_index"), int) else 0


def _without_logprobs(value: Any) -> None:
    """Take out what would tell, letter by letter, what was taken out."""
    if isinstance(value, dict):
        if value.get("logprobs"):
            value["logprobs"] = []
        for each in value.values():
            _without_logprobs(each)
    elif isinstance(value, list):
        for each in value:
            _without_logprobs(each)
