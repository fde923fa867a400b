"""The former place of ``PytestSuite``, which pytest files that were exported earlier import."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ()


def __getattr__(name: str) -> Any:
    """The same name in its present place; found at run time, because wiring imports no workflow."""
    return getattr(import_module("proctor.workflows.exchange.pytest_suite"), name)
