"""Read the rows of a text that is a table or a list: cells between bars, semicolons, tabs or dashes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

__all__ = ["row_values"]

_DELIMITERS: Final = ("|", "\t", ";", " — ", " – ", ",")
_MIN_CELLS: Final = {"|": 2, "\t": 2}
_MIN_OTHER_CELLS: Final = 3  # sentences have semicolons, dashes and commas too
_MAX_CELL_WORDS: Final = 4  # without numbers
_MAX_CELL_CHARS: Final = 60
_MIN_ROWS: Final = 0.6  # share of the lines; the signature of a mail is no table
_SENTENCE: Final = re.compile(r"[.!?。！？]\s+\S|[!?。！？]$")
_STOPS: Final = ".!?。！？"
_RULE: Final = re.compile(r"[\s|:+=-]+")


def row_values(text: str, kind_of: Callable[[str], str]) -> list[str] | None:
    """Return the cells of a table, and its other lines with a line break behind them; None for any other text.

    A cell with a label gives its value too (``IBAN DE89 …``). A list of single addresses or codes is a table of one
    column.
    """
    lines = [line for line in text.splitlines() if line.strip() and not _RULE.fullmatch(line)]
    rows = [(line, list(_cells(line, kind_of))) for line in lines]
    tables = sum(bool(cells) for _, cells in rows)
    if not tables or tables < _MIN_ROWS * len(lines):
        return None
    found: list[str] = []
    for line, cells in rows:
        found += cells or [f"{line}\n"]
    return found


def _cells(line: str, kind_of: Callable[[str], str]) -> Iterator[str]:
    """Yield the short cells of a row, and the long ones with a line break; nothing for a sentence."""
    alone = line.strip(" -*•")
    if " " not in alone and kind_of(alone) not in ("text", "name"):
        yield alone
        return
    for delimiter in _DELIMITERS:
        cells = [cell.strip() for cell in line.strip(" |").split(delimiter)]
        short = [cell for cell in cells if cell and _is_short(cell)]
        if len(short) < _MIN_CELLS.get(delimiter, _MIN_OTHER_CELLS):
            continue
        if delimiter not in _MIN_CELLS and line.rstrip()[-1] in _STOPS:
            continue
        if len(short) < len([cell for cell in cells if cell]) and delimiter == ",":
            continue  # a sentence with commas
        for cell in cells:
            if cell in short:
                yield cell
                label, _, value = cell.partition(" ")
                if value and not any(map(str.isdigit, label)) and ("@" in value or value[-1].isdigit()):
                    yield value.strip(": ")
            elif cell:
                yield f"{cell}\n"
        return


def _is_short(cell: str) -> bool:
    words = [word for word in cell.split() if not any(map(str.isdigit, word))]
    return len(cell) <= _MAX_CELL_CHARS and len(words) <= _MAX_CELL_WORDS and _SENTENCE.search(cell) is None
