"""Parse and write unambiguous JSON-RPC messages, and find the requests that an unreadable message may answer."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from proctor.core.codec import dumps
from proctor.server.wire.strict_json import read_json

__all__ = [
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "PARSE_ERROR",
    "REFUSED",
    "MessageIds",
    "cause",
    "error",
    "id_key",
    "is_id",
    "message_ids",
    "problem",
    "read_message",
    "written",
]

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
REFUSED: Final = -32000
_DEEPEST: Final = 128  # nesting levels; official SDKs stop at 200
_MOST_BITS: Final = 1_023  # of an integer; readers with floating point only would get infinity
_LINE_ENDS: Final = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}  # some readers treat these as line ends
_LOOKS: Final = re.compile(r"[\s\ufeff\0]*(?:\[[\s\0]*)*\{")
_ID: Final = re.compile(r'"id"\s*:\s*(?:(-?\d{1,18})(?![\d.eE])|"([^"\\]{0,200})")')
_QUOTED: Final = re.compile(r"['\"“].*['\"”]", re.DOTALL)
_MOST_OBJECTS: Final = 100  # objects searched in one unreadable message


def read_message(raw: bytes) -> Any:
    """Parse the message: an object, or a list for a batch.

    Raises:
        ValueError: it is not JSON, ambiguous, or of another type. The message continues "the message".
    """
    message = read_json(raw)
    if not isinstance(message, (dict, list)) or not message:
        raise ValueError("is neither a JSON-RPC message nor a batch of them")
    _check(message)
    return message


def written(message: Any) -> bytes:
    """Serialize the message as a single line for every reader."""
    raw = dumps(message)
    if b"\xc2\x85" in raw or b"\xe2\x80\xa8" in raw or b"\xe2\x80\xa9" in raw:
        return raw.decode().translate(_LINE_ENDS).encode()
    return raw


def error(id: Any, code: int, text: str) -> dict[str, Any]:
    """Return an error response for the request of this id; ``None`` if the id is unknown."""
    return {"jsonrpc": "2.0", "id": id if is_id(id) else None, "error": {"code": code, "message": text}}


def cause(failure: ValueError) -> str:
    """Return why a message could not be read, without quoting it."""
    return _QUOTED.sub("…", str(failure))[:200]


def is_id(value: Any) -> bool:
    """Return whether this can be the id of a request."""
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def id_key(id: Any) -> Hashable:
    """Return the key of a request id; 1 and 1.0 are the same id, 1 and "1" are not."""
    return (isinstance(id, str), id) if is_id(id) else None


def problem(message: Any) -> str | None:
    """Return why an object is not an unambiguous JSON-RPC message, or None."""
    if not isinstance(message, dict):
        return "is not an object"
    if message.get("jsonrpc", "2.0") != "2.0":
        return "is not of JSON-RPC 2.0"
    kinds = [key for key in ("method", "result", "error") if key in message]
    if len(kinds) != 1:
        return "must have one of method, result and error"
    if kinds == ["method"] and not isinstance(message["method"], str):
        return "has a method that is not a string"
    if kinds == ["method"] and "id" in message and not is_id(message["id"]):
        return "has an id that is neither a string nor a number"
    if kinds == ["result"] and not is_id(message.get("id")):
        return "has no id"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageIds:
    """What is known about an unreadable message: ids of its requests and of its answers.

    ``unknown``: it may contain an answer with an unknown id.
    """

    requests: tuple[Any, ...] = ()
    answers: tuple[Any, ...] = ()
    unknown: bool = False


def message_ids(raw: bytes) -> MessageIds:
    """Parse an unreadable message as the most lenient reader would."""
    text = raw.decode("utf-8", "replace")
    try:
        found = list(_objects(text))
    except (ValueError, RecursionError):
        ids = tuple(int(number) if number else name for number, name in _ID.findall(text)[:_MOST_OBJECTS])
        return MessageIds(requests=ids[:1] if len(set(ids)) == 1 else (), answers=ids, unknown=bool(_LOOKS.match(text)))
    asked = tuple(each["id"] for each in found if "method" in each and is_id(each.get("id")))
    told = [each.get("id") for each in found if "method" not in each]
    return MessageIds(requests=asked, answers=tuple(filter(is_id, told)), unknown=not all(map(is_id, told)))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield every object of a line or batch, despite errors in the rest."""
    decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_whole, parse_constant=lambda _: None, strict=False)
    at, count = 0, 0
    while (at := _next(text, at)) < len(text) and count < _MOST_OBJECTS:
        value, at = decoder.raw_decode(text, at)
        count += 1
        yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict))


def _next(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n\ufeff\0":
        at += 1
    return at


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if sum(key == "id" for key, _ in pairs) > 1:
        read["id"] = None  # ambiguous: two ids
    return read


def _whole(digits: str) -> int:
    return int(digits) if len(digits) <= 18 else 0


def _check(message: Any) -> None:
    """Reject data that readers interpret differently.

    Raises:
        ValueError: it is nested too deeply, or has a lone surrogate or a number that some readers cannot represent.
    """
    level = [message]
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                _check_text("".join(value))
                below.extend(value.values())
            else:
                below.extend(value)
        for each in below:
            if isinstance(each, str):
                _check_text(each)
            elif isinstance(each, float):
                if not math.isfinite(each):
                    raise ValueError("has a number that is too large")
            elif isinstance(each, int) and each.bit_length() > _MOST_BITS:
                raise ValueError("has a number that is too large")
        level = [each for each in below if isinstance(each, (dict, list))]
        if not level:
            return
    raise ValueError("is nested too deeply")


def _check_text(text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("has half a character") from None
