"""A property that is worked out when it is first asked for, and holds up nobody who asks another object."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar, overload

__all__ = ["once"]

Value = TypeVar("Value")
_LOCK = "_once"


class once(Generic[Value]):
    """Like ``functools.cached_property`` with a lock for each object, where that has one for all objects of a class.

    With one for all the property of a long text kept every other text waiting for its own; with none at all two threads
    that ask for the same one would both work it out.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> once[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> Value: ...

    def __get__(self, instance: object | None, owner: type[Any]) -> once[Value] | Value:
        if instance is None:
            return self
        kept = instance.__dict__
        with kept.get(_LOCK) or kept.setdefault(_LOCK, RLock()):
            if self._name not in kept:
                kept[self._name] = self._function(instance)
            value: Value = kept[self._name]
            return value
