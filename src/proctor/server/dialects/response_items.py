"""Items of the responses API: which are tool calls and how they read, where their texts stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import uuid4

from proctor.server.dialects.openai_answer import are_tokens_of, other_strings, other_text
from proctor.server.wire.stream_events import Slot, compact, listed
from proctor.server.wire.text_slots import joined

__all__ = [
    "CALLS",
    "KNOWN_ITEMS",
    "NAMED_CALLS",
    "call_key",
    "call_name",
    "call_text",
    "drop_logprobs",
    "item_texts",
    "kind_of",
    "message_item",
    "other_item_text",
    "other_part_strings",
    "part_slot",
]

NAMED_CALLS: Final = frozenset({"function_call", "custom_tool_call"})
# Calls that the client carries out. Those without a name of their own are judged by the name of their kind.
CALLS: Final = NAMED_CALLS | {
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "computer_call",
    "mcp_approval_request",
    "tool_search_call",
}
# What the provider carries out itself: read as text.
_PROVIDER_ITEMS: Final = frozenset(
    {"file_search_call", "web_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
    | {"mcp_list_tools", "mcp_approval_response", "tool_search_output", "additional_tools", "compaction", "program"}
    | {"program_output", "function_call_output", "custom_tool_call_output", "computer_call_output"}
    | {"local_shell_call_output", "shell_call_output", "apply_patch_call_output", "configuration_update"}
)
KNOWN_ITEMS: Final = CALLS | _PROVIDER_ITEMS | {"message", "reasoning"}

_NO_ARGUMENTS: Final = frozenset({"id", "type", "status", "call_id", "caller", "created_by"})
_CALL_DONE: Final = frozenset({"name", "arguments", "input"})


def item_texts(number: int, item: Mapping[str, Any]) -> Iterator[Slot]:
    """The texts of a message or of reasoning, each with its channel; they repeat what was streamed."""
    for key in ("content", "summary"):
        if isinstance(item.get(key), str) and isinstance(item, dict):
            yield Slot((number, "output_text", 0), item, key, True)
        for place, part in enumerate(listed(item.get(key))):
            if isinstance(part, dict):
                yield from part_slot(number, place, part)


def part_slot(number: int, place: int, part: dict[str, Any]) -> Iterator[Slot]:
    """The text of a part."""
    key = _text_key(part)
    if isinstance(part.get(key), str):
        yield Slot((number, str(part.get("type")), place), part, key, True)


def other_item_text(number: int, item: dict[str, Any]) -> Iterator[Slot]:
    """All other strings of an item as one text: annotations, what tools found, fields that are not known."""
    channel = (number, "other")
    if kind_of(item) in NAMED_CALLS:
        yield from other_text(channel, item, _CALL_DONE, whole=True)
        return
    if kind_of(item) in CALLS:  # all else of it is what it is made with
        yield from other_text(channel, item, frozenset(item) - _NO_ARGUMENTS, whole=True)
        return
    if kind_of(item) not in ("message", "reasoning"):
        yield from other_text(channel, item, frozenset(), whole=True)
        return
    found: list[Slot] = []
    done: set[str] = set()
    for key in ("content", "summary"):
        if isinstance(item.get(key), str):
            done.add(key)
        elif isinstance(item.get(key), list) and all(isinstance(each, dict) for each in item[key]):
            done.add(key)
            for part in item[key]:
                found += other_part_strings(channel, part)
    found = [*other_strings(channel, item, frozenset(done)), *found]
    slot = joined(channel, found, whole=True)
    if slot is not None:
        yield slot


def other_part_strings(channel: Any, part: dict[str, Any]) -> Iterator[Slot]:
    """The strings of a part beside its text."""
    key = _text_key(part)
    done = {"logprobs", key} if isinstance(part.get(key), str) else {"logprobs"}
    yield from other_strings(channel, part, frozenset(done))


def drop_logprobs(place: dict[str, Any], text: Any) -> bool:
    """Take log probabilities out where they say anything else than the text; returns whether they did."""
    if not place.get("logprobs") or are_tokens_of(place["logprobs"], text if isinstance(text, str) else ""):
        return False
    place["logprobs"] = []
    return True


def kind_of(item: Any) -> str:
    """The kind of an item; empty where it has none that is a text."""
    kind = item.get("type") if isinstance(item, Mapping) else None
    return kind if isinstance(kind, str) else ""


def _text_key(part: Mapping[str, Any]) -> str:
    return "refusal" if part.get("type") == "refusal" else "text"


def call_name(item: Mapping[str, Any]) -> str:
    """The name that a call is judged by: its own, or that of its kind."""
    return str(item.get("name") or "") if kind_of(item) in NAMED_CALLS else str(item.get("type"))


def call_key(item: Mapping[str, Any]) -> str:
    """Where a named call has its arguments."""
    return "input" if item.get("type") == "custom_tool_call" else "arguments"


def call_text(item: Mapping[str, Any]) -> str:
    """The arguments of a call; of a kind without a name of its own, all that it says."""
    if kind_of(item) not in NAMED_CALLS:
        return compact({name: value for name, value in item.items() if name not in _NO_ARGUMENTS and value is not None})
    told = item.get(call_key(item))
    return told if isinstance(told, str) else "" if told is None else compact(told)


def message_item(text: str, id: str = "") -> dict[str, Any]:
    """A message of the assistant as an output item."""
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    name = id or f"msg_proctor_{uuid4().hex}"
    return {"id": name, "type": "message", "role": "assistant", "status": "completed", "content": [part]}
