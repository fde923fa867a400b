"""The chat completions API: where requests and answers have texts and calls."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from proctor.core.verdict import Verdict
from proctor.server.conversation import Kind, Said, digest
from proctor.server.dialects.chat_fields import (
    ECHO,
    TEXTS,
    are_logprobs_of,
    drop_malformed_calls,
    is_unknown_call,
    other_delta_strings,
)
from proctor.server.dialects.chat_stream import ChatStream
from proctor.server.dialects.openai_answer import drop_texts, other_strings, other_text, strings_of
from proctor.server.dialects.openai_request import check_content, other_fields, whole_text
from proctor.server.guarded_request import RequestTurn, canonical_arguments
from proctor.server.wire.sse import encoded
from proctor.server.wire.stream_events import Slot, compact, listed, slots
from proctor.server.wire.text_slots import joined

__all__ = ["Chat"]

# Unknown roles are treated as the user, so their texts are checked.
_KINDS: Final[Mapping[str, Kind]] = {
    "system": "other",
    "developer": "other",
    "tool": "tool",
    "function": "tool",
    "assistant": "assistant",
}
# Fields that are read elsewhere, and developer settings, which customers do not write.
_READ_OR_SETTING: Final = frozenset(
    {
        "messages",
        "proctor",
        "model",
        "audio",
        "frequency_penalty",
        "function_call",
        "functions",
        "logit_bias",
        "logprobs",
    }
    | {"max_completion_tokens", "max_tokens", "metadata", "modalities", "moderation", "n", "parallel_tool_calls"}
    | {"presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning_effort"}
    | {"response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options"}
    | {"temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity", "reasoning", "provider"}
)


class Chat:
    """The format of chat completions."""

    def dialect(self) -> ChatStream:
        """Return a new stream reader."""
        return ChatStream()

    def said(self, body: dict[str, Any]) -> list[Said]:
        """Return the messages of a request, and the texts in its other fields.

        Raises:
            ValueError: a part cannot be read completely. The message continues "the body".
        """
        messages = body.get("messages")
        if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
            raise ValueError("has no list of messages; send `messages` as a list of objects")
        names: dict[str, str] = {}
        found = other_fields(body, _READ_OR_SETTING)
        for number, message in enumerate(messages):
            check_content(message, "content", f"messages[{number}]")
            for call in _calls(message):
                names[str(call["place"].get("id") or "")] = call["name"]
            found.append(_said(message, names))
        return found

    def answered(self, data: Mapping[str, Any]) -> list[bytes]:
        """Return digests that identify the answer when the next request repeats it as a message."""
        choices = [each for each in listed(data.get("choices")) if isinstance(each, dict)]
        return [_digest(choice["message"]) for choice in choices[:1] if isinstance(choice.get("message"), dict)]

    def streamed(self, said: Mapping[Any, str], calls: Sequence[Any], tail: str) -> list[bytes]:
        """Return these digests for a streamed answer."""
        text = said.get((0, "content"), "") + tail
        made = [(call.name, call.arguments) for call in calls if call.key[0] == 0 and not call.refused]
        return [digest("assistant", text, [[name, canonical_arguments(arguments)] for name, arguments in made])]

    async def check(self, data: dict[str, Any], turn: RequestTurn) -> bool:
        """Run the gates on a whole answer and remove what they stop; return whether anything changed."""
        given = listed(data.get("choices"))
        choices = [choice for choice in given if isinstance(choice, dict)]
        changed = len(choices) < len(given)
        if changed:
            data["choices"] = choices
        for choice in choices:
            changed |= await _check_choice(choice, turn)
        done = ECHO | {name for name in ("choices", "data") if isinstance(data.get(name), list)}
        for slot in other_text("other", data, done):
            verdict, is_new = await _check_text(slot, turn)
            changed |= is_new
            if turn.stops(verdict):
                self._withhold(data, choices, turn.reply(verdict), turn)
                changed = True
        if changed and (told := turn.told()):
            data["proctor"] = told
        return changed

    def _withhold(self, data: dict[str, Any], choices: list[dict[str, Any]], reply: str, turn: RequestTurn) -> None:
        """Replace all texts of the answer by the reply."""
        drop_texts(data, ECHO)
        for choice in choices:
            _replace(choice, reply)
        data.update({"choices": choices} if choices else self.reply({}, reply, turn))

    def reply(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> dict[str, Any]:
        """Return the guard's reply in the format of the API."""
        message = {"role": "assistant", "content": text, "refusal": None}
        return {
            "id": f"chatcmpl-proctor-{uuid4().hex}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": str(body.get("model") or ""),
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "content_filter"}],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
            "proctor": turn.told() or {},
        }

    def reply_stream(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> bytes:
        """Return the guard's reply as a stream."""
        whole = self.reply(body, text, turn)
        told, usage = whole.pop("proctor"), whole.pop("usage")
        whole["object"] = "chat.completion.chunk"
        parts: list[bytes] = []
        for delta, finish in (
            ({"role": "assistant", "content": ""}, None),
            ({"content": text}, None),
            ({}, "content_filter"),
        ):
            whole["choices"] = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
            parts.append(encoded(compact({**whole, "proctor": told} if finish else whole)))
        options = body.get("stream_options")
        if isinstance(options, Mapping) and options.get("include_usage"):
            parts.append(encoded(compact({**whole, "choices": [], "usage": usage})))
        return b"".join((*parts, b"data: [DONE]\n\n"))


def _said(message: dict[str, Any], names: Mapping[str, str]) -> Said:
    kind = _KINDS.get(str(message.get("role")).lower(), "user")
    call_id = str(message.get("tool_call_id") or "")
    keys = ((call["function"], "input" if call["free"] else "arguments") for call in _calls(message))
    if kind in ("user", "tool"):
        found = whole_text("content", message, names=kind == "user")
    else:
        found = list(slots("content", message, "content"))
    return Said(
        kind=kind,
        slots=found,
        arguments=[Slot("call", place, key) for place, key in keys if isinstance(place.get(key), str)],
        digest=_digest(message),
        name=str(message.get("name") or names.get(call_id) or "tool") if kind == "tool" else "",
        call_id=call_id or None,
    )


def _digest(message: Mapping[str, Any]) -> bytes:
    texts = [slot.text for slot in slots("content", message, "content")]
    if message.get("role", "assistant") == "assistant":  # clients add and drop fields when they repeat an answer
        made = [[call["name"], canonical_arguments(call["arguments"])] for call in _calls(message)]
        return digest("assistant", "".join(texts), made)
    return digest(message)  # everything that is read


def _calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a message; ``free`` means that the arguments are text, not JSON."""
    found: list[dict[str, Any]] = []
    for call in listed(message.get("tool_calls")):
        if isinstance(call, dict):
            free = isinstance(call.get("custom"), dict)
            function = call.get("custom") if free else call.get("function")
            function = function if isinstance(function, dict) else {}
            arguments = function.get("input" if free else "arguments")
            found.append(_call(call, function, arguments, free))
    if isinstance(message.get("function_call"), dict):
        function = message["function_call"]
        found.append(_call(function, function, function.get("arguments"), False))
    return found


def _call(place: dict[str, Any], function: dict[str, Any], arguments: Any, free: bool) -> dict[str, Any]:
    told = arguments if isinstance(arguments, str) else "" if arguments is None else compact(arguments)
    name = str(function.get("name") or "")
    return {"place": place, "function": function, "name": name, "arguments": told, "free": free}


async def _check_choice(choice: dict[str, Any], turn: RequestTurn) -> bool:
    messages = [choice[name] for name in ("message", "delta") if isinstance(choice.get(name), dict)]
    changed = any([drop_malformed_calls(message) for message in messages])
    before = "".join(slot.text for message in messages for slot in slots("content", message, "content"))
    for slot in _texts(choice, messages):
        verdict, is_new = await _check_text(slot, turn)
        if turn.stops(verdict):
            _replace(choice, turn.reply(verdict))
            return True
        changed |= is_new
        if is_new and slot.channel == "transcript":
            slot.place["data"] = ""  # the audio contains the removed text
    refusal = "".join(str(message.get("refusal") or "") for message in messages)
    after = "".join(slot.text for message in messages for slot in slots("content", message, "content"))
    if choice.get("logprobs") and (before != after or not are_logprobs_of(choice["logprobs"], after, refusal)):
        choice["logprobs"] = None  # would reveal removed text, or contain unchecked text
        changed = True
    for message in messages:
        changed |= _restore_calls(message, turn)
        changed |= await _check_calls(choice, message, turn)
    return changed


async def _check_text(slot: Slot, turn: RequestTurn) -> tuple[Verdict, bool]:
    """Return the verdict on a text, and whether the text was changed."""
    verdict = await turn.output(slot.text)
    if turn.stops(verdict):
        return verdict, False
    leaves = turn.restored("", slot.text if verdict.text is None else verdict.text)
    if leaves == slot.text:
        return verdict, False
    slot.place[slot.key] = leaves
    return verdict, True


def _texts(choice: dict[str, Any], messages: Sequence[dict[str, Any]]) -> Iterator[Slot]:
    """Yield every text of a choice; the caller may change each before the next is read."""
    others: list[Slot] = []
    done = {name for name in ("message", "delta") if isinstance(choice.get(name), dict)} | {"logprobs"}
    for message in messages:
        for name in TEXTS:
            if isinstance(message.get(name), str):
                if message[name]:
                    yield Slot(name, message, name)
            elif name in message and (slot := joined(name, list(strings_of(name, message, name)))) is not None:
                yield slot
        audio = message.get("audio")
        if isinstance(audio, dict) and isinstance(audio.get("transcript"), str):
            yield Slot("transcript", audio, "transcript")
        others += other_delta_strings("other", message)
    if isinstance(choice.get("text"), str):
        done.add("text")
        if choice["text"]:
            yield Slot("text", choice, "text")
    others += other_strings("other", choice, frozenset(done))
    if (slot := joined("other", others)) is not None:
        yield slot


def _restore_calls(message: Mapping[str, Any], turn: RequestTurn) -> bool:
    changed = False
    for call in _calls(message):
        leaves = turn.restored_call(call["arguments"], call["free"])
        if leaves != call["arguments"]:
            call["function"]["input" if call["free"] else "arguments"] = leaves
            changed = True
    return changed


async def _check_calls(choice: dict[str, Any], message: dict[str, Any], turn: RequestTurn) -> bool:
    refusal: Verdict | None = None
    refused: list[int] = []
    made = _calls(message)
    for call in made:
        arguments = compact({"input": call["arguments"]}) if call["free"] else call["arguments"]
        if is_unknown_call(call["place"]):
            verdict = await turn.unknown(str(call["place"].get("type")))
        else:
            verdict = await turn.call(call["name"], arguments, str(call["place"].get("id") or "") or None)
        if turn.refuses(verdict):
            refusal = refusal or verdict
            refused.append(id(call["place"]))
    if refusal is None:
        return False
    if len(refused) == len(made):
        _replace(choice, turn.reply(refusal))
        return True
    if id(message.get("function_call")) in refused:
        del message["function_call"]
    if isinstance(message.get("tool_calls"), list):
        message["tool_calls"] = [call for call in message["tool_calls"] if id(call) not in refused]
    return True


def _replace(choice: dict[str, Any], reply: str) -> None:
    """Replace the whole choice by the reply."""
    number = choice.get("index", 0)
    choice.clear()
    choice["index"] = number if isinstance(number, int) else 0
    choice["message"] = {"role": "assistant", "content": reply, "refusal": None}
    choice["logprobs"] = None
    choice["finish_reason"] = "content_filter"
