"""A comparison or release decision on a terminal: changes, worse cases, the decision and its reasons."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.text import Text

from proctor.report.release_view import (
    ReleaseView,
    cause_line,
    change_table,
    count_shown,
    folded,
    number,
    place_of,
    quiet_words,
)
from proctor.report.report_table import CellState
from proctor.report.safe_text import one_line
from proctor.report.sheet import console_for
from proctor.report.table_terminal import rich_table

__all__ = ["write"]

_STYLES = {"pass": "bold green", "fail": "bold red", "unscored": "bold yellow", "info": "bold"}
_VERDICTS: dict[str, CellState] = {"regression": "fail", "improvement": "pass", "not enough data": "unscored"}
_ROWS = 40
_CASES = 10


def write(view: ReleaseView, out: TextIO | None = None, *, width: int | None = None) -> None:
    """Print the view; in a pipe the width of tables is not limited."""
    console = console_for(out, width=width, pipe_width=160)
    head = Text(one_line(view.suite or "suite", 60), style="bold")
    shown = f"{view.run} {view.target}" if view.baseline_run == view.run else view.run
    head.append(f"  {one_line(shown, 120)} against {one_line(view.other, 120)}", style="dim")
    console.print()
    console.print(head)
    if view.changes:
        console.print()
        moved, quiet = folded(view)
        if moved:
            changes = change_table(view, _VERDICTS, "muted", name_chars=(60, 40), changes=moved)
            console.print(rich_table(changes, "release", most=_ROWS))
        if quiet:
            console.print(Text(quiet_words(len(quiet)), style="dim"))
    _print_flips(console, view)
    _print_worse(console, view)
    for title, names in (("Missing from this run", view.missing), ("New in this run", view.added)):
        if names:
            more = f" and {len(names) - 8} more" if len(names) > 8 else ""
            shown = ", ".join(one_line(name, 60) for name in names[:8])
            console.print()
            console.print(Text.assemble((title, "bold"), f" ({len(names)}): {shown}{more}"))
    for note in view.notes:
        console.print(Text.assemble(("note ", "yellow"), one_line(note, 400)))
    console.print()
    console.print(Text.assemble((view.word, _STYLES[view.state]), "  ", one_line(view.headline, 400)))
    for cause in view.told:
        console.print(Text(f"  • {one_line(cause_line(cause), 500)}"))
        if cause.also:
            console.print(Text(f"    so also: {one_line('; '.join(cause.also), 500)}", style="dim"))
    console.print()


def _print_flips(console: Console, view: ReleaseView) -> None:
    if not view.newly_failing:
        return
    shown = view.newly_failing[:_CASES]
    count = count_shown(len(shown), len(view.newly_failing))
    console.print()
    console.print(Text.assemble(("Cases that passed and now fail", "bold"), (f" ({count})", "dim")))
    for each in shown:
        line = Text.assemble("  ", ("✗ ", "red"), (one_line(each.case, 80), "bold"), "  ")
        line.append(f"{one_line(each.check, 80)} passed {each.before} → {each.after}")
        line.append(f"  {one_line(each.reason, 200)}" if each.reason else "", style="dim")
        console.print(line)


def _print_worse(console: Console, view: ReleaseView) -> None:
    if not view.worse:
        return
    total, shown = max(view.worse_in_all, len(view.worse)), view.worse[:_CASES]
    count = f"{total:,}" if total == len(shown) else f"{len(shown)} of {total:,}"
    console.print()
    console.print(Text.assemble(("Cases that got worse", "bold"), (f" ({count})", "dim")))
    for each in shown:
        line = Text.assemble("  ", ("✗ ", "red"), (one_line(each.case, 80), "bold"), "  ")
        line.append(f"{one_line(place_of(each), 80)} {number(each.before)} → {number(each.after)}")
        if each.reason:
            line.append(f": {one_line(each.reason, 200)}", style="dim")
        console.print(line)
