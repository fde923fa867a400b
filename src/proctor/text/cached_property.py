"""A cached property with one lock per object."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar, overload

__all__ = ["once"]

Value = TypeVar("Value")
_LOCK = "_once"


class once(Generic[Value]):
    """Like ``functools.cached_property``, but with a lock for each object instead of one for the whole class.

    With one lock per class, a long computation on one object blocks all others; with none, two threads would both
    compute the same value.
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
