"""Encode dataclasses as JSON, and hash them.

The dataclasses are frozen. Encoding leaves out fields with their default value, so that a new field with a
default changes no existing hash; keys kept in ``extra`` go back to where they were.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import types
import typing
from collections.abc import Callable, Hashable, Mapping
from datetime import date, datetime
from functools import cache
from typing import Any

__all__ = ["content_id", "dumps", "encode", "loads"]

Encoder = Callable[[Any], Any]

EXTRA = "extra"


def encode(noun: Any) -> Any:
    """Encode a dataclass as JSON-like data; fields with their default value are left out."""
    return _encoder(typing.cast(Hashable, type(noun)))(noun)


def dumps(value: object) -> bytes:
    """Encode a dataclass or JSON-like data as one line of UTF-8 JSON; always valid, whatever it contains."""
    data = encode(value) if dataclasses.is_dataclass(value) else value
    try:
        return _PLAIN.encode(data).encode()
    except UnicodeEncodeError:  # a lone surrogate: JSON needs it escaped
        return json.dumps(data, allow_nan=False, default=_fallback, separators=(",", ":")).encode()
    except (ValueError, TypeError, RecursionError):  # NaN, a non-string key, a cycle
        return json.dumps(_tame(data), allow_nan=False, default=_fallback, separators=(",", ":")).encode()


def loads(line: bytes | str) -> Any:
    """Parse one line of JSON."""
    return json.loads(line)


def content_id(value: object, *, length: int = 16) -> str:
    """Return a content hash: the first ``length`` hex digits of the SHA-256 of the canonical JSON."""
    data = encode(value) if dataclasses.is_dataclass(value) else value
    try:
        text = _CANONICAL.encode(data)
    except (ValueError, TypeError, RecursionError):
        text = json.dumps(_tame(data), sort_keys=True, allow_nan=False, default=_fallback, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def _fallback(value: object) -> Any:
    """Convert a value that JSON does not support."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return encode(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def _tame(value: Any, depth: int = 0) -> Any:
    """Replace what JSON cannot represent: NaN and infinity, keys that are not strings, cycles."""
    if depth > 60:
        return "…"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _tame(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_tame(item, depth + 1) for item in value]
    return value


_COMPACT = (",", ":")
_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_fallback, separators=_COMPACT)
_CANONICAL = json.JSONEncoder(sort_keys=True, allow_nan=False, default=_fallback, separators=_COMPACT)

# --- encoding ---------------------------------------------------------------------------------------


def _same(value: Any) -> Any:
    return value


@cache
def _encoder(kind: Hashable) -> Encoder:
    if dataclasses.is_dataclass(kind):
        return _noun_encoder(typing.cast(type, kind))
    inner = [arg for arg in typing.get_args(kind) if arg not in (type(None), Ellipsis)]
    if typing.get_origin(kind) is tuple:
        item = _lazy_encoder(inner[0])
        return list if item is _same else lambda value: [item(each) for each in value]
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        nouns = [arg for arg in inner if _encoder_needed(arg)]
        return _lazy_encoder(nouns[0], only=typing.get_origin(nouns[0]) or nouns[0]) if nouns else _same
    if kind is datetime:
        return datetime.isoformat
    return _same


def _encoder_needed(kind: Any) -> bool:
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return any(_encoder_needed(arg) for arg in typing.get_args(kind))
    return dataclasses.is_dataclass(kind) or kind is datetime or typing.get_origin(kind) is tuple


def _lazy_encoder(kind: Any, *, only: type | None = None) -> Encoder:
    """Return an encoder that is looked up at first use, so that a dataclass may contain its own type."""
    if not _encoder_needed(kind):
        return _same
    if only is not None:  # one of several types: the others are JSON already
        return lambda value: _encoder(kind)(value) if isinstance(value, only) else value
    return lambda value: _encoder(kind)(value)  # noqa: PLW0108 - the look-up must be deferred


def _noun_encoder(kind: type) -> Encoder:
    """Generate a function for the fields of the dataclass: a loop over them takes three times as long."""
    hints = hints_of(kind)
    names: dict[str, Any] = {}
    lines = ["def run(noun):", "    data = {}"]
    open_ended = False
    for field in dataclasses.fields(kind):
        if field.name == EXTRA:
            open_ended = True
            continue
        encoder, default = _lazy_encoder(hints[field.name]), default_of(field)
        shown = "value"
        if encoder is not _same:
            names[f"encode_{field.name}"] = encoder
            shown = f"encode_{field.name}(value)"
        lines.append(f"    value = noun.{field.name}")
        if default is dataclasses.MISSING:
            lines.append(f"    data[{field.name!r}] = {shown}")
        elif default is None:
            lines.append(f"    if value is not None: data[{field.name!r}] = {shown}")
        elif default in ((), {}):
            lines.append(f"    if value: data[{field.name!r}] = {shown}")
        else:
            names[f"default_{field.name}"] = default
            lines.append(f"    if value != default_{field.name}: data[{field.name!r}] = {shown}")
    if open_ended:
        lines.append("    if noun.extra:")
        lines.append("        for key, item in noun.extra.items(): data.setdefault(key, item)")
    lines.append("    return data")
    exec("\n".join(lines), names)  # noqa: S102 - generated from the dataclass's field names, which are identifiers
    run: Encoder = names["run"]
    return run


def default_of(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return dataclasses.MISSING


@cache
def hints_of(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)
