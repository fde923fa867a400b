"""Old names of documented modules, which can be imported for one more version with a `DeprecationWarning`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

__all__ = ["RENAMED", "renamed_spec"]

# Only names that the documentation gave users to import.
RENAMED: Final[Mapping[str, str]] = {
    "proctor.core.decoding": "proctor.core.decode",
    "proctor.guard.current": "proctor.guard.current_session",
    "proctor.guard.watch": "proctor.guard.engine",
    "proctor.guard.wrap": "proctor.guard.guarded_target",
    "proctor.text.pace": "proctor.text.chunked_regex",
}


def renamed_spec(name: str) -> ModuleSpec | None:
    """How the import system loads a module under its old name; none for a name that never was one."""
    loader: Any = _RenamedLoader()
    return ModuleSpec(name, loader) if name in RENAMED else None


class _RenamedLoader:  # a subclass of importlib.abc.Loader would import 30 modules
    """Loads a renamed module under its old name: both names are the same module."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """None: an empty module will do, since it is replaced."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of the new name in place of ``module``."""
        old = module.__name__
        new = RENAMED[old]
        warnings.warn(f"{old} is now {new}; the old name goes in the next version", DeprecationWarning, stacklevel=2)
        sys.modules[old] = import_module(new)  # the import system returns what it finds here
