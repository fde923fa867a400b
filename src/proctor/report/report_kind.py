"""One kind of report: how it is printed, and its file formats."""

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
    """A kind of report: its name in messages, how it is printed, and its writers by file extension."""

    name: str
    show: Callable[[Content, TextIO | None], None]
    writers: Mapping[str, FileWriter[Content]]

    @property
    def endings(self) -> tuple[str, ...]:
        """The supported file extensions; the first one is suggested."""
        return tuple(self.writers)

    def check_name(self, path: Path) -> None:
        """Check a file name before any work is done.

        Raises:
            InputError: the extension is unknown, or the path is a folder.
        """
        check_ending(self.name, path, self.writers)

    def write(self, content: Content, out: TextIO | None = None) -> None:
        """Print the report, by default to standard output."""
        self.show(content, out)

    def write_json(self, content: Content, out: TextIO) -> None:
        """Write the report as JSON, as ``save`` does for ``.json``."""
        self.writers[".json"](content, out)

    def save(self, content: Content, path: Path) -> None:
        """Write the report to a file atomically, in the format of its extension.

        Raises:
            InputError: the extension is unknown, or the path is a folder.
            StoreError: the file cannot be written.
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
    """Return a report shown as a sheet: JSON of its ``data``, CSV if it has ``rows``, Markdown and HTML."""
    writers: dict[str, FileWriter[Content]] = {".json": lambda content, out: write_json(data(content), out, time=time)}
    if rows is not None:
        writers[".csv"] = lambda content, out: write_rows(rows(content), out)
    writers[".md"] = lambda content, out: write_markdown(sheet(content), out)
    writers[".html"] = lambda content, out: write_html(sheet(content), out)
    return ReportKind(name=name, show=lambda content, out: write_terminal(sheet(content), out), writers=writers)


def write_json(data: object, out: TextIO, *, time: Callable[[Any], str] = str) -> None:
    """Write JSON with all fields; unknown values are null. ``time`` converts values without a JSON type."""
    text = json.dumps(data, ensure_ascii=False, indent=1, default=time)
    out.write(text.encode("utf-8", "replace").decode() + "\n")  # lone surrogates cannot be encoded


def iso_time(value: object) -> str:
    """Return a time in ISO 8601 format with a ``T``; anything else as text."""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
