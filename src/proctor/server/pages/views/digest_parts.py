"""Tables and charts of a section of a digest."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, urlencode

from proctor.core.digest import DigestFigure, DigestSection, FigureTable, PeriodDigest
from proctor.report.digest_text import change_text, interval_text, value_text
from proctor.server.pages.charts import BarChart, BarRow
from proctor.server.pages.table import Cell, Chip, Column, Link, Table

__all__ = ["example_rows", "figure_rows", "section_chart"]

_COLUMNS: Final = (
    Column("Figure"),
    Column("Now", "number"),
    Column("95 % interval", "number"),
    Column("Of", "number"),
    Column("Before", "number"),
    Column("Change", "number"),
    Column("Verdict"),
)
_MOST_BARS: Final = 15
_SEVERAL: Final = ", "


def figure_rows(table: FigureTable, digest: PeriodDigest, *, is_intent: bool = False) -> Table:
    """Return figures with their intervals beside those of the period before; intents lead to their conversations."""
    return Table(
        columns=_COLUMNS,
        rows=[_row(each, digest, is_intent=is_intent) for each in table.figures],
        caption=table.title,
        empty="Nothing was counted in this period.",
    )


def example_rows(section: DigestSection) -> Table:
    """Return conversations to look at."""
    rows: list[list[Cell]] = []
    for each in section.examples:
        first, _, more = each.where.partition(_SEVERAL)
        told = f"{each.detail} (also {more})" if more else each.detail
        link = Link(first, f"/ui/conversations/{quote(first, safe='')}") if first else None
        rows.append([link, each.intent or None, each.what, told or None])
    return Table(
        columns=(Column("Conversation"), Column("Intent"), Column("What"), Column("Detail", "long")),
        rows=rows,
        caption=f"Examples: {section.title.lower()}",
    )


def section_chart(title: str, table: FigureTable) -> BarChart | None:
    """Return shares as bars with their intervals; ``None`` if there are none."""
    found = [each for each in table.figures if each.now.value is not None and each.unit == "share"]
    if not found:
        return None
    rows = [
        BarRow(
            label=each.name,
            value=each.now.value,
            low=each.now.low,
            high=each.now.high,
            state="fail" if each.trend == "worse" else "pass" if each.trend == "better" else "",
        )
        for each in found[:_MOST_BARS]
    ]
    highest = max((row.high or row.value or 0.0) for row in rows)
    top = next((end for end in (0.05, 0.1, 0.25, 0.5) if highest <= end), 1.0)
    return BarChart(title=title, rows=rows, top=top)


def _row(figure: DigestFigure, digest: PeriodDigest, *, is_intent: bool) -> list[Cell]:
    name: Cell = figure.name
    if is_intent and figure.name not in ("all", ""):
        query = {
            "intent": figure.name,
            "since": f"{digest.period.begin.timestamp():.0f}",
            "until": f"{digest.period.end.timestamp():.0f}",
        }
        name = Link(figure.name, f"/ui/conversations?{urlencode(query)}")
    trend = figure.trend
    return [
        name,
        value_text(figure.now.value, figure.unit),
        interval_text(figure.now, figure.unit) or None,
        figure.now.count or None,
        value_text(figure.before.value, figure.unit),
        change_text(figure),
        Chip("pass" if trend == "better" else "fail", trend) if trend else None,
    ]
