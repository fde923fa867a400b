"""The responses API: where the texts and calls of a request and of an answer stand."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from proctor.core.verdict import Verdict
from proctor.server.conversation import Kind, Said, digest
from proctor.server.frames import Slot, compact, listed, slots
from proctor.server.responses_stream import (
    CALLS,
    ResponsesStream,
    call_key,
    call_text,
    item_texts,
    message_item,
    spoken,
)
from proctor.server.turn import Turn, arguments_of

__all__ = ["Responses"]

_ASIDE: Final = frozenset({"system", "developer"})


class Responses:
    """The shape of responses."""

    def dialect(self) -> ResponsesStream:
        """A reader for one stream."""
        return ResponsesStream()

    def said(self, body: dict[str, Any]) -> list[Said]:
        """The input items of a request; a bare text is one of the user's."""
        found = _variables(body.get("prompt"))
        if isinstance(body.get("input"), str):
            slot = Slot("input", body, "input")
            return [*found, Said(kind="user", slots=[slot], digest=digest("user", body["input"]))]
        names: dict[str, str] = {}
        for item in listed(body.get("input")):
            if isinstance(item, dict) and item.get("type") != "reasoning":  # clients leave these out or repeat them
                if item.get("type") in CALLS:
                    names[str(item.get("call_id") or "")] = str(item.get("name") or "")
                found.append(_said(item, names))
        return found

    def answered(self, data: Mapping[str, Any]) -> list[bytes]:
        """What tells an answer from others, when the next request repeats its items."""
        items = [item for item in listed(data.get("output")) if isinstance(item, dict)]
        return [_digest(item) for item in items if item.get("type") != "reasoning"]

    def streamed(self, said: Mapping[Any, str], calls: Sequence[Any], tail: str) -> list[bytes]:
        """The same for an answer that was streamed."""
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
                items[call.key] = digest("call", call.name, _canonical(call.arguments))
        return [items[number] for number in sorted(items)]

    async def check(self, data: dict[str, Any], turn: Turn) -> bool:
        """Put a whole answer before the gates and take out what must not leave; says whether anything changed."""
        output = [item for item in listed(data.get("output")) if isinstance(item, dict)]
        changed = False
        for slot in _texts(output):
            verdict = await turn.output(slot.text)
            if turn.stops(verdict):
                _replace(data, turn.reply(verdict), turn)
                return True
            leaves = turn.restored("", slot.text if verdict.text is None else verdict.text)
            if leaves != slot.text:
                slot.place[slot.key] = leaves
                slot.place.pop("logprobs", None)  # they would tell what was taken out
                changed = True
        changed |= _restore_calls(output, turn)
        refused = await _refused(output, turn)
        if refused:
            data["output"] = [item for item in data["output"] if id(item) not in refused]
            if not any(isinstance(item, dict) and item.get("type") in CALLS for item in data["output"]):
                _replace(data, turn.reply(next(iter(refused.values()))), turn)
        if (changed or refused) and (told := turn.told()):
            data["proctor"] = told
        return changed or bool(refused)

    def reply(self, body: Mapping[str, Any], text: str, turn: Turn) -> dict[str, Any]:
        """An answer in the API's own shape, from the guard and not from a model.

        It is ``completed``: the official clients take an ``incomplete`` one for a failure and show nobody the reply.
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

    def reply_stream(self, body: Mapping[str, Any], text: str, turn: Turn) -> bytes:
        """The same as a stream."""
        return spoken(self.reply(body, text, turn), text)


def _said(item: dict[str, Any], names: Mapping[str, str]) -> Said:
    if _is_result(item):
        call_id = str(item.get("call_id") or "")
        found = list(slots("output", item, "output"))
        return Said(
            kind="tool", slots=found, digest=_digest(item), name=names.get(call_id, ""), call_id=call_id or None
        )
    if item.get("type") in CALLS:
        held = isinstance(item.get(call_key(item)), str)
        return Said(
            kind="assistant", digest=_digest(item), arguments=[Slot("call", item, call_key(item))] if held else []
        )
    role = str(item.get("role") or "").lower()
    kind: Kind = "assistant" if role == "assistant" else "other" if role in _ASIDE else "user"
    return Said(kind=kind, slots=list(slots("content", item, "content")), digest=_digest(item))


def _variables(prompt: Any) -> list[Said]:
    """What the user said that a stored prompt is filled in with."""
    given = prompt.get("variables") if isinstance(prompt, dict) else None
    found: list[Said] = []
    for name, value in given.items() if isinstance(given, dict) else ():
        slot = Slot(name, given, name) if isinstance(value, str) else Slot(name, value, "text")
        if isinstance(value, str) or (isinstance(value, dict) and isinstance(value.get("text"), str)):
            found.append(Said(kind="user", slots=[slot], digest=digest("variable", name, value)))
    return found


def _is_result(item: Mapping[str, Any]) -> bool:
    return str(item.get("type") or "").endswith("_output")


def _digest(item: Mapping[str, Any]) -> bytes:
    if item.get("type") in CALLS:
        return digest("call", item.get("name"), _canonical(call_text(item)))
    if item.get("role") == "assistant":
        return digest("assistant", "".join(slot.text for slot in item_texts(0, item)))
    if _is_result(item):
        return digest("result", item.get("call_id"), item.get("output"))
    return digest(item.get("role"), item.get("content"))


def _canonical(arguments: str) -> Any:
    try:
        return arguments_of(arguments)
    except ValueError:
        return arguments


def _texts(output: Sequence[dict[str, Any]]) -> Iterator[Slot]:
    for number, item in enumerate(output):
        yield from (slot for slot in item_texts(number, item) if slot.text)


def _restore_calls(output: Sequence[dict[str, Any]], turn: Turn) -> bool:
    changed = False
    for item in output:
        if item.get("type") in CALLS:
            leaves = turn.restored_call(call_text(item), item["type"] == "custom_tool_call")
            if leaves != call_text(item):
                item[call_key(item)] = leaves
                changed = True
    return changed


async def _refused(output: Sequence[dict[str, Any]], turn: Turn) -> dict[int, Verdict]:
    """The calls that must not be made, by the identity of their items."""
    refused: dict[int, Verdict] = {}
    for item in output:
        if item.get("type") in CALLS:
            free = item["type"] == "custom_tool_call"
            arguments = compact({"input": call_text(item)}) if free else call_text(item)
            verdict = await turn.call(str(item.get("name") or ""), arguments, str(item.get("call_id") or "") or None)
            if turn.refuses(verdict):
                refused[id(item)] = verdict
    return refused


def _replace(data: dict[str, Any], reply: str, turn: Turn) -> None:
    """Nothing of the answer may leave: the reply takes its place."""
    data.update(output=[message_item(reply)], status="completed", incomplete_details=None)
    data.pop("output_text", None)
    data["proctor"] = turn.told() or {}
