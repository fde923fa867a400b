"""The report of a digest: terminal, Markdown, JSON and one HTML page."""

from __future__ import annotations

import dataclasses
from typing import Any, TextIO

from proctor.core.digest import PeriodDigest
from proctor.report.digest_html import write as write_page
from proctor.report.digest_text import (
    FIGURE_COLUMNS,
    NOT_MEASURED,
    digest_facts,
    digest_title,
    example_table,
    figure_row,
    figure_tables,
    headline_text,
    not_measured,
)
from proctor.report.report_kind import ReportKind, iso_time, write_json
from proctor.report.report_table import ReportTable, columns
from proctor.report.sheet import Sheet, write_markdown, write_terminal

__all__ = ["DIGEST_REPORT", "digest_sheet"]


def digest_sheet(digest: PeriodDigest) -> Sheet:
    """Return the digest as a sheet: the headline figures first, then a table for each kind of figure."""
    tables = [_headline(digest)]
    notes = list(digest.notes)
    for section in digest.sections:
        tables += figure_tables(section)
        tables.append(example_table(section))
        notes += [f"{section.title}: {note}" for note in section.notes]
    if missing := not_measured(digest):
        rows = [(name, NOT_MEASURED, why) for name, why in missing]
        tables.append(ReportTable(title="Not measured", columns=columns("", "", "why"), rows=rows))
    return Sheet(
        title=digest_title(digest),
        headline=headline_text(digest),
        state="unscored" if not digest.headline else "fail" if digest.worse else "pass",
        facts=digest_facts(digest),
        tables=[table for table in tables if table.rows],
        notes=notes,
    )


def _headline(digest: PeriodDigest) -> ReportTable:
    return ReportTable(
        title="At a glance",
        columns=FIGURE_COLUMNS,
        rows=[figure_row(figure) for figure in digest.headline],
        hint=f"95 % intervals; before is {digest.before.name}",
    )


def _data(digest: PeriodDigest) -> dict[str, Any]:
    return {**dataclasses.asdict(digest), "worse": [figure.name for figure in digest.worse]}


def _show(digest: PeriodDigest, out: TextIO | None) -> None:
    write_terminal(digest_sheet(digest), out)


DIGEST_REPORT: ReportKind[PeriodDigest] = ReportKind(
    name="digest",
    show=_show,
    writers={
        ".html": write_page,
        ".md": lambda digest, out: write_markdown(digest_sheet(digest), out),
        ".json": lambda digest, out: write_json(_data(digest), out, time=iso_time),
    },
)
