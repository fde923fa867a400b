"""The sentences of framings and conversations, by technique and language, from the YAML files in ``texts``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from proctor.core.decode import decode
from proctor.prompts.yaml_text import read_yaml

__all__ = ["texts_of"]

_FOLDER: Final = Path(__file__).with_name("texts")
_FALLBACK: Final = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """One file: texts by language."""

    languages: Mapping[str, tuple[str, ...]]


def texts_of(name: str, language: str) -> tuple[str, ...]:
    """Return the texts of a technique in a language; a variant such as ``pt-BR`` uses ``pt``, others ``en``."""
    texts = _read(name)
    return texts.get(language) or texts.get(language.partition("-")[0]) or texts[_FALLBACK]


@cache
def _read(name: str) -> Mapping[str, tuple[str, ...]]:
    path = _FOLDER / f"{name}.yaml"
    raw = read_yaml(path.read_text(encoding="utf-8"), file=str(path))
    return decode(_Texts, {"languages": raw}, file=str(path)).languages
