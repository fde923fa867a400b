"""Proctor tests, grades, guards, attacks and watches LLM applications."""

from __future__ import annotations

import sys
from typing import Any

__version__ = "0.1.0"
# Type checkers read __init__.pyi. An import here, even one that never runs, would create an import cycle for
# lint-imports.
_DOORS = {
    "Evaluation": "proctor.workflows.evaluation",
    "Guard": "proctor.wiring.guard",
    "Project": "proctor.project",
    "evaluate": "proctor.project",
    "guarded": "proctor.wiring.wrap_target",
    "guarded_tool": "proctor.guard.current_session",
}


def __getattr__(name: str) -> Any:
    """Return a public name of the package, imported on first use to keep `import proctor` fast."""
    if name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only where something is asked for

    return getattr(import_module(_DOORS[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_DOORS])


class _OldNames:
    """Finds modules by names that they had in the version before; asked last, when no other finder knows a name."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> Any:
        if not name.startswith("proctor."):
            return None
        from importlib import import_module  # noqa: PLC0415 - only where a module is missing

        return import_module("proctor.renamed_modules").renamed_spec(name)


sys.meta_path.append(_OldNames)
