"""Generate the JSON Schema of dataclasses, so that editors complete and validate files.

A class's docstring is its description; the sentence of it that names a field in double backticks is the field's.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from proctor.core.codec import EXTRA, default_of, hints_of
from proctor.core.sockets import is_socket

__all__ = ["DIALECT", "schema_of"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
}
_SENTENCES = re.compile(r"(?<=[.;])\s+")


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type; every dataclass in it is a separate definition.

    Unknown keys are not allowed, as in files that users write.
    """
    maker = _Maker()
    top = maker.of(kind)
    return {"$schema": DIALECT, **top, "$defs": {name: maker.defs[name] for name in sorted(maker.defs)}}


class _Maker:
    """Collects one definition per dataclass."""

    def __init__(self) -> None:
        self.defs: dict[str, Any] = {}
        self._names: dict[type, str] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            return {"$ref": f"#/$defs/{self._define(kind)}"}
        if kind in _SCALARS:
            return dict(_SCALARS[kind])
        origin, args = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Literal:
            return {"enum": list(args)}
        if origin in (typing.Union, types.UnionType):
            return self._union(args)
        if origin in (tuple, list):
            return {"type": "array", "items": self.of(args[0])}
        if origin in (Mapping, dict):
            return {"type": "object", "additionalProperties": self.of(args[1])}
        return {}

    def _union(self, args: tuple[Any, ...]) -> dict[str, Any]:
        options = [self.of(arg) for arg in args]
        if all(set(option) == {"type"} for option in options):
            return {"type": [option["type"] for option in options]}
        return {"anyOf": options}

    def _define(self, kind: type) -> str:
        if kind in self._names:
            return self._names[kind]
        name = kind.__name__
        if name in self.defs:  # a class of the same name in another module
            name = f"{kind.__module__.rpartition('.')[2]}.{name}"
        self._names[kind] = name
        self.defs[name] = {}  # reserved before its fields are visited: a dataclass may contain its own type
        self.defs[name] = self._noun(kind)
        return name

    def _noun(self, kind: type) -> dict[str, Any]:
        text = inspect.cleandoc(kind.__doc__ or "")
        hints = hints_of(kind)
        fields = [
            field for field in dataclasses.fields(kind) if field.init and field.name != EXTRA and not is_socket(field)
        ]
        whole: dict[str, Any] = {
            "description": text.partition("\n")[0],
            "type": "object",
            "properties": {field.name: self._property(field, hints[field.name], text) for field in fields},
            "additionalProperties": False,
        }
        needed = [field.name for field in fields if default_of(field) is dataclasses.MISSING]
        if needed:
            whole["required"] = needed
        shorthand = getattr(kind, "SHORTHAND", None)
        if not shorthand:
            return whole
        return {"description": whole.pop("description"), "anyOf": [self.of(hints[shorthand]), whole]}

    def _property(self, field: dataclasses.Field[Any], hint: Any, text: str) -> dict[str, Any]:
        made = self.of(hint)
        if about := _about(field.name, text):
            made["description"] = about
        default = default_of(field)
        if isinstance(default, (str, int, float, bool)) and default != "":
            made["default"] = default
        return made


def _about(name: str, text: str) -> str:
    """Return the sentences of a docstring that name the field."""
    body = " ".join(text.partition("\n")[2].split())
    named = [sentence for sentence in _SENTENCES.split(body) if f"``{name}``" in sentence]
    return " ".join(named).replace("``", "`").rstrip(";")
