"""The report of one attack campaign: terminal, Markdown, HTML, CSV, JSON and JUnit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from proctor.core.campaign import AttackFigures, CampaignSummary
from proctor.core.share import Share
from proctor.report import redteam_html, redteam_junit
from proctor.report.csv_rows import share_cells, text_cell
from proctor.report.redteam_tables import campaign_tables
from proctor.report.redteam_words import campaign_facts, headline_of
from proctor.report.report_kind import ReportKind, iso_time, sheet_kind
from proctor.report.sheet import Sheet, write_terminal

__all__ = ["CAMPAIGN_REPORT", "campaign_sheet"]

_MAX_TERMINAL_ROWS = 15
_COUNTS = ("goals", "attempts", "scored", "not_reached", "ignored", "stopped", "executed", "unscored")
_SHARES = ("rate", "any_of_n", "by_effect", "by_detector", "corrected", "twin_stopped", "twin_effect")


def campaign_sheet(summary: CampaignSummary, *, most: int | None = None) -> Sheet:
    """Return the campaign as a sheet, with its label in the headline; ``most`` limits its longer tables."""
    return Sheet(
        title=f"Red team: {summary.facts.name}",
        headline=headline_of(summary),
        facts=campaign_facts(summary),
        tables=campaign_tables(summary, most=most),
        notes=summary.notes,
    )


def _data(summary: CampaignSummary) -> dict[str, Any]:
    return {"headline": headline_of(summary), **dataclasses.asdict(summary)}


def _csv_rows(summary: CampaignSummary) -> Iterator[Sequence[str]]:
    """Yield a row per group: all, open and held out, each scope, and each margin."""
    shares = [f"{name}{part}" for name in _SHARES for part in ("", "_low", "_high", "_of")]
    yield ["campaign", "target", "guarded", "note", "group", "name", *_COUNTS, *shares, "small"]
    facts = summary.facts
    head = [text_cell(facts.name), text_cell(facts.target), str(facts.guarded).lower(), text_cell(facts.note)]
    groups = {"part": (summary.total, summary.open, summary.held_out), "scope": summary.scopes, **summary.margins}
    for group, rows in groups.items():
        for row in rows:
            yield [*head, group, text_cell(row.name), *_cells(row)]


def _cells(row: AttackFigures) -> list[str]:
    cells = [str(getattr(row, name)) for name in _COUNTS]
    for name in _SHARES:
        share: Share = getattr(row, name)
        cells += share_cells(share)
    return [*cells, str(row.is_small).lower()]


def _show(summary: CampaignSummary, out: TextIO | None) -> None:
    write_terminal(campaign_sheet(summary, most=_MAX_TERMINAL_ROWS), out)


_SHEET = sheet_kind("campaign", campaign_sheet, data=_data, time=iso_time, rows=_csv_rows)
CAMPAIGN_REPORT: ReportKind[CampaignSummary] = dataclasses.replace(
    _SHEET, show=_show, writers={**_SHEET.writers, ".html": redteam_html.write, ".xml": redteam_junit.write}
)
