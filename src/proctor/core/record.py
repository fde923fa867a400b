"""The decorator for frozen data classes, which makes a class in a third of the time.

`dataclasses.dataclass` compiles six methods for each class. The classes of a short command took a quarter of its time
that way. Here only ``__init__`` is compiled and the other methods are shared. A class behaves the same, and type
checkers see the decorator of the standard library. Classes with other options, bases or methods are given to it.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, fields
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

_standard = dataclass
_RECORD = {"frozen": True, "slots": True, "kw_only": True}
_UNUSUAL = ("__setattr__", "__delattr__", "__getstate__", "__setstate__", "__init__")
_set = object.__setattr__


class _Factory:
    """The default of a parameter that a factory fills, as it is shown in a signature."""

    def __repr__(self) -> str:
        return "<factory>"


def _make(cls: type) -> type:
    annotations = get_annotations(cls)
    plain = cls.__bases__ == (object,) and cls.__doc__ and "self" not in annotations
    if not plain or any(name in cls.__dict__ for name in _UNUSUAL) or "InitVar" in str(annotations):
        return _standard(frozen=True, slots=True, kw_only=True)(cls)
    own = cls.__dict__
    has_hash = own.get("__hash__") is not None or ("__hash__" in own and "__eq__" not in own)
    made: Any = _standard(init=False, repr=False, eq=False, slots=True, kw_only=True)(cls)
    params = made.__dataclass_params__
    params.init = params.repr = params.eq = params.frozen = True
    members = fields(made)
    names = [member.name for member in members]
    _add_frozen(made, names)
    made.__init__ = _init(made, members)
    if "__repr__" not in own:
        made.__repr__ = _repr([member.name for member in members if member.repr])
    if "__eq__" not in own:
        made.__eq__ = _eq([member.name for member in members if member.compare])
    if not has_hash:
        hashed = [member.name for member in members if (member.compare if member.hash is None else member.hash)]
        made.__hash__ = _hash(hashed)
    return made  # type: ignore[no-any-return]


def _init(made: type, members: tuple[Field[Any], ...]) -> Any:
    scope: dict[str, Any] = {"__name__": made.__module__, "__set__": _set, "__missing__": _Factory()}
    parameters, lines = [], []
    for member in members:
        name, default, factory = member.name, f"__default_{member.name}__", f"__factory_{member.name}__"
        value = name if member.init else default
        if member.default is not MISSING:
            scope[default] = member.default
            parameters += [f"{name}={default}"] if member.init else []
        elif member.default_factory is not MISSING:
            scope[factory] = member.default_factory
            value = f"{factory}() if {name} is __missing__ else {name}" if member.init else f"{factory}()"
            parameters += [f"{name}=__missing__"] if member.init else []
        elif member.init:
            parameters.append(name)
        else:
            continue
        lines.append(f"    __set__(self, {name!r}, {value})")
    if hasattr(made, "__post_init__"):
        lines.append("    self.__post_init__()")
    head = ", ".join(["self", *(["*", *parameters] if parameters else [])])
    exec("\n".join([f"def __init__({head}):", *(lines or ["    pass"])]), scope)  # noqa: S102 - as in dataclasses
    function = scope["__init__"]
    function.__qualname__ = f"{made.__qualname__}.__init__"
    function.__annotations__ = {**{member.name: member.type for member in members if member.init}, "return": None}
    return function


def _add_frozen(made: Any, names: list[str]) -> None:
    frozen = frozenset(names)

    def set_attribute(self: Any, name: str, value: Any) -> None:
        if type(self) is made or name in frozen:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if type(self) is made or name in frozen:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    made.__setattr__, made.__delattr__ = set_attribute, delete_attribute
    made.__getstate__, made.__setstate__ = _state, _restore


def _state(self: Any) -> list[Any]:
    return [getattr(self, member.name) for member in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for member, value in zip(fields(self), state, strict=True):
        _set(self, member.name, value)


def _values(names: list[str]) -> Any:
    """Return a function from an instance to the tuple of those attributes."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda self: (getattr(self, names[0]),)) if names else (lambda self: ())


def _repr(names: list[str]) -> Any:
    @recursive_repr()
    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def _eq(names: list[str]) -> Any:
    values = _values(names)

    def __eq__(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(names: list[str]) -> Any:
    values = _values(names)

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


if not TYPE_CHECKING:

    def dataclass(cls=None, /, **options):
        """Make a data class, as `dataclasses.dataclass` does."""
        make = _make if options == _RECORD else _standard(**options)
        return make if cls is None else make(cls)
