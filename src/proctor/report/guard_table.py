"""Gates' decisions to read: on a terminal, as Markdown, as a page and as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from proctor.core.guard_table import GateRow, GuardTable
from proctor.core.operations import Share
from proctor.report.completion_table import share_text
from proctor.report.formats import check_ending, save_by_ending
from proctor.report.number_format import moment
from proctor.report.sheet import Section, Sheet, write_html, write_markdown, write_terminal

__all__ = ["check_name", "guard_sheet", "milliseconds", "save_guard", "write", "write_json"]

NOT_KNOWN = "not known"
_FIGURES = frozenset({"decisions", "allow", "redact", "block", "escalate", "broken", "shadow", "p50", "p95", "p99"})
_JUDGED = frozenset({"decisions", "borderline", "right", "precision", "recall"})


def write(table: GuardTable, out: TextIO | None = None) -> None:
    """Print it."""
    write_terminal(guard_sheet(table), out)


def guard_sheet(table: GuardTable) -> Sheet:
    """The table as a sheet."""
    stopped = sum(row.actions.get("block", 0) + row.actions.get("escalate", 0) for row in table.points)
    return Sheet(
        title="Decisions of the guard",
        headline=f"{table.decisions:,} steps looked at, {stopped:,} stopped or handed over",
        facts=[
            ("sessions", f"{table.sessions:,}"),
            *([("from", moment(table.begun))] if table.begun else []),
            *([("until", moment(table.until))] if table.until else []),
            ("reviewed", f"{table.reviewed:,}"),
            ("waiting for review", f"{table.waiting:,}"),
        ],
        sections=[
            section
            for section in (_decisions("Points", table.points), _decisions("Gates", table.gates), _judged(table))
            if section.rows
        ],
        notes=table.notes,
    )


def _decisions(title: str, rows: tuple[GateRow, ...]) -> Section:
    named = title == "Gates"
    shown = [
        (
            *((row.gate,) if named else ()),
            row.point,
            f"{row.decisions:,}",
            *(f"{row.actions.get(action, 0):,}" for action in ("allow", "redact", "block", "escalate")),
            f"{row.broken:,}",
            f"{row.shadow:,}",
            *(milliseconds(each) for each in (row.latency.p50, row.latency.p95, row.latency.p99)),
            ", ".join(f"{kind} {count:,}" for kind, count in list(row.findings.items())[:4]),
        )
        for row in rows
    ]
    columns = ("point", "decisions", "allow", "redact", "block", "escalate", "broken", "shadow", "p50", "p95", "p99")
    return Section(
        title=title,
        columns=(*(("gate",) if named else ()), *columns, "found"),
        rows=shown,
        figures=_FIGURES,
        hint="each gate's own decision; the strongest counts" if named else "what the step came to",
    )


def _judged(table: GuardTable) -> Section:
    rows = [
        (
            row.gate,
            row.point if row.gate != row.point else "",
            f"{row.borderline:,}",
            f"{row.precision.hits:,} of {row.precision.total:,}",
            _known(row.precision),
            _known(row.recall),
            row.why,
        )
        for row in (*table.points, *table.gates)
    ]
    return Section(
        title="What people say",
        columns=("gate", "point", "borderline", "right", "precision", "recall", "because"),
        rows=rows if table.reviewed else (),
        figures=_JUDGED,
        hint="95 % intervals; recall is estimated from a sample of what was let pass",
    )


def _known(share: Share) -> str:
    return NOT_KNOWN if share.value is None else share_text(share)


def milliseconds(seconds: float | None) -> str:
    """``0.02 ms``, ``4.1 ms``, ``120 ms``; a dash where nothing was timed."""
    if seconds is None:
        return "–"
    time = seconds * 1000
    return f"{time:.2f} ms" if time < 1 else f"{time:.1f} ms" if time < 100 else f"{time:,.0f} ms"


def write_json(table: GuardTable, out: TextIO) -> None:
    """Write it as JSON with every field there; what is not known is null."""
    json.dump(dataclasses.asdict(table), out, ensure_ascii=False, indent=1, default=str)
    out.write("\n")


_WRITERS: dict[str, Callable[[GuardTable, TextIO], None]] = {
    ".json": write_json,
    ".md": lambda table, out: write_markdown(guard_sheet(table), out),
    ".html": lambda table, out: write_html(guard_sheet(table), out),
}


def check_name(path: Path) -> None:
    """Say before anything is read whether the table can be written under this name.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
    """
    check_ending("table", path, _WRITERS)


def save_guard(table: GuardTable, path: Path) -> None:
    """Write it in the format the file's name asks for; the file is whole or is not there.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
        StoreError: the disk or the folder refused.
    """
    save_by_ending("table", table, path, _WRITERS)
