"""Find every reading of a named field in JSON data: nested, under a dotted key, in lists, in another spelling."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final

__all__ = ["ABSENT", "EMPTY", "UNREADABLE", "FieldPath", "field_path", "values_at"]

ABSENT: Final = object()  # the field is missing here
EMPTY: Final = object()  # the field is an empty list
UNREADABLE: Final = object()  # nested too deeply, too many keys or values, or JSON text that cannot be parsed
FieldPath = tuple[str, ...]

_SEPARATORS: Final = re.compile(r"[.\[\]/]+")
_MAX_DEPTH: Final = 32
_MAX_VALUES: Final = 10_000
_MAX_KEYS: Final = 10_000  # per object: each is normalised
_MAX_JSON_CHARS: Final = 200_000
_CACHED_CHARS: Final = 100  # longer keys are not cached, since callers choose the keys


def field_path(name: str) -> FieldPath:
    """Split a name into steps: ``order.amount``, ``order[amount]`` and ``order/amount`` are the same.

    Case, Unicode normalisation and invisible characters are ignored.
    """
    return _cached_path(name) if len(name) <= _CACHED_CHARS else _path(name)


def values_at(data: Any, path: FieldPath) -> list[Any]:
    """Return every value that a reader may find at the path. Lists are walked, and so is JSON inside text.

    A key that spells the whole path (``order.amount``) counts like the nested field. A number in the path is one entry
    of a list, ``*`` is each; without them every entry is read too. ``ABSENT`` is returned where the field is missing or
    null, even in a single entry of a list.
    """
    found: list[Any] = []
    for value in _walk(data, path, 0):
        found.append(value)
        if len(found) >= _MAX_VALUES:
            return [*found, UNREADABLE]
    return found


def _walk(data: Any, path: FieldPath, depth: int) -> Iterator[Any]:
    if depth > _MAX_DEPTH:
        yield UNREADABLE
    elif isinstance(data, (list, tuple)):
        yield from _entries(data, path, depth)
    elif not path:
        yield ABSENT if data is None else data
    elif isinstance(data, Mapping):
        yield from _fields(data, path, depth)
    elif isinstance(data, str) and data.lstrip()[:1] in ("{", "["):
        yield from _json_text(data, path, depth)
    else:
        yield ABSENT


def _entries(data: list[Any] | tuple[Any, ...], path: FieldPath, depth: int) -> Iterator[Any]:
    if not data:
        yield ABSENT if path else EMPTY
    elif path and path[0].isdecimal() and len(path[0]) < 10:
        place = int(path[0])
        yield from _walk(data[place], path[1:], depth + 1) if place < len(data) else (ABSENT,)
    else:
        rest = path[1:] if path and path[0] == "*" else path
        for each in data:
            yield from _walk(each, rest, depth + 1)


def _fields(data: Mapping[Any, Any], path: FieldPath, depth: int) -> Iterator[Any]:
    """Yield the values of every key that spells the path or its beginning."""
    if len(data) > _MAX_KEYS:
        yield UNREADABLE
        return
    found = False
    for key, value in data.items():
        taken = _spelled(field_path(str(key)), path)
        if taken is None:
            continue
        within = list(islice(_walk(value, path[taken:], depth + 1), _MAX_VALUES))
        if any(each is not ABSENT for each in within):  # otherwise another key may have the field
            found = True
            yield from within
    if not found:
        yield ABSENT


def _spelled(key: FieldPath, path: FieldPath) -> int | None:
    """Return how many steps of the path the key spells; the path may omit an index of the key (``items[0]``, ``0``)."""
    at = 0
    for step in key:
        if at < len(path) and (step == path[at] or path[at] == "*"):
            at += 1
        elif not step.isdecimal():
            return None
    return at


def _json_text(text: str, path: FieldPath, depth: int) -> Iterator[Any]:
    try:
        data = json.loads(text, object_pairs_hook=_unique) if len(text) <= _MAX_JSON_CHARS else UNREADABLE
    except (ValueError, RecursionError):
        data = UNREADABLE
    if data is UNREADABLE:
        yield UNREADABLE
    else:
        yield from _walk(data, path, depth + 1)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):  # parsers disagree about which one counts
        raise ValueError("a key stands there twice")
    return data


@lru_cache(maxsize=4096)
def _cached_path(name: str) -> FieldPath:
    return _path(name)


def _path(name: str) -> FieldPath:
    plain = name.casefold()
    if not name.isascii():
        plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
        plain = "".join(each for each in plain if unicodedata.category(each) != "Cf")
    steps = tuple(step.strip() for step in _SEPARATORS.split(plain))
    return tuple(step for step in steps if step) or (plain,)
