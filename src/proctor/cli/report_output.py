"""Print the report of a verb, and write it to the files that were named."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from proctor.report.report_kind import ReportKind

__all__ = ["check_outputs", "emit_report"]

Content = TypeVar("Content")


def check_outputs(kind: ReportKind[Content], outputs: Iterable[Path]) -> None:
    """Check the names of the output files before any work is done.

    Raises:
        InputError: an extension is unknown, or a path is a folder.
    """
    for path in outputs:
        kind.check_name(path)


def emit_report(
    kind: ReportKind[Content], content: Content, outputs: Iterable[Path] = (), *, as_json: bool = False
) -> None:
    """Write a report to the output files, and print it as text or as JSON."""
    written = tuple(outputs)
    for path in written:  # before printing, since the reader of a pipe (head, less) may close it
        kind.save(content, path)
    if as_json:
        kind.write_json(content, sys.stdout)
    else:
        kind.write(content)
    for path in written:
        click.echo(f"wrote {path}", err=True)
