"""The Anthropic Messages API: check answers, and build the guard's own answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final
from uuid import uuid4

from proctor.core.verdict import Verdict
from proctor.server.conversation import Said
from proctor.server.dialects.answer_check import call_verdict, check_texts, restore_call
from proctor.server.dialects.anthropic_request import CALLS, answer_digests, made_digest, result_digest, said_in
from proctor.server.dialects.anthropic_stream import AnthropicStream, is_known, message_head, spoken
from proctor.server.dialects.wire_format import ANTHROPIC, WireFormat
from proctor.server.guarded_request import RequestTurn, canonical_arguments
from proctor.server.wire.stream_events import Slot, listed
from proctor.server.wire.text_walk import prune, walk

__all__ = ["Messages"]

_OWN: Final = {"text": "text", "thinking": "thinking", "compaction": "content"}


class Messages:
    """The message format of the API."""

    wire: WireFormat = ANTHROPIC

    def dialect(self) -> AnthropicStream:
        """Return a new stream reader."""
        return AnthropicStream()

    def said(self, body: dict[str, Any]) -> list[Said]:
        """Return the messages of a request."""
        return said_in(body)

    def answered(self, data: Mapping[str, Any]) -> list[bytes]:
        """Return digests that identify the answer when the next request repeats it as a message."""
        return answer_digests(data) if isinstance(data.get("content"), list) else []

    def streamed(self, said: Mapping[Any, str], calls: Sequence[Any], tail: str) -> list[bytes]:
        """Return these digests for a streamed answer."""
        made = [[call.name, canonical_arguments(call.arguments)] for call in calls if not call.refused]
        gone = {call.id for call in calls if call.refused}
        results = [
            result_digest(text) for channel, text in said.items() if channel[0] == "result" and channel[2] not in gone
        ]
        words = "".join(text for channel, text in said.items() if _kind(channel) == "text")
        return [*results, made_digest(words + tail, made)]

    async def check(self, data: dict[str, Any], turn: RequestTurn) -> bool:
        """Run the gates on a whole answer and remove what they stop; return whether anything changed."""
        changed = _cleaned(data)
        stopped, altered = await _check_words(data, turn)
        if stopped is None:
            stopped, fewer = await _check_calls(data, turn)
            altered |= fewer
        if stopped is not None:
            _replace(data, turn.reply(stopped))
        changed |= altered or stopped is not None
        if (altered or stopped is not None) and (told := turn.told()):
            data["proctor"] = told
        return changed

    def reply(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> dict[str, Any]:
        """Return the guard's reply in the format of the API."""
        return {
            "id": f"msg_proctor_{uuid4().hex}",
            "type": "message",
            "role": "assistant",
            "model": str(body.get("model") or ""),
            "content": [{"type": "text", "text": text}],
            "stop_reason": "refusal",
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
            "proctor": turn.told() or {},
        }

    def reply_stream(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> bytes:
        """Return the guard's reply as a stream."""
        return spoken(self.reply(body, text, turn), text)


def _cleaned(data: dict[str, Any]) -> bool:
    """Remove blocks that are unknown or unreadable; return whether there were any."""
    content = [block for block in listed(data.get("content")) if isinstance(block, dict) and is_known(block)]
    gone = "content" in data and data["content"] != content
    if gone:
        data["content"] = content
    gone |= prune(data, "content")
    for block in content:
        gone |= prune(block, "input") if block["type"] in CALLS else prune(block)
    return gone


async def _check_words(data: dict[str, Any], turn: RequestTurn) -> tuple[Verdict | None, bool]:
    changed = False
    for kind, slots in _texts(data):
        stopped, altered = await check_texts(slots, turn, apart="" if kind in _OWN else "\n")
        if stopped is not None:
            return stopped, True
        if altered and kind == "thinking":
            slots[0].place["signature"] = ""  # the signature is not valid for the changed text
        changed |= altered
    return None, changed


def _texts(data: dict[str, Any]) -> Iterator[tuple[str, list[Slot]]]:
    """Yield groups of related texts: a run of text blocks, one thinking block, or all other strings."""
    content = listed(data.get("content"))
    for kind, group in groupby(content, key=lambda block: block["type"] if block["type"] in _OWN else ""):
        blocks = list(group)
        if kind == "text":
            yield kind, [Slot(kind, block, "text") for block in blocks if isinstance(block.get("text"), str)]
        elif kind:
            for block in blocks:
                yield kind, [Slot(kind, block, _OWN[kind])] if isinstance(block.get(_OWN[kind]), str) else []
    for block in content:
        skipped = (
            (_OWN[block["type"]],) if block["type"] in _OWN else ("input", "name") if block["type"] in CALLS else ()
        )
        yield "", list(walk("more", block, *skipped))
    yield "", list(walk("more", data, "content", "proctor"))


async def _check_calls(data: dict[str, Any], turn: RequestTurn) -> tuple[Verdict | None, bool]:
    """Check the calls and remove refused ones with their results; return the verdict if none is left."""
    calls = [block for block in listed(data.get("content")) if block["type"] in CALLS]
    changed = False
    refusal: Verdict | None = None
    gone: list[int] = []
    ids: set[Any] = set()
    for call in calls:
        changed |= restore_call(call, "input", turn)
        verdict = await call_verdict(call.get("name"), call.get("input"), call.get("id"), turn)
        if turn.refuses(verdict):
            refusal = refusal or verdict
            gone.append(id(call))
            ids.add(str(call.get("id")))
    if refusal is None:
        return None, changed
    if len(gone) == len(calls):
        return refusal, True
    data["content"] = [
        block for block in data["content"] if id(block) not in gone and str(block.get("tool_use_id")) not in ids
    ]
    if data.get("stop_reason") == "tool_use" and not any(block["type"] == "tool_use" for block in data["content"]):
        data["stop_reason"] = "end_turn"
    return None, True


def _replace(data: dict[str, Any], reply: str) -> None:
    """Replace the whole answer by the reply."""
    kept = message_head(data)
    data.clear()
    data.update(kept, content=[{"type": "text", "text": reply}], stop_reason="refusal", stop_sequence=None)


def _kind(channel: Any) -> str:
    """Return the kind of a stream channel, also for a separated part of it."""
    while isinstance(channel, tuple):
        channel = channel[0]
    return str(channel)
