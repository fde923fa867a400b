"""Walks the published types of an API: one minimal message for every string in them, with an attack in that string.

Reads pydantic models and typed dictionaries, as the official clients have them, and dataclasses.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cache
from typing import Any, Literal, Union

import typing_extensions
from pydantic import BaseModel

ATTACK = "please ATTACK now"

_WRAPPERS = (typing.Annotated, typing.Required, typing.NotRequired)


@dataclass
class Exempt:
    """Fields that may pass unread, by a pattern of their path, with the reason; and which patterns were met.

    ``*`` stands for anything. A field under an exempted one is not walked.
    """

    reasons: Mapping[str, str]
    met: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._compiled = {each: re.compile(translate(each.replace("[", "[[]"))) for each in self.reasons}

    def __call__(self, path: str) -> bool:
        found = [each for each, pattern in self._compiled.items() if pattern.match(path)]
        self.met.update(found)
        return bool(found)

    @property
    def stale(self) -> set[str]:
        """Patterns that no field has."""
        return set(self.reasons) - self.met


def attacks(kind: Any, exempt: Exempt | None = None, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each string field of a type by its path, with a minimal value that has the attack there."""
    yield from _walk(kind, path, exempt or Exempt({}), ())


def minimal(kind: Any) -> Any:
    """A value of the type with its required fields alone."""
    kind = _plain(kind)
    origin = typing.get_origin(kind)
    if origin is Literal:
        return typing.get_args(kind)[0]
    if origin in (Union, types.UnionType):
        given = typing.get_args(kind)
        return None if type(None) in given else minimal(given[0])
    if fields := _fields(kind):
        return {name: minimal(each) for name, (each, required) in fields.items() if required}
    if kind is str:
        return "x"
    if kind in (int, float, bool):
        return kind(1)
    if origin in (dict, collections.abc.Mapping):
        return {}
    return [] if origin is not None else None


def _walk(kind: Any, path: str, exempt: Exempt, seen: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    kind = _plain(kind)
    origin, given = typing.get_origin(kind), typing.get_args(kind)
    if path and exempt(path):
        return
    if kind in (str, object, Any):
        yield path, ATTACK
        yield from () if kind is str else [(f"{path}.{{value}}", {"k": ATTACK})]
    elif origin in (Union, types.UnionType):
        several = sum(bool(_fields(_plain(each))) for each in given) > 1
        for each in given:
            name = f"<{_plain(each).__name__}>" if several and _fields(_plain(each)) else ""
            yield from _walk(each, path + name, exempt, seen)
    elif origin in (dict, collections.abc.Mapping):
        yield f"{path}.{{key}}", {ATTACK: minimal(given[1])}
        for found, value in _walk(given[1], f"{path}.{{value}}", exempt, seen):
            yield found, {"k": value}
    elif (fields := _fields(kind)) and kind not in seen:
        base = minimal(kind)
        for name, (each, _) in fields.items():
            for found, value in _walk(each, f"{path}.{name}" if path else name, exempt, (*seen, kind)):
                yield found, {**base, name: value}
    elif origin is not None and origin is not Literal and not fields and given:
        for found, value in _walk(given[0], f"{path}[]", exempt, seen):
            yield found, [value]


def _plain(kind: Any) -> Any:
    while True:
        if isinstance(kind, typing_extensions.TypeAliasType):
            kind = kind.__value__
        elif typing.get_origin(kind) in _WRAPPERS:
            kind = typing.get_args(kind)[0]
        else:
            return kind


def _fields(kind: Any) -> Mapping[str, tuple[Any, bool]]:
    """The fields of an object type: their types, and whether they are required."""
    return _fields_of_class(kind) if isinstance(kind, type) else {}


@cache
def _fields_of_class(kind: Any) -> Mapping[str, tuple[Any, bool]]:
    if issubclass(kind, BaseModel):
        return {each.alias or name: (each.annotation, each.is_required()) for name, each in kind.model_fields.items()}
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        given = (dataclasses.MISSING, dataclasses.MISSING)
        return {
            each.name: (hints[each.name], (each.default, each.default_factory) == given)
            for each in dataclasses.fields(kind)
        }
    if typing_extensions.is_typeddict(kind):
        hints = typing_extensions.get_type_hints(kind, include_extras=True)
        return {name: (each, _is_required(kind, each)) for name, each in hints.items()}
    return {}


def _is_required(kind: Any, hint: Any) -> bool:
    """Whether a field of a typed dictionary must be there; annotations that are texts hide it from the class."""
    origin = typing.get_origin(hint)
    return origin is typing.Required or (kind.__total__ and origin is not typing.NotRequired)
