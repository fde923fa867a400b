"""The concept files of this package. Each is read when it is first needed, in C where the YAML reader has it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from proctor.core.decode import decode
from proctor.lexicon.concept import Concept

__all__ = ["concept_names", "read_fragments", "read_shipped", "read_wording"]

_FOLDER: Final = Path(__file__).parent


@cache
def concept_names() -> tuple[str, ...]:
    """The names of all concepts, in order; no file is read."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


@cache
def read_shipped(name: str) -> Concept:
    """One concept of this package, whole."""
    return decode(Concept, _read(_FOLDER / f"{name}.yaml"), strict=True)


@cache
def read_wording(name: str) -> Concept:
    """One concept of this package without its examples, which are the last part of the file and half of it."""
    return decode(Concept, _read(_FOLDER / f"{name}.yaml", until="\nexamples:"), strict=True)


@cache
def read_fragments(name: str) -> Mapping[str, str]:
    """Parts of patterns that several concepts share, by name."""
    parts: Mapping[str, str] = _read(_FOLDER / "fragments" / f"{name}.yaml")
    return parts


def _read(path: Path, until: str | None = None) -> Any:
    from ruamel.yaml import YAML  # noqa: PLC0415 - costs 40 ms, and most commands need no concept

    text = path.read_text(encoding="utf-8")
    return YAML(typ="safe").load(text.partition(until)[0] if until else text)
