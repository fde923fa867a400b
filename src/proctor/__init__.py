"""Proctor tests, grades, guards, attacks and watches LLM applications."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
# For type checkers the same is in __init__.pyi: an import here, even one that never runs, would tie all rooms together.
_DOORS = {
    "Evaluation": "proctor.workflows.evaluation",
    "Guard": "proctor.wiring.guard",
    "Project": "proctor.project",
    "evaluate": "proctor.project",
    "guarded": "proctor.wiring.wrap_target",
    "guarded_tool": "proctor.guard.current_session",
}


def __getattr__(name: str) -> Any:
    """What the package offers by name; loaded when it is first asked for, so that `import proctor` costs nothing."""
    if name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only where something is asked for

    return getattr(import_module(_DOORS[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_DOORS])
