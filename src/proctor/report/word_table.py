"""A table of words that every report format draws in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["CellState", "Shown", "WordTable"]

CellState = Literal["", "fail", "unscored", "muted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What stands in one cell, and how it is marked."""

    text: str
    state: CellState = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTable:
    """One table; its first ``names`` columns hold names, the rest figures."""

    title: str
    hint: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Shown, ...], ...]
    names: int = 1
