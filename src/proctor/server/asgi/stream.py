"""Streams of a user's own application: events with a text at a pointer, or plain text."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from proctor.server.asgi.json_pointers import at_pointer, made_at, strings_in
from proctor.server.wire.sse import SseEvent, encoded
from proctor.server.wire.stream_events import Call, Frame, Slot, compact

__all__ = ["EventStream", "TextStream", "beside"]


class EventStream:
    """Server-sent events. Their data is JSON with a text at a pointer, or the text itself.

    Strings beside the pointer are texts of their own, each path one: the application may write the answer elsewhere
    than its route says. Those at the pointers of ``ignore`` are not read.
    """

    __slots__ = ("_ignore", "_json", "_pointer", "calls")

    def __init__(self, pointer: str, ignore: Sequence[str] = ()) -> None:
        self.calls: dict[Hashable, Call] = {}
        self._pointer = pointer
        self._ignore = tuple(ignore)
        self._json = True

    @property
    def id(self) -> str:
        """Such a stream has no name."""
        return ""

    def read(self, event: SseEvent) -> Frame:
        """An event taken apart."""
        frame = Frame(event=event)
        if not event.data or event.data.strip() == "[DONE]":
            return frame
        try:
            data = json.loads(event.data)
        except ValueError:
            data = None
        if isinstance(data, (dict, list)):
            frame.data = {"data": data}
            frame.slots += at_pointer(data, self._pointer, "text")
            frame.slots += beside(data, (self._pointer, *self._ignore))
        elif isinstance(data, str):  # a text in quotation marks
            frame.data = {"data": data}
            frame.slots.append(Slot("text", frame.data, "data"))
        else:
            self._json = False
            frame.slots.append(Slot("text", {"text": event.data}, "text"))
        return frame

    def write(self, frame: Frame, changed: bool, refusal: str) -> bytes:
        """The event put together again."""
        if not changed:
            return frame.event.raw
        data = frame.slots[0].text if frame.data is None else compact(frame.data["data"])
        return encoded(data, frame.event.name)

    def closing(self, reply: str, said: Mapping[Hashable, str], told: Mapping[str, Any]) -> bytes:
        """The reply as the last event."""
        text = f"\n\n{reply}" if any(said.values()) else reply
        if not self._json:
            return encoded(text)
        made = made_at(self._pointer, text)
        return encoded(compact({**made, "proctor": told} if told and isinstance(made, dict) else made))


def beside(data: Any, pointers: Sequence[str]) -> list[Slot]:
    """The texts that stand at none of these pointers."""
    placed = {(id(slot.place), slot.key) for pointer in pointers for slot in at_pointer(data, pointer)}
    return [slot for _, slot in strings_in(data) if (id(slot.place), slot.key) not in placed]


class TextStream:
    """Plain text as it comes."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        self.calls: dict[Hashable, Call] = {}

    @property
    def id(self) -> str:
        """Such a stream has no name."""
        return ""

    def read(self, event: SseEvent) -> Frame:
        """A piece of text."""
        slots = [Slot("text", {"text": event.data}, "text")] if event.data else []
        return Frame(event=event, slots=slots)

    def write(self, frame: Frame, changed: bool, refusal: str) -> bytes:
        """The piece as it leaves."""
        return frame.slots[0].text.encode("utf-8", "surrogateescape") if changed else frame.event.raw

    def closing(self, reply: str, said: Mapping[Hashable, str], told: Mapping[str, Any]) -> bytes:
        """The reply."""
        return (f"\n\n{reply}" if any(said.values()) else reply).encode()
