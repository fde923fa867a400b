"""Every text in a piece of JSON, but for marks such as ids that no model reads as words."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Final

from proctor.server.wire.stream_events import Slot

__all__ = ["MARKS", "check_keys", "is_mark", "leaves", "prune", "walk"]

# Keys whose values are names that APIs give out or choose from. They count as marks only while they look like one.
MARKS: Final = frozenset(
    {"type", "id", "tool_use_id", "file_id", "media_type", "ttl", "role", "model", "object", "created_at"}
    | {"stop_reason", "finish_reason", "done_reason", "service_tier", "inference_geo", "error_code", "retrieved_at"}
    | {"expires_at", "tool_name", "server_name", "mcp_server_name", "toolset_name", "tool_id", "system_fingerprint"}
    | {"encrypted_content", "encrypted_index", "encrypted_stdout", "signature", "detail", "skill_id", "version"}
)
_MARK: Final = re.compile(r"[A-Za-z0-9_.:/+=~@|-]*")
_KEY: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_.$-]{0,63}")
_DEEPEST: Final = 100
_PICTURES: Final = ("image/", "application/pdf")


def is_mark(key: Any, value: str, beside: Mapping[str, Any]) -> bool:
    """Whether a text is a mark and no words; ``beside`` is the object that it stands in.

    The data of a picture or a PDF, and thoughts that the provider has encrypted, are marks as well.
    """
    if key == "data":
        return _holds_bytes(beside) and _MARK.fullmatch(value) is not None
    return key in MARKS and _MARK.fullmatch(value) is not None


def walk(channel: Hashable, value: Any, *skip: str) -> Iterator[Slot]:
    """Where the texts of an object or a list stand, at any depth; ``skip`` are keys of the object itself."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key in skip:
                continue
            if isinstance(each, str):
                if not is_mark(key, each, value):
                    yield Slot(channel, value, key)
            else:
                yield from walk(channel, each)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            if isinstance(each, str):
                yield Slot(channel, value, place)
            else:
                yield from walk(channel, each)


def leaves(channel: Hashable, value: Any) -> Iterator[Slot]:
    """The same with every text, marks as well."""
    for place, each in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        if isinstance(each, str):
            yield Slot(channel, value, place)
        else:
            yield from leaves(channel, each)


def prune(value: Any, *skip: str, depth: int = 0) -> bool:
    """Take out of an answer what cannot be read: words as keys, and what is nested too deeply. Says whether it did.

    ``skip`` are keys of the object itself that are left as they are.
    """
    gone = False
    if isinstance(value, dict):
        for key in [key for key, each in value.items() if not _KEY.fullmatch(key) or _is_deep(each, depth)]:
            if key not in skip:
                del value[key]
                gone = True
        for key, each in value.items():
            gone |= key not in skip and prune(each, depth=depth + 1)
    elif isinstance(value, list):
        kept = [each for each in value if not _is_deep(each, depth)]
        gone = len(kept) != len(value)
        value[:] = kept
        for each in kept:
            gone |= prune(each, depth=depth + 1)
    return gone


def _is_deep(value: Any, depth: int) -> bool:
    return depth >= _DEEPEST and isinstance(value, (dict, list))


def check_keys(value: Any, depth: int = 0) -> None:
    """Look for words in the keys of an object, for files that cannot be read, and for objects within too many others.

    Raises:
        ValueError: there are some; says so as what follows "the body".
    """
    if _is_deep(value, depth):
        raise ValueError("is nested too deeply")
    if isinstance(value, dict):
        for key, each in value.items():
            if not _KEY.fullmatch(key):
                raise ValueError(f"has a key that is no name: {key[:60]!r}")
            check_keys(each, depth + 1)
        kind = value.get("media_type")
        if value.get("type") == "base64" and not (isinstance(kind, str) and kind.startswith(_PICTURES)):
            raise ValueError(f"has a file of the type {str(kind)[:60]!r} that cannot be read; send its text instead")
    elif isinstance(value, list):
        for each in value:
            check_keys(each, depth + 1)


def _holds_bytes(beside: Mapping[str, Any]) -> bool:
    kind = beside.get("media_type")
    if beside.get("type") == "base64":
        return isinstance(kind, str) and kind.startswith(_PICTURES)
    return beside.get("type") == "redacted_thinking"
