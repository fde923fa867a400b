"""Plain tables: aligned on a terminal, tab-separated in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import click

__all__ = ["print_table"]


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
    """Print rows with their column names; in a pipe, tab-separated and not shortened."""
    shown = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if not shown:
        click.echo(empty, err=True)
        return
    if not sys.stdout.isatty():
        for line in (columns, *shown):
            click.echo("\t".join(_flat(cell) for cell in line))
        return
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - rich only when drawing
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold" if column in ("about", "value") else "ellipsis", max_width=60)
    for row in shown:
        # Text objects are not parsed as markup, so text of a model is shown unchanged.
        table.add_row(*(Text(_flat(cell)) for cell in row))
    Console(highlight=False).print(table)


def _flat(cell: str) -> str:
    return "".join(c if c.isprintable() else " " for c in cell)
