"""Texts of an answer in the OpenAI shapes: ids and settings pass, every other string is read before it leaves."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from proctor.server.wire.stream_events import Slot
from proctor.server.wire.text_slots import ObjectEntry, all_strings, has_space, is_token, joined

__all__ = ["are_tokens_of", "drop_texts", "other_strings", "other_text", "strings_of"]

# Ids, settings and figures of the API: they pass while they are single words.
_IDS: Final = frozenset(
    {"id", "object", "type", "role", "status", "model", "index", "finish_reason", "native_finish_reason", "call_id"}
    | {"system_fingerprint", "service_tier", "item_id", "file_id", "container_id", "code", "param", "phase", "severity"}
    | {"format", "obfuscation", "first_id", "last_id", "provider", "detail", "output_format", "quality", "size", "kind"}
    | {"background", "execution", "namespace", "server_label", "approval_request_id", "created_by", "caller_id"}
    | {"stop_reason", "previous_response_id", "fingerprint", "vector_store_id"}
)
# Encoded data: it passes while it has no spaces.
_OPAQUE: Final = frozenset(
    {"data", "encrypted_content", "signature", "result", "thought_signature", "partial_image_b64", "image_url"}
)
_TOKEN_FIELDS: Final = frozenset({"token", "bytes", "logprob", "top_logprobs"})
_FIELD_NAME: Final = re.compile(r"[A-Za-z_$][\w$./-]{0,63}")


@lru_cache(maxsize=4096)
def _is_field_name(key: str) -> bool:
    return _FIELD_NAME.fullmatch(key) is not None


def _is_plain(key: str, value: Any) -> bool:
    """Whether a field has no text in it that is to be read."""
    if not value:
        return True
    return isinstance(value, (int, float)) or (isinstance(value, str) and _skip(key, value))


class _FieldNames(frozenset[str]):
    """Every key that is the name of a field and no text."""

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and _is_field_name(key)


_NAMES: Final = _FieldNames()


def strings_of(channel: Hashable, place: Any, key: Any) -> Iterator[Slot]:
    """Slots for the strings at a place of an answer, apart from ids, settings and encoded data."""
    yield from (slot for slot in all_strings(channel, place, key, skip=_skip, known=_NAMES) if slot.text)


def other_strings(channel: Hashable, holder: dict[str, Any], done: frozenset[str]) -> Iterator[Slot]:
    """Slots for the strings of an object whose fields ``done`` are read elsewhere."""
    for name, value in list(holder.items()):
        if name in done or (_is_plain(name, value) and _is_field_name(name)):  # the way of nearly every field
            continue
        entry = ObjectEntry(holder, name)
        if not _is_field_name(name):
            yield Slot(channel, entry, "key")
        if not _skip(name, value):
            yield from strings_of(channel, entry, "value")


def other_text(
    channel: Hashable, holder: dict[str, Any], done: frozenset[str], *, whole: bool = False
) -> Iterator[Slot]:
    """The same as one slot, where there is any text."""
    found = list(other_strings(channel, holder, done))
    if found and (slot := joined(channel, found, whole=whole)) is not None:
        yield slot


def drop_texts(data: dict[str, Any], kept: frozenset[str] = frozenset()) -> None:
    """Take every field out of an object that has a text, but for those kept."""
    names = frozenset(data)
    for name in names - kept:
        if any(True for _ in other_strings("", data, names - {name})):
            del data[name]


def are_tokens_of(tokens: Any, text: str) -> bool:
    """Whether log probabilities repeat a text and say nothing else: its tokens in order, and words beside each."""
    if not tokens:
        return True
    if not isinstance(tokens, list):
        return False
    parts: list[bytes] = []
    for each in tokens:
        if not isinstance(each, Mapping) or not isinstance(each.get("token"), str):
            return False
        spelled = _bytes(each.get("bytes"))
        token = each["token"].encode("utf-8", "replace")
        if spelled is not None and spelled != token and not _is_word(each["token"]):
            return False
        parts.append(token if spelled is None else spelled)
        if not _are_words(each.get("top_logprobs")) or not each.keys() <= _TOKEN_FIELDS:
            return False
    return b"".join(parts) == text.encode("utf-8", "replace")


def _are_words(given: Any) -> bool:
    """Whether the alternatives to a token are words, in their bytes too."""
    if given is None:
        return True
    if not isinstance(given, list):
        return False
    for each in given:
        if not isinstance(each, Mapping) or not each.keys() <= _TOKEN_FIELDS or each.get("top_logprobs"):
            return False
        spelled = _bytes(each.get("bytes"))
        if not _is_word(each.get("token")) or not _is_word(
            None if spelled is None else spelled.decode("utf-8", "replace")
        ):
            return False
    return True


def _is_word(token: Any) -> bool:
    """Whether a token is one word, with spaces around it at most."""
    return token is None or (isinstance(token, str) and len(token) <= 64 and not has_space(token.strip()))


def _bytes(given: Any) -> bytes | None:
    if not isinstance(given, Sequence) or isinstance(given, str):
        return None
    try:
        return bytes(given)
    except (TypeError, ValueError):
        return b"\xff"


def _skip(key: str, value: Any) -> bool:
    if key in _IDS:
        return is_token(value)
    return key in _OPAQUE and isinstance(value, str) and not has_space(value)
