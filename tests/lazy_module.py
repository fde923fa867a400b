"""Modules that are slow to import are loaded by the tests that use them: each worker collects all tests."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["lazy_module"]


class _LazyModule:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest asks everything in a test module for its marks: that is no use
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


def lazy_module(name: str) -> Any:
    """Return a stand-in that imports the module when an attribute of it is used."""
    return _LazyModule(name)
