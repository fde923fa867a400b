"""Read CSV suite files as a stream."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.core.errors import Problem, SuiteError
from proctor.suites.columns import CellError, DraftCase, Setter, setter_of
from proctor.suites.files import MAX_LINE, decode_text, lines_of
from proctor.suites.source import Locator, Row

__all__ = ["Table", "read_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A CSV file: a header row, then one case per row."""

    path: Path
    columns: tuple[str, ...]
    delimiter: str
    setters: tuple[Setter, ...] = field(repr=False)
    header: Mapping[str, Any] = field(default_factory=dict)
    strict: bool = True

    def rows(self) -> Iterator[Row]:
        """Yield the cases as written."""
        with closing(_cells(self.path, self.delimiter)) as rows:
            try:
                next(rows)  # the header
                for line, cells in rows:
                    if any(cell.strip() for cell in cells):
                        yield self._row(line, cells)
            except SuiteError as error:  # after a broken quote the next row cannot be found
                yield Row(line=error.line, problem=Problem((), error.message, error.hint, error.line))

    def _row(self, line: int, cells: list[str]) -> Row:
        if len(cells) != len(self.columns):
            message = f"the row has {len(cells)} cells and the header has {len(self.columns)}"
            hint = f"put a cell that holds `{self.delimiter}` or a line break in double quotes"
            return Row(line=line, problem=Problem((), message, hint, line))
        draft = DraftCase()
        try:
            for setter, cell in zip(self.setters, cells, strict=True):
                setter(draft, cell)
            return Row(data=draft.finish(), line=line)
        except CellError as error:
            return Row(line=line, problem=Problem((error.column,), error.message, error.hint, line))

    def locator(self) -> Locator:
        """Return a locator; only the header row has no row of its own."""
        return lambda path: 1


def read_table(path: Path) -> Table:
    """Open a CSV suite file; only its header row is read.

    Raises:
        SuiteError: it cannot be read, or its header is invalid.
    """
    delimiter = _delimiter(path)
    with closing(_cells(path, delimiter)) as rows:
        columns = next(rows, (1, []))[1]
    names = tuple(column.strip() for column in columns)
    try:
        _check_names(names)
        setters = tuple(setter_of(name) for name in names)
    except CellError as error:
        raise SuiteError(error.message, file=str(path), line=1, field=error.column or None, hint=error.hint) from None
    return Table(path=path, columns=names, delimiter=delimiter, setters=setters)


def _delimiter(path: Path) -> str:
    """Detect the delimiter: many European spreadsheets write semicolons; some tools write tabs."""
    with closing(lines_of(path)) as lines:
        _, header, _ = next(lines)
    return next((mark.decode() for mark in (b",", b"\t", b";") if mark in header), ",")


def _check_names(names: tuple[str, ...]) -> None:
    if not names:
        raise CellError("", "the first row names no columns", "write the names of the columns in the first row")
    for index, name in enumerate(names):
        if not name:
            raise CellError("", f"column {index + 1} has no name", "name every column in the first row")
        if name in names[:index]:
            raise CellError(name, "the column is there twice", "rename one of them")


def _cells(path: Path, delimiter: str) -> Generator[tuple[int, list[str]]]:
    """Yield the first line number and the cells of each row.

    Raises:
        SuiteError: the text or its quotes are broken.
    """
    with closing(lines_of(path)) as lines:
        texts = (decode_text(line, path, line=number, offset=offset) for number, line, offset in lines)
        reader = csv.reader(texts, delimiter=delimiter, strict=True)
        while True:
            first = reader.line_num + 1
            try:
                cells = _next(reader)
            except csv.Error as error:
                raise SuiteError(
                    f"not valid CSV: {error}",
                    file=str(path),
                    line=first,
                    hint='close every quote, and write a quote inside quotes as ""',
                ) from None
            if cells is None:
                return
            yield first, cells


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    """Return the next row; the csv module's global cell limit is raised only while it is read."""
    before = csv.field_size_limit(MAX_LINE)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(before)
