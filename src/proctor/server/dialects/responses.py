"""The responses API: where requests and answers have texts and calls."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from proctor.core.verdict import Verdict
from proctor.server.conversation import Kind, Said, digest
from proctor.server.dialects.openai_answer import drop_texts, other_text
from proctor.server.dialects.openai_request import check_content, other_fields, whole_text
from proctor.server.dialects.response_events import spoken
from proctor.server.dialects.response_items import (
    CALLS,
    KNOWN_ITEMS,
    NAMED_CALLS,
    call_key,
    call_name,
    call_text,
    drop_logprobs,
    item_texts,
    kind_of,
    message_item,
    other_item_text,
)
from proctor.server.dialects.responses_stream import ECHO, ResponsesStream
from proctor.server.guarded_request import RequestTurn, canonical_arguments
from proctor.server.wire.stream_events import Slot, compact, listed, slots
from proctor.server.wire.text_slots import ObjectEntry, has_space

__all__ = ["ResponsesShape"]

_ASIDE: Final = frozenset({"system", "developer"})
# Fields that are read elsewhere, and developer settings, which customers do not write.
_READ_OR_SETTING: Final = frozenset(
    {"input", "prompt", "proctor", "access_programs", "background", "context_management", "conversation", "image"}
    | {"include", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "model", "moderation"}
    | {"parallel_tool_calls", "previous_response_id", "prompt_cache_key", "prompt_cache_options", "store", "stream"}
    | {"prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "stream_options", "temperature"}
    | {"text", "tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user"}
)


class ResponsesShape:
    """The format of responses."""

    def dialect(self) -> ResponsesStream:
        """Return a new stream reader."""
        return ResponsesStream()

    def said(self, body: dict[str, Any]) -> list[Said]:
        """Return the input items and the texts in other fields; a bare string is a user message.

        Raises:
            ValueError: a part cannot be read completely. The message continues "the body".
        """
        found = [*other_fields(body, _READ_OR_SETTING), *_variables(body.get("prompt"))]
        given = body.get("input")
        if isinstance(given, str):
            slot = Slot("input", body, "input")
            return [*found, Said(kind="user", slots=[slot], digest=digest("user", given))]
        if not isinstance(given, list | None):
            raise ValueError("has an input that is neither a text nor a list; send a string or a list of items")
        names: dict[str, str] = {}
        for number, item in enumerate(given or ()):
            _check_item(item, f"input[{number}]")
            if kind_of(item) in CALLS:
                names[str(item.get("call_id") or "")] = call_name(item)
            found.append(_said(item, names))
        return found

    def answered(self, data: Mapping[str, Any]) -> list[bytes]:
        """Return digests that identify the answer when the next request repeats its items."""
        items = [item for item in listed(data.get("output")) if isinstance(item, dict)]
        return [_digest(item) for item in items if _is_in_thread(item)]

    def streamed(self, said: Mapping[Any, str], calls: Sequence[Any], tail: str) -> list[bytes]:
        """Return these digests for a streamed answer."""
        items: dict[int, bytes] = {}
        texts: dict[int, str] = {}
        for channel, text in said.items():
            if isinstance(channel, tuple) and len(channel) == 3 and channel[1] in ("output_text", "refusal"):
                texts[channel[0]] = texts.get(channel[0], "") + text
        if tail:
            last = max(texts, default=0)
            texts[last] = texts.get(last, "") + tail
        items.update({number: digest("assistant", text) for number, text in texts.items()})
        for call in calls:
            if not call.refused:
                items[call.key] = digest("call", call.name, canonical_arguments(call.arguments))
        return [items[number] for number in sorted(items)]

    async def check(self, data: dict[str, Any], turn: RequestTurn) -> bool:
        """Run the gates on a whole answer and remove what they stop; return whether anything changed."""
        output = [item for item in listed(data.get("output")) if isinstance(item, dict)]
        changed = len(output) < len(listed(data.get("output")))
        if changed:
            data["output"] = output
        for slot in _texts(data, output):
            verdict = await turn.output(slot.text)
            if turn.stops(verdict):
                _replace(data, turn.reply(verdict), turn)
                return True
            leaves = turn.restored("", slot.text if verdict.text is None else verdict.text)
            if leaves != slot.text:
                slot.place[slot.key] = leaves
                changed = True
        changed |= _drop_logprobs(output)
        changed |= _restore_calls(output, turn)
        refused = await _refused(output, turn)
        if refused:
            data["output"] = [item for item in data["output"] if id(item) not in refused]
            left = {kind_of(item) for item in data["output"]}
            called = any(id(item) in refused and kind_of(item) in CALLS for item in output)
            if not left & (CALLS if called else CALLS | {"message"}):
                _replace(data, turn.reply(next(iter(refused.values()))), turn)
        if (changed or refused) and (told := turn.told()):
            data["proctor"] = told
        return changed or bool(refused)

    def reply(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> dict[str, Any]:
        """Return the guard's reply in the format of the API.

        Its status is ``completed``: the official clients treat ``incomplete`` as a failure and do not show the reply.
        """
        return {
            "id": f"resp_proctor_{uuid4().hex}",
            "object": "response",
            "created_at": int(time.time()),
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "model": str(body.get("model") or ""),
            "output": [message_item(text)],
            "parallel_tool_calls": True,
            "temperature": None,
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "previous_response_id": body.get("previous_response_id"),
            "usage": {
                "input_tokens": 0,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 0,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 0,
            },
            "proctor": turn.told() or {},
        }

    def reply_stream(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> bytes:
        """Return the guard's reply as a stream."""
        return spoken(self.reply(body, text, turn), text)


