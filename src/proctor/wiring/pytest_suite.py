"""Former module of ``PytestSuite``; pytest files exported by earlier versions import it from here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ()


def __getattr__(name: str) -> Any:
    """Return the name from its new module; imported at run time because wiring may not import workflows."""
    return getattr(import_module("proctor.workflows.exchange.pytest_suite"), name)
