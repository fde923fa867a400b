"""Texts of a request in the OpenAI shapes: which fields are read, which are the developer's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from proctor.server.conversation import Said, digest
from proctor.server.wire.stream_events import Slot
from proctor.server.wire.text_slots import ObjectEntry, all_strings, has_space, is_token

__all__ = ["check_content", "other_fields", "whole_text"]

# Ids and settings: not read while they are single words.
_IDS: Final = frozenset(
    {"id", "type", "role", "status", "call_id", "tool_call_id", "file_id", "detail", "format", "phase", "namespace"}
    | {"index", "container_id", "vector_store_id", "approval_request_id", "server_label", "execution", "created_by"}
    | {"name", "mime_type", "media_type", "output_format", "quality", "size", "background", "ttl", "version", "code"}
    | {"fingerprint"}
)
# Addresses and data of pictures and sounds: not read while they have no spaces.
_OPAQUE: Final = frozenset(
    {"url", "image_url", "file_url", "data", "encrypted_content", "signature", "result", "thought_signature"}
    | {"partial_image_b64"}
)
# Keys of the API's own objects. Any other key is read as text.
_KNOWN: Final = (
    _IDS
    | _OPAQUE
    | {"content", "text", "refusal", "summary", "output", "outputs", "input", "arguments", "action", "actions", "logs"}
    | {"operation", "stdout", "stderr", "outcome", "exit_code", "results", "queries", "query", "sources", "error"}
    | {"tools", "description", "parameters", "input_schema", "annotations", "filename", "file_data", "file", "reason"}
    | {"input_audio", "audio", "transcript", "cache_control", "prompt_cache_breakpoint", "caller", "environment"}
    | {"acknowledged_safety_checks", "pending_safety_checks", "message", "score", "attributes", "title", "approve"}
    | {"max_output_length", "logprobs", "code", "revised_prompt", "user_location", "approximate", "city", "country"}
    | {
        "region",
        "timezone",
        "search_context_size",
        "start_index",
        "end_index",
        "tool_calls",
        "function",
        "diff",
        "path",
    }
)
_TEXT_FIELDS: Final = ("text", "refusal")


def check_content(place: Mapping[str, Any], key: str, where: str) -> None:
    """Check that a content is a text, or a list of parts whose texts are texts.

    Raises:
        ValueError: it has another shape, which two readers could read in two ways. The message continues "the body".
    """
    value = place.get(key)
    if value is None or isinstance(value, str):
        return
    if not isinstance(value, list):
        hint = "send a string, or a list of objects with a `type`"
        raise ValueError(f"has {where} whose {key} is neither a text nor a list of parts; {hint}")
    for number, part in enumerate(value):
        if isinstance(part, str):
            continue
        if not isinstance(part, dict):
            hint = "send an object with a `type`"
            raise ValueError(f"has {where} whose {key}[{number}] is not a part; {hint}")
        for name in ("type", *_TEXT_FIELDS):
            if part.get(name) is not None and not isinstance(part[name], str):
                raise ValueError(f"has {where} whose {key}[{number}].{name} is not a string; send a string")


def whole_text(channel: str, item: Any, *, names: bool = False) -> list[Slot]:
    """Slots for every string of a message or an item, apart from its ids; ``names``: its name is read, too."""
    skip = _skip_all_ids if not names else _skip_ids
    return [slot for slot in all_strings(channel, {"item": item}, "item", skip=skip, known=_KNOWN) if slot.text]


def other_fields(body: dict[str, Any], read: frozenset[str]) -> list[Said]:
    """What a request says in fields that are neither its messages nor settings of the developer, as a tool's result."""
    found: list[Slot] = []
    given = {name: value for name, value in body.items() if name not in read}
    for name in given:
        entry = ObjectEntry(body, name)
        texts = [slot for slot in all_strings("request", entry, "value", skip=_skip_all_ids, known=_KNOWN) if slot.text]
        if texts or has_space(name):
            found += [*((Slot("request", entry, "key"),) if name not in _KNOWN else ()), *texts]
    if not found:
        return []
    return [Said(kind="tool", name="request", slots=found, digest=digest("request", given), aside=True)]


def _skip_ids(key: str, value: Any) -> bool:
    if key in _IDS:
        return key != "name" and is_token(value)
    return key in _OPAQUE and isinstance(value, str) and not has_space(value)


def _skip_all_ids(key: str, value: Any) -> bool:
    return _skip_ids(key, value) or (key == "name" and is_token(value))
