"""Write CSV rows that are safe in spreadsheets: no cell is a formula or too long."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

from proctor.core.share import Share
from proctor.report.safe_text import visible

__all__ = ["number_cell", "share_cells", "text_cell", "write_rows"]

# Spreadsheets treat a cell with this beginning as a formula, and formulas can send requests.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_MAX_CELL_CHARS = 32_000  # a spreadsheet cell holds 32,767 characters


def write_rows(rows: Iterable[Sequence[object]], out: TextIO) -> None:
    """Write the rows; external texts must have gone through ``text_cell``."""
    csv.writer(out, lineterminator="\n").writerows(rows)


def number_cell(value: float | None) -> str:
    """Return a figure with six digits; empty for ``None``."""
    return "" if value is None else f"{value:.6g}"


def share_cells(share: Share) -> tuple[str, ...]:
    """Return a share, the ends of its interval, and how many it is of."""
    return number_cell(share.value), number_cell(share.low), number_cell(share.high), str(share.total)


def text_cell(text: str) -> str:
    """Return an external text that a spreadsheet does not interpret."""
    shown = visible(text[:_MAX_CELL_CHARS])
    if len(text) > _MAX_CELL_CHARS:
        shown += "…"
    return f"'{shown}" if shown.lstrip(" ").startswith(_FORMULA) else shown
