"""Rows of CSV as a spreadsheet takes them: no cell is a formula or too long."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

from proctor.report.safe_text import visible

__all__ = ["number_cell", "text_cell", "write_rows"]

# A cell that begins so is a formula to a spreadsheet, and a formula can call out.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_MAX_CELL_CHARS = 32_000  # a spreadsheet cell holds 32,767 characters


def write_rows(rows: Iterable[Sequence[object]], out: TextIO) -> None:
    """Write the rows; texts from outside must have gone through ``text_cell``."""
    csv.writer(out, lineterminator="\n").writerows(rows)


def number_cell(value: float | None) -> str:
    """A figure with six digits; empty where there is none."""
    return "" if value is None else f"{value:.6g}"


def text_cell(text: str) -> str:
    """Text from outside that a spreadsheet takes as text."""
    shown = visible(text[:_MAX_CELL_CHARS])
    if len(text) > _MAX_CELL_CHARS:
        shown += "…"
    return f"'{shown}" if shown.lstrip(" ").startswith(_FORMULA) else shown
