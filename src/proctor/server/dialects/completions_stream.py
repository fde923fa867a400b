"""Streams of the legacy completions API."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final

from proctor.server.wire.sse import SseEvent, encoded
from proctor.server.wire.stream_events import Call, Frame, Slot, compact, event_data, listed
from proctor.server.wire.text_walk import is_mark, prune, walk

__all__ = ["CompletionsStream", "cleaned"]

_CHOICE: Final = frozenset(
    {"text", "index", "logprobs", "finish_reason", "stop_reason", "token_ids", "prompt_token_ids", "prompt_logprobs"}
    | {"content_filter_results"}
)


def cleaned(data: dict[str, Any]) -> bool:
    """Take out of an answer what is no part of a completion; says whether there was anything."""
    kept = [choice for choice in listed(data.get("choices")) if isinstance(choice, dict)]
    gone = "choices" in data and data["choices"] != kept
    if gone:
        data["choices"] = kept
    for choice in kept:
        for name in [name for name in choice if name not in _CHOICE]:
            del choice[name]
            gone = True
        gone |= prune(choice, "logprobs", "prompt_logprobs")
    return prune(data, "choices") or gone


class CompletionsStream:
    """The chunks of one completion."""

    def __init__(self) -> None:
        self.calls: dict[Hashable, Call] = {}
        self._choices: dict[int, bool] = {}  # number of a choice -> whether its end has left
        self._last: dict[str, Any] = {}
        self._more = 0
        self._rewritten: set[int] = set()

    @property
    def id(self) -> str:
        """The name of the completion."""
        return str(self._last.get("id") or "")

    def read(self, event: SseEvent) -> Frame:
        """A chunk taken apart; what is no JSON object is left out."""
        frame = Frame(event=event)
        if event.data is None:
            return frame
        if event.data.strip() == "[DONE]":
            frame.ends |= {("text", number) for number in self._choices}
            return frame
        data = event_data(event.data)
        self._more += 1
        if data is None:
            frame.data = {}
            return frame
        frame.data = data
        if cleaned(data):
            self._rewritten.add(id(frame))
        for choice in listed(data.get("choices")):
            self._last = data
            number = _number(choice)
            self._choices.setdefault(number, False)
            if isinstance(choice.get("text"), str):
                frame.slots.append(Slot(("text", number), choice, "text"))
            frame.slots += walk(("more", self._more), choice, "text", "logprobs", "prompt_logprobs")
            if choice.get("finish_reason"):
                frame.ends.add(("text", number))
                frame.telling = data
        frame.slots += walk(("more", self._more), data, "choices")
        if any(slot.channel == ("more", self._more) for slot in frame.slots):
            frame.ends.add(("more", self._more))
        return frame

    def write(self, frame: Frame, changed: bool, refusal: str) -> bytes:
        """The chunk, with its texts as they may leave."""
        if frame.data is None:
            return frame.event.raw
        if not frame.data:
            return b""
        changed |= id(frame) in self._rewritten
        self._rewritten.discard(id(frame))
        for choice in listed(frame.data.get("choices")):
            self._choices[_number(choice)] = bool(choice.get("finish_reason"))
            if changed and choice.get("logprobs"):
                choice["logprobs"] = None  # they would tell what was taken out
        return encoded(compact(frame.data), frame.event.name) if changed else frame.event.raw

    def closing(self, reply: str, said: Mapping[Hashable, str], told: Mapping[str, Any]) -> bytes:
        """The reply and the end of every choice that has not ended."""
        names = {key: str(self._last.get(key) or "") for key in ("id", "model")}
        head = {key: each if is_mark(key, each, {}) else "" for key, each in names.items()}
        parts: list[bytes] = []
        for number, finished in (self._choices or {0: False}).items():
            if finished:
                continue
            text = f"\n\n{reply}" if said.get(("text", number)) else reply
            choice = {"index": number, "text": text, "logprobs": None, "finish_reason": "content_filter"}
            body: dict[str, Any] = {**head, "object": "text_completion", "created": 0, "choices": [choice]}
            parts.append(encoded(compact({**body, "proctor": told} if told else body)))
        return b"".join((*parts, b"data: [DONE]\n\n"))


def _number(choice: Mapping[str, Any]) -> int:
    return choice["index"] if isinstance(choice.get("index"), int) else 0
