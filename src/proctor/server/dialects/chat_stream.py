"""Streams of the chat completions API."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Final

from proctor.server.dialects.chat_fields import (
    AT_ONCE,
    ECHO,
    TEXTS,
    are_logprobs_of,
    drop_malformed_calls,
    is_unknown_call,
    other_call_strings,
)
from proctor.server.dialects.openai_answer import drop_texts, other_strings, other_text, strings_of
from proctor.server.wire.sse import SseEvent, encoded
from proctor.server.wire.stream_events import Call, Frame, Slot, compact, event_data, is_unread_json, listed, slots
from proctor.server.wire.text_slots import joined

__all__ = ["ChatStream"]

_DONE: Final = ECHO | {"choices"}
_NO_OTHER: Final = frozenset(
    {*TEXTS, "role", "tool_calls", "function_call"}
)  # fields of a delta that are read elsewhere


class ChatStream:
    """The chunks of one chat completion."""

    __slots__ = ("_channels", "_choices", "_last", "_made", "_malformed", "_spoken", "calls")

    def __init__(self) -> None:
        self.calls: dict[Hashable, Call] = {}
        self._channels: dict[int, set[Hashable]] = {}  # choice index -> its texts
        self._choices: dict[int, bool] = {}  # choice index -> whether its end was sent
        self._last: Mapping[str, Any] = {}
        self._malformed = 0
        self._made: set[Hashable] = set()  # calls whose restored arguments were sent
        self._spoken: set[Hashable] = set()

    @property
    def id(self) -> str:
        """The id of the completion."""
        return str(self._last.get("id") or "")

    def read(self, event: SseEvent) -> Frame:
        """Parse a chunk; data that is not JSON is read as a separate text."""
        frame = Frame(event=event)
        if event.data is None:
            return frame
        if event.data.strip() == "[DONE]":
            frame.ends |= {channel for channels in self._channels.values() for channel in channels}
            self._complete(self._choices)
            return frame
        data = event_data(event.data)
        if data is None:
            return self._no_json(frame, event.data)
        frame.data = data
        choices = data.get("choices")
        if isinstance(choices, list) and any(type(choice) is not dict for choice in choices):
            choices = data["choices"] = [choice for choice in choices if isinstance(choice, dict)]
            frame.changed = True
        for choice in listed(choices):
            self._last = data
            self._read_choice(frame, choice)
        frame.slots += other_text(("chunk", "other"), data, _DONE if isinstance(choices, list) else ECHO, whole=True)
        return frame

    def write(self, frame: Frame, changed: bool, refusal: str) -> bytes:
        """Return the chunk without refused calls; empty if nothing else was in it."""
        if frame.data is None:
            return encoded(str(frame.slots[0].text), frame.event.name) if changed and frame.slots else frame.event.raw
        lead = b""
        if not changed and not self.calls:  # fast path for most chunks
            for choice in listed(frame.data.get("choices")):
                if isinstance(choice, dict) and choice.get("finish_reason"):
                    self._choices[_number(choice)] = True
            self._spoken |= {slot.channel[0] for slot in frame.slots if slot.text}  # type: ignore[index]
            return frame.event.raw
        for choice in listed(frame.data.get("choices")):
            if not isinstance(choice, dict):
                continue
            number = _number(choice)
            self._choices[number] = bool(choice.get("finish_reason"))
            changed |= self._with_values(choice)
            if self._without_refused(choice):
                changed = True
                if choice.get("finish_reason") and self._none_left(number):
                    text = f"\n\n{refusal}" if number in self._spoken else refusal
                    lead += self._chunk(number, {"content": text}, None)
                    choice["finish_reason"] = "content_filter"
            if changed and choice.get("logprobs"):
                choice["logprobs"] = None  # would reveal the removed text
        self._spoken |= {slot.channel[0] for slot in frame.slots if slot.text}  # type: ignore[index]
        if not changed:
            return frame.event.raw
        return lead + (b"" if _is_empty(frame.data) else encoded(compact(frame.data), frame.event.name))

    def closing(self, reply: str, said: Mapping[Hashable, str], told: Mapping[str, Any]) -> bytes:
        """Return the reply and the end of every open choice."""
        parts: list[bytes] = []
        for choice, finished in (self._choices or {0: False}).items():
            if finished:
                continue
            text = f"\n\n{reply}" if said.get((choice, "content")) else reply
            parts.append(self._chunk(choice, {"content": text}, None))
            parts.append(self._chunk(choice, {}, "content_filter", told))
        return b"".join((*parts, b"data: [DONE]\n\n"))

    def _read_choice(self, frame: Frame, choice: dict[str, Any]) -> None:
        number = _number(choice)
        self._choices.setdefault(number, False)
        channels = self._channels.setdefault(number, set())
        name = "delta" if isinstance(choice.get("delta"), dict) else "message"
        delta = choice.get(name)
        before = len(frame.slots)
        if isinstance(delta, dict):
            self._read_delta(frame, number, delta)
        if isinstance(choice.get("text"), str):
            frame.slots += slots((number, "content"), choice, "text")
        channels |= {slot.channel for slot in frame.slots[before:] if not slot.whole}
        if choice.get("logprobs"):
            self._check_logprobs(frame, choice, delta)
        done = {"logprobs"} | {
            each for each, kind in ((name, dict), ("text", str)) if isinstance(choice.get(each), kind)
        }
        frame.slots += other_text((number, "choice"), choice, frozenset(done), whole=True)
        if choice.get("finish_reason"):
            frame.ends |= channels
            frame.telling = frame.data
            self._complete((number,))

    def _read_delta(self, frame: Frame, number: int, delta: dict[str, Any]) -> None:
        for name in TEXTS:
            if type(delta.get(name)) is str:  # fast path for most chunks
                frame.slots.append(Slot((number, name), delta, name))
            elif name in delta:
                frame.slots += strings_of((number, name), delta, name)
        if not delta.keys() <= _NO_OTHER:
            self._read_others(frame, number, delta)
        if "tool_calls" in delta or "function_call" in delta:
            frame.changed |= drop_malformed_calls(delta)
            for key, place in _calls(number, delta):
                frame.calls.add(key)
                self._take(key, place)
            channel = (number, "calls")
            if (slot := joined(channel, list(other_call_strings(channel, delta)), whole=True)) is not None:
                frame.slots.append(slot)

    def _read_others(self, frame: Frame, number: int, delta: dict[str, Any]) -> None:
        """Read unknown fields as texts that continue across chunks, except fields that are complete in one."""
        known = [name for name in delta if name not in _NO_OTHER]
        for name in known:
            rest = frozenset(delta) - {name}
            if name in AT_ONCE:
                frame.slots += other_text((number, name), delta, rest, whole=True)
            else:
                frame.slots += other_strings((number, name), delta, rest)

    def _check_logprobs(self, frame: Frame, choice: dict[str, Any], delta: Any) -> None:
        texts = delta if isinstance(delta, dict) else {"content": choice.get("text")}
        content, refusal = (str(texts.get(name) or "") for name in ("content", "refusal"))
        if not are_logprobs_of(choice["logprobs"], content, refusal):
            choice["logprobs"] = None
            frame.changed = True

    def _take(self, key: Hashable, place: Mapping[str, Any]) -> None:
        call = self.calls.setdefault(key, Call(key=key))
        is_custom = isinstance(place.get("custom"), dict)
        is_both = is_unknown_call(place) or (is_custom and bool(call.arguments) and not call.free)
        if call.unknown or is_both or (call.free and isinstance(place.get("function"), dict)):
            call.unknown, call.name = True, call.name if call.unknown else str(place.get("type") or "")
            return
        call.free = call.free or is_custom
        function = place.get("function") or place.get("custom")
        function = function if isinstance(function, dict) else place
        call.id = call.id or str(place.get("id") or "")
        call.name += str(function.get("name") or "")
        call.arguments += str(function.get("arguments") or function.get("input") or "")

    def _complete(self, choices: Any) -> None:
        for key, call in self.calls.items():
            assert isinstance(key, tuple)
            if key[0] in choices:
                call.complete = True

    def _no_json(self, frame: Frame, data: str) -> Frame:
        if is_unread_json(data):  # the client might parse it although this code did not
            frame.dropped = True
            return frame
        self._malformed += 1
        frame.slots += slots(("no JSON", self._malformed), {"text": data}, "text")
        frame.ends.add(("no JSON", self._malformed))
        return frame

    def _without_refused(self, choice: dict[str, Any]) -> bool:
        """Remove refused calls from a choice and renumber the rest; return whether there were any."""
        number = _number(choice)
        refused = [key for key, call in self.calls.items() if call.refused and key[0] == number]  # type: ignore[index]
        if not refused:
            return False
        delta = choice.get("delta") if isinstance(choice.get("delta"), dict) else choice.get("message")
        if not isinstance(delta, dict):
            return True
        if (number, "function_call") in refused:
            delta.pop("function_call", None)
        gone = sorted(key[1] for key in refused if isinstance(key[1], int))  # type: ignore[index]
        if isinstance(delta.get("tool_calls"), list):
            kept = [call for key, call in _calls(number, delta) if key not in refused and key[1] != "function_call"]
            for call in kept:
                if isinstance(call.get("index"), int):
                    call["index"] -= sum(each < call["index"] for each in gone)
            delta["tool_calls"] = kept
            if not kept:
                del delta["tool_calls"]
        return True

    def _with_values(self, choice: dict[str, Any]) -> bool:
        """Send restored arguments with the first part of each call; return whether there were any."""
        delta = choice.get("delta") if isinstance(choice.get("delta"), dict) else choice.get("message")
        found = False
        for key, place in _calls(_number(choice), delta):
            function = place.get("function") or place.get("custom")
            function = function if isinstance(function, dict) else place
            name = "input" if "input" in function else "arguments"
            if self.calls[key].restored and name in function:
                function[name] = "" if key in self._made else self.calls[key].arguments
                self._made.add(key)
                found = True
        return found

    def _none_left(self, number: int) -> bool:
        return all(call.refused for key, call in self.calls.items() if key[0] == number)  # type: ignore[index]

    def _chunk(self, choice: int, delta: Mapping[str, Any], finish: str | None, told: Any = None) -> bytes:
        kept = {key: value for key, value in self._last.items() if key not in ("choices", "usage", "proctor")}
        drop_texts(kept)
        data: dict[str, Any] = {"id": "chatcmpl-proctor", "object": "chat.completion.chunk", "created": 0, **kept}
        data["choices"] = [{"index": choice, "delta": delta, "logprobs": None, "finish_reason": finish}]
        if told:
            data["proctor"] = told
        return encoded(compact(data))


def _number(choice: Mapping[str, Any]) -> int:
    return choice["index"] if isinstance(choice.get("index"), int) else 0


def _calls(number: int, delta: Any) -> Iterator[tuple[tuple[int, int | str], dict[str, Any]]]:
    """Yield the calls, or parts of calls, of one chunk, each with its key."""
    if not isinstance(delta, dict):
        return
    for place, call in enumerate(listed(delta.get("tool_calls"))):
        if isinstance(call, dict):
            yield (number, call["index"] if isinstance(call.get("index"), int) else place), call
    if isinstance(delta.get("function_call"), dict):
        yield (number, "function_call"), delta["function_call"]


def _is_empty(data: Mapping[str, Any]) -> bool:
    """Return whether a chunk that only had refused calls is empty now."""
    choices = listed(data.get("choices"))
    if not choices or data.get("usage") or data.get("proctor"):
        return False
    return all(
        isinstance(choice, dict) and choice.get("delta") == {} and not choice.get("finish_reason") for choice in choices
    )