def _check_item(item: Any, where: str) -> None:
    if not isinstance(item, dict):
        raise ValueError(f"has {where}, which is not an object; send an object with a `type` or a `role`")
    for name in ("type", "role"):
        if item.get(name) is not None and not isinstance(item[name], str):
            raise ValueError(f"has {where}, whose {name} is not a string; send a string")
    if _is_message(item):
        check_content(item, "content", where)


def _said(item: dict[str, Any], names: Mapping[str, str]) -> Said:
    kind = item.get("type")
    if kind in CALLS:
        held = kind in NAMED_CALLS and isinstance(item.get(call_key(item)), str)
        return Said(
            kind="assistant", digest=_digest(item), arguments=[Slot("call", item, call_key(item))] if held else []
        )
    if _is_message(item):
        role = str(item.get("role") or "").lower()
        who: Kind = "assistant" if role == "assistant" else "other" if role in _ASIDE else "user"
        found = whole_text("content", item, names=True) if who == "user" else list(slots("content", item, "content"))
        return Said(kind=who, slots=found, digest=_digest(item))
    call_id = str(item.get("call_id") or "")
    is_result = _is_result(item)
    return Said(  # tool results, findings of provider tools, and unknown items
        kind="tool",
        slots=whole_text("output", item),
        digest=_digest(item),
        name=names.get(call_id, "") if is_result else str(kind),
        call_id=call_id or None,
        aside=not is_result,
    )


def _variables(prompt: Any) -> list[Said]:
    """Return the user's texts that fill the variables of a stored prompt."""
    if prompt is None:
        return []
    if not isinstance(prompt, dict) or not isinstance(prompt.get("variables"), dict | None):
        raise ValueError("has a prompt that is not an object with an object of `variables`; send one")
    given = prompt.get("variables") or {}
    found: list[Said] = []
    for name, value in list(given.items()):
        entry = ObjectEntry(given, name)
        texts = [Slot(name, entry, "value")] if isinstance(value, str) else whole_text(name, value)
        if has_space(name):
            texts.insert(0, Slot(name, entry, "key"))
        if texts:
            found.append(Said(kind="user", slots=texts, digest=digest("variable", name, value)))
    return found


def _is_message(item: Mapping[str, Any]) -> bool:
    return item.get("type") in ("message", None, "")


def _is_result(item: Mapping[str, Any]) -> bool:
    return str(item.get("type") or "").endswith("_output")


def _is_in_thread(item: Mapping[str, Any]) -> bool:
    """Return whether clients always repeat the item; reasoning items, for example, may be left out."""
    return _is_message(item) or _is_result(item) or kind_of(item) in CALLS


def _digest(item: Mapping[str, Any]) -> bytes:
    if kind_of(item) in CALLS:
        return digest("call", call_name(item), canonical_arguments(call_text(item)))
    if _is_message(item) and item.get("role") == "assistant":
        return digest("assistant", "".join(slot.text for slot in item_texts(0, item)))
    if _is_message(item) and item.keys() <= {"type", "role", "content"}:  # the type is optional
        return digest(item.get("role"), item.get("content"))
    return digest(item)  # everything that is read


def _texts(data: dict[str, Any], output: Sequence[dict[str, Any]]) -> Iterator[Slot]:
    """Yield every text of an answer; the caller may change each before the next is read."""
    for number, item in enumerate(output):
        if kind_of(item) in KNOWN_ITEMS:  # others are removed
            if kind_of(item) in ("message", "reasoning"):
                yield from (slot for slot in item_texts(number, item) if slot.text)
            yield from other_item_text(number, item)
    done = ECHO | {name for name in ("output", "data") if isinstance(data.get(name), list)}
    yield from other_text("other", data, done)


def _drop_logprobs(output: Sequence[dict[str, Any]]) -> bool:
    parts = [part for item in output for part in listed(item.get("content")) if isinstance(part, dict)]
    return any([drop_logprobs(part, part.get("text")) for part in parts])


def _restore_calls(output: Sequence[dict[str, Any]], turn: RequestTurn) -> bool:
    changed = False
    for item in output:
        if kind_of(item) in NAMED_CALLS:
            leaves = turn.restored_call(call_text(item), item["type"] == "custom_tool_call")
            if leaves != call_text(item):
                item[call_key(item)] = leaves
                changed = True
    return changed


async def _refused(output: Sequence[dict[str, Any]], turn: RequestTurn) -> dict[int, Verdict]:
    """Return the verdicts on refused calls and unknown items, by object identity."""
    refused: dict[int, Verdict] = {}
    for item in output:
        kind = kind_of(item)
        if kind not in KNOWN_ITEMS:
            verdict = await turn.unknown(kind)
        elif kind in CALLS:
            arguments = call_text(item)
            if kind == "custom_tool_call":
                arguments = compact({"input": arguments})
            verdict = await turn.call(call_name(item), arguments, str(item.get("call_id") or "") or None)
        else:
            continue
        if turn.refuses(verdict):
            refused[id(item)] = verdict
    return refused


def _replace(data: dict[str, Any], reply: str, turn: RequestTurn) -> None:
    """Replace the whole answer by the reply."""
    drop_texts(data, ECHO | {"output"})
    data.update(output=[message_item(reply)], status="completed", error=None, incomplete_details=None)
    data["proctor"] = turn.told() or {}
