"""JSON that has one reading only: keys that stand twice are refused, since two readers could take two values."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

__all__ = ["MAX_DEPTH", "load_json", "load_object", "read_json", "read_object"]

MAX_DEPTH: Final = 200  # levels of nesting
LARGE_BODY_BYTES: Final = 1_000_000  # from this size on, a text is parsed in a thread


class _TwinError(ValueError):
    """Two keys of one object that are the same, or that differ in case only."""


def read_json(text: str | bytes) -> Any:
    """What the text says.

    Keys that differ in case only count as the same: some readers, such as Go's, do not tell them apart.

    Raises:
        ValueError: it is no JSON, or has two readings; says why, as what follows "it".
    """
    try:
        whole = text if isinstance(text, str) else text.decode("utf-8")
        read = json.loads(whole, object_pairs_hook=_once, parse_constant=_refused, parse_float=_finite)
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None
    except _TwinError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except ValueError as error:
        if "integer string conversion" in str(error):
            raise ValueError("has a number of more than 4,300 digits") from None
        raise ValueError(f"is not JSON: {error}") from None
    if whole.count("[") + whole.count("{") > MAX_DEPTH:
        _check_depth(read)
    return read


def read_object(text: str | bytes) -> dict[str, Any]:
    """What the text says, when that is an object.

    Raises:
        ValueError: it is none; says why, as what follows "it".
    """
    read = read_json(text)
    if not isinstance(read, dict):
        raise ValueError("is not a JSON object")
    return read


async def load_json(text: bytes) -> Any:
    """The same as ``read_json``; a large text is parsed in a thread, so that other requests need not wait."""
    return read_json(text) if len(text) < LARGE_BODY_BYTES else await asyncio.to_thread(read_json, text)


async def load_object(text: bytes) -> dict[str, Any]:
    """The same as ``read_object``; a large text is parsed in a thread, so that other requests need not wait."""
    return read_object(text) if len(text) < LARGE_BODY_BYTES else await asyncio.to_thread(read_object, text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs) or len({key.casefold() for key in read}) != len(read):
        raise _TwinError(_twin([key for key, _ in pairs]))
    return read


def _twin(keys: list[str]) -> str:
    """Names the first key that stands twice, in one pass."""
    seen: dict[str, str] = {}
    for key in keys:
        first = seen.get(key.casefold())
        if first == key:
            return f"has the key {key[:60]!r} twice in one object"
        if first is not None:
            return f"has the keys {first[:60]!r} and {key[:60]!r} in one object, which differ in case only"
        seen[key.casefold()] = key
    return "has a key twice in one object"


def _check_depth(read: Any) -> None:
    level, depth = [read], 0
    while level := [
        value
        for each in level
        for value in (each.values() if isinstance(each, dict) else each)
        if isinstance(value, (dict, list))
    ]:
        depth += 1
        if depth >= MAX_DEPTH:
            raise ValueError("is nested too deeply")


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    read = float(text)
    if read in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:20]} is too large a number")
    return read
