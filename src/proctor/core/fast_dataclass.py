"""Build frozen dataclasses faster than their own constructors do."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar, cast

__all__ = ["fast_constructor"]

Record = TypeVar("Record")


def fast_constructor(kind: type[Record]) -> type[Record]:
    """Return a constructor that takes the dataclass's arguments by name and makes identical objects.

    A frozen dataclass sets each field by a call, so that making a verdict takes longer than a gate of plain code. This
    constructor sets the fields on a mutable twin class and then changes the object's class.

    Raises:
        TypeError: it is no plain dataclass: it inherits or has a ``__post_init__``.
    """
    if not is_dataclass(kind) or kind.__bases__ != (object,) or hasattr(kind, "__post_init__"):
        raise TypeError(f"{kind.__name__} is no plain dataclass")
    slots = {"__slots__": tuple(each.name for each in fields(kind))} if "__slots__" in vars(kind) else {}
    names: dict[str, Any] = {
        "_kind": kind,
        "_twin": type(kind.__name__, (), slots),
        "_new": object.__new__,
        "_missing": MISSING,
    }
    given, lines = [], []
    for place, each in enumerate(fields(kind)):
        name, default = each.name, f"_default{place}"
        if each.default_factory is not MISSING:
            names[default] = each.default_factory
            given.append(f"{name}=_missing")
            lines.append(f"    made.{name} = {default}() if {name} is _missing else {name}")
            continue
        names[default] = each.default
        given.append(name if each.default is MISSING else f"{name}={default}")
        lines.append(f"    made.{name} = {name}")
    head, tail = f"def make(*, {', '.join(given)}):", "    made.__class__ = _kind\n    return made"
    source = "\n".join((head, "    made = _new(_twin)", *lines, tail))
    exec(source, names)  # noqa: S102 - written from the record's own field names, which are identifiers
    return cast("type[Record]", names["make"])
