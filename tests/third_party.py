"""A package of somebody else, installed for one test."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

__all__ = ["install"]


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str, **points: str) -> None:
    """Make a module of this code and a distribution that registers its parts: ``scorers="polite = NAME:Polite"``."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    told = "".join(f"[proctor.{group}]\n{value}\n" for group, value in points.items())
    (info / "entry_points.txt").write_text(told)
    (folder / f"{name}.py").write_text(code)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setitem(sys.modules, name, ModuleType(name))  # so that the one that is imported goes with the test
    del sys.modules[name]
