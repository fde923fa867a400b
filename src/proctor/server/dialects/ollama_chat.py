"""Ollama's own API: where requests and answers have texts and calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from proctor.core.verdict import Verdict
from proctor.server.conversation import Kind, Said, digest
from proctor.server.dialects.answer_check import call_verdict, check_texts, restore_call
from proctor.server.dialects.ollama_stream import TEXTS, OllamaStream, cleaned, functions, head
from proctor.server.dialects.wire_format import OLLAMA, WireFormat
from proctor.server.guarded_request import RequestTurn, canonical_arguments
from proctor.server.wire.ndjson import line
from proctor.server.wire.stream_events import Slot, compact, listed
from proctor.server.wire.text_walk import check_keys, leaves, walk

__all__ = ["OllamaChat", "OllamaGenerate"]

# Unknown roles are treated as the user, so their texts are checked.
_KINDS: Final[Mapping[str, Kind]] = {"system": "other", "tool": "tool", "assistant": "assistant"}
_MESSAGE: Final = ("role", "images", "tool_calls", "tool_name", "tool_call_id")


class OllamaChat:
    """The format of `/api/chat`: messages, and an answer with one message."""

    wire: WireFormat = OLLAMA

    def dialect(self) -> OllamaStream:
        """Return a new stream reader."""
        return OllamaStream("message")

    def said(self, body: dict[str, Any]) -> list[Said]:
        """Return the messages of a request.

        Raises:
            ValueError: a part cannot be read. The message continues "the body".
        """
        messages = body.get("messages", [])
        if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
            raise ValueError("has no list of messages")
        names: dict[str, str] = {}
        found: list[Said] = []
        for place, message in enumerate(messages):
            if not isinstance(message.get("content", ""), (str, type(None))):
                raise ValueError(f"has something at messages[{place}].content that is no text")
            check_keys({key: each for key, each in message.items() if key != "tool_calls"})
            for call, function in functions(message):
                names[str(call.get("id") or "")] = str(function.get("name") or "")
            found.append(_said(message, names))
        return found

    def answered(self, data: Mapping[str, Any]) -> list[bytes]:
        """Return digests that identify the answer when the next request repeats it as a message."""
        message = data.get("message")
        return [_digest(message)] if isinstance(message, dict) else []

    def streamed(self, said: Mapping[Any, str], calls: Sequence[Any], tail: str) -> list[bytes]:
        """Return these digests for a streamed answer."""
        text = "".join(text for channel, text in said.items() if channel == "content") + tail
        made = [[call.name, canonical_arguments(call.arguments)] for call in calls if not call.refused]
        return [digest("assistant", " ".join(text.split()), made)]

    async def check(self, data: dict[str, Any], turn: RequestTurn) -> bool:
        """Run the gates on a whole answer and remove what they stop; return whether anything changed."""
        changed = cleaned(data, "message")
        message = data.get("message") if isinstance(data.get("message"), dict) else {}
        assert isinstance(message, dict)
        stopped, altered = await _check_words(data, message, turn)
        if stopped is None:
            stopped, fewer = await _check_calls(message, turn)
            altered |= fewer
        if stopped is not None:
            _replace(data, {"message": {"role": "assistant", "content": turn.reply(stopped)}})
        if (altered or stopped is not None) and (told := turn.told()):
            data["proctor"] = told
        return changed or altered or stopped is not None

    def reply(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> dict[str, Any]:
        """Return the guard's reply in the format of the API."""
        return _reply(body, {"message": {"role": "assistant", "content": text}}, turn)

    def reply_stream(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> bytes:
        """Return the guard's reply as a stream of one line."""
        return line(compact(self.reply(body, text, turn)))


class OllamaGenerate:
    """The format of `/api/generate`: a prompt and its answer."""

    wire: WireFormat = OLLAMA

    def dialect(self) -> OllamaStream:
        """Return a new stream reader."""
        return OllamaStream("response")

    def said(self, body: dict[str, Any]) -> list[Said]:
        """Return the prompt of a request with its suffix; system and template are the developer's.

        Raises:
            ValueError: a part cannot be read. The message continues "the body".
        """
        if body.get("context"):
            raise ValueError("has a context of tokens, which cannot be read; use /api/chat with messages")
        for name in ("prompt", "suffix"):
            if not isinstance(body.get(name, ""), (str, type(None))):
                raise ValueError(f"has a {name} that is no text")
        found = [Slot("prompt", body, name) for name in ("prompt", "suffix") if isinstance(body.get(name), str)]
        return [Said(kind="user", slots=found, digest=digest(*(slot.text for slot in found)))] if found else []

    def answered(self, data: Mapping[str, Any]) -> list[bytes]:
        """Return nothing: requests do not repeat answers."""
        return []

    def streamed(self, said: Mapping[Any, str], calls: Sequence[Any], tail: str) -> list[bytes]:
        """Return nothing: requests do not repeat answers."""
        return []

    async def check(self, data: dict[str, Any], turn: RequestTurn) -> bool:
        """Run the gates on a whole answer and remove what they stop; return whether anything changed."""
        changed = cleaned(data, "response")
        stopped, altered = await _check_words(data, data, turn)
        if stopped is not None:
            _replace(data, {"response": turn.reply(stopped)})
        if (altered or stopped is not None) and (told := turn.told()):
            data["proctor"] = told
        return changed or altered or stopped is not None

    def reply(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> dict[str, Any]:
        """Return the guard's reply in the format of the API."""
        return _reply(body, {"response": text}, turn)

    def reply_stream(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> bytes:
        """Return the guard's reply as a stream of one line."""
        return line(compact(self.reply(body, text, turn)))


def _said(message: dict[str, Any], names: Mapping[str, str]) -> Said:
    kind = _KINDS.get(str(message.get("role")).lower(), "user")
    call_id = str(message.get("tool_call_id") or "")
    slots = [Slot("content", message, "content")] if isinstance(message.get("content"), str) else []
    if kind != "other":
        slots += walk("content", message, "content", *_MESSAGE)
        slots += walk("content", {"images": message.get("images")}) if _has_words(message) else []
    if kind == "assistant":
        for _, function in functions(message):
            slots += leaves("content", function.get("arguments"))
    name = str(message.get("tool_name") or message.get("name") or names.get(call_id) or "") if kind == "tool" else ""
    told = (
        _digest(message)
        if kind == "assistant"
        else digest(*(message.get(key) for key in ("role", "content", *_MESSAGE)))
    )
    return Said(kind=kind, slots=slots, digest=told, name=name, call_id=call_id or None)


def _has_words(message: Mapping[str, Any]) -> bool:
    """Return whether the list of images has an entry that is not an image."""
    return any(not isinstance(each, str) or " " in each for each in listed(message.get("images")))


def _digest(message: Mapping[str, Any]) -> bytes:
    text = message.get("content")
    made = [[str(call.get("name") or ""), call.get("arguments") or {}] for _, call in functions(message)]
    return digest("assistant", " ".join(text.split()) if isinstance(text, str) else "", made)


async def _check_words(data: dict[str, Any], place: dict[str, Any], turn: RequestTurn) -> tuple[Verdict | None, bool]:
    changed = False
    own = [[Slot(name, place, name)] for name in TEXTS if isinstance(place.get(name), str)]
    more = [*walk("more", place, *TEXTS, "tool_calls", "message", "proctor")]
    for _, function in functions(place):
        more += walk("more", function, "name", "arguments")
    if place is not data:
        more += walk("more", data, "message", "proctor")
    for slots in (*own, more):
        stopped, altered = await check_texts(slots, turn, apart="\n")
        if stopped is not None:
            return stopped, True
        changed |= altered
    return None, changed


async def _check_calls(message: dict[str, Any], turn: RequestTurn) -> tuple[Verdict | None, bool]:
    """Check the calls and remove refused ones; return the verdict if none is left."""
    changed = False
    refusal: Verdict | None = None
    made = functions(message)
    gone: list[int] = []
    for call, function in made:
        changed |= restore_call(function, "arguments", turn)
        verdict = await call_verdict(function.get("name"), function.get("arguments"), call.get("id"), turn)
        if turn.refuses(verdict):
            refusal = refusal or verdict
            gone.append(id(call))
    if refusal is None:
        return None, changed
    if len(gone) == len(made):
        return refusal, True
    message["tool_calls"] = [call for call in message["tool_calls"] if id(call) not in gone]
    return None, True


def _replace(data: dict[str, Any], said: Mapping[str, Any]) -> None:
    """Replace the whole answer by the reply."""
    kept = head(data)
    data.clear()
    data.update(kept, **said, done=True, done_reason="content_filter")


def _reply(body: Mapping[str, Any], said: Mapping[str, Any], turn: RequestTurn) -> dict[str, Any]:
    counts = dict.fromkeys(
        ("total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration"),
        0,
    )
    return {
        "model": str(body.get("model") or ""),
        "created_at": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        **said,
        "done": True,
        "done_reason": "content_filter",
        **counts,
        "proctor": turn.told() or {},
    }
