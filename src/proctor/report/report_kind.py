"""One kind of report: how it is printed, and which files it can be written to."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TextIO, TypeVar

from proctor.report.csv_rows import write_rows
from proctor.report.formats import check_ending, save_by_ending
from proctor.report.sheet import Sheet, write_html, write_markdown, write_terminal

__all__ = ["ReportKind", "iso_time", "sheet_kind", "write_json"]

Content = TypeVar("Content")
FileWriter = Callable[[Content, TextIO], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportKind(Generic[Content]):
    """What one kind of report is called in messages, how it is printed, and its writers by file ending."""

    name: str
    show: Callable[[Content, TextIO | None], None]
    writers: Mapping[str, FileWriter[Content]]

    @property
    def endings(self) -> tuple[str, ...]:
        """The file endings it can be written under; the first one is suggested."""
        return tuple(self.writers)

    def check_name(self, path: Path) -> None:
        """Check a file name before any work is done.

        Raises:
            InputError: nothing writes files with this ending, or the name is a folder's.
        """
        check_ending(self.name, path, self.writers)

    def write(self, content: Content, out: TextIO | None = None) -> None:
        """Print it, by default to the standard output."""
        self.show(content, out)

    def write_json(self, content: Content, out: TextIO) -> None:
        """Write it as JSON, as ``save`` does for a file that ends so."""
        self.writers[".json"](content, out)

    def save(self, content: Content, path: Path) -> None:
        """Write it in the format the file's name asks for; the file is whole or is not there.

        Raises:
            InputError: nothing writes files with this ending, or the name is a folder's.
            StoreError: the disk or the folder refused.
        """
        save_by_ending(self.name, content, path, self.writers)


def sheet_kind(
    name: str,
    sheet: Callable[[Content], Sheet],
    *,
    data: Callable[[Content], Any] = dataclasses.asdict,  # type: ignore[assignment]
    time: Callable[[Any], str] = str,
    rows: Callable[[Content], Iterable[Sequence[object]]] | None = None,
) -> ReportKind[Content]:
    """A report shown as a sheet: JSON of its ``data``, CSV where it has ``rows``, Markdown and a page."""
    writers: dict[str, FileWriter[Content]] = {".json": lambda content, out: write_json(data(content), out, time=time)}
    if rows is not None:
        writers[".csv"] = lambda content, out: write_rows(rows(content), out)
    writers[".md"] = lambda content, out: write_markdown(sheet(content), out)
    writers[".html"] = lambda content, out: write_html(sheet(content), out)
    return ReportKind(name=name, show=lambda content, out: write_terminal(sheet(content), out), writers=writers)


def write_json(data: object, out: TextIO, *, time: Callable[[Any], str] = str) -> None:
    """Write JSON with every field there; what is not known is null. ``time`` writes what JSON has no type for."""
    text = json.dumps(data, ensure_ascii=False, indent=1, default=time)
    out.write(text.encode("utf-8", "replace").decode() + "\n")  # half a surrogate pair has no UTF-8


def iso_time(value: object) -> str:
    """A time as ISO 8601 has it, with a ``T``; anything else as text."""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
