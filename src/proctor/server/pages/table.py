"""A table: what a page shows of it, and all of it as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

__all__ = [
    "PER_PAGE",
    "Cell",
    "Chip",
    "Column",
    "Link",
    "Moment",
    "PageTable",
    "Share",
    "ShareCell",
    "Table",
    "csv_lines",
    "number_columns",
    "plain",
    "text_columns",
]

PER_PAGE: Final = 50
_FAR: Final = 60_000_000_000.0  # seconds: until the year 3871
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
State = Literal["pass", "fail", "unscored", "doubt", "info"]


@dataclass(frozen=True, slots=True)
class Link:
    """Text that leads to another page of the dashboard."""

    text: str
    to: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A time, shown in the reader's zone."""

    time: float

    @property
    def is_known(self) -> bool:
        """Whether it is a time of our era."""
        return -_FAR <= self.time <= _FAR

    @property
    def iso(self) -> str:
        """The time in UTC."""
        return datetime.fromtimestamp(self.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def utc(self) -> str:
        """The time for readers without a script."""
        return datetime.fromtimestamp(self.time, UTC).strftime("%Y-%m-%d %H:%M UTC")


@dataclass(frozen=True, slots=True)
class Chip:
    """A state with its word; with ``to`` it leads to another page."""

    state: State
    label: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class ShareCell:
    """A share with its interval; ``None`` where it is not known."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None


Share = ShareCell  # the short name; the class has one that exists once in the package
Cell = str | int | float | None | Link | Moment | Chip | Share


@dataclass(frozen=True, slots=True)
class Column:
    """A column; numbers stand on the right. With a ``sort`` its head is a link that sorts by that word."""

    label: str
    kind: Literal["text", "number", "long"] = "text"
    sort: str = ""


def text_columns(*labels: str) -> tuple[Column, ...]:
    """Return columns of text."""
    return tuple(Column(label) for label in labels)


def number_columns(*labels: str) -> tuple[Column, ...]:
    """Return columns of numbers."""
    return tuple(Column(label, "number") for label in labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable:
    """Rows of one page of a table. ``every`` gives all rows, for the file; without it the rows are all there are.

    ``empty`` says what to do when there are none.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    empty: str = "Nothing yet."
    total: int | None = None
    page: int = 1
    per_page: int = PER_PAGE
    every: Callable[[], Iterable[Sequence[Cell]]] | None = None
    caption: str = ""
    has_next: bool | None = None  # where the total is not counted

    @property
    def pages(self) -> int | None:
        """How many pages there are, if the total is known."""
        return None if self.total is None else max(1, -(-self.total // self.per_page))

    @property
    def is_last(self) -> bool:
        """Whether no page follows."""
        if self.has_next is not None:
            return not self.has_next
        return self.pages is None or self.page >= self.pages


Table = PageTable


def csv_lines(table: Table) -> Iterator[bytes]:
    """Return a table as the lines of a CSV file."""
    yield _line([column.label for column in table.columns])
    for row in table.every() if table.every is not None else table.rows:
        yield _line([plain(cell) for cell in row])


def plain(cell: Cell) -> str:
    """Return the text of a cell in a file; a spreadsheet must not take it for a formula."""
    match cell:
        case None:
            return ""
        case Link(text=text):
            return _harmless(text)
        case Chip(label=label):
            return _harmless(label)
        case Moment():
            return cell.iso if cell.is_known else ""
        case Share(value=value):
            return "" if value is None else f"{value:.6g}"
        case bool() | int() | float():
            return f"{cell}"
        case _:
            return _harmless(cell)


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _line(cells: Sequence[str]) -> bytes:
    file = io.StringIO()
    csv.writer(file, lineterminator="\r\n").writerow(cells)
    return file.getvalue().encode("utf-8")
