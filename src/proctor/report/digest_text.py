"""Figures of a digest as text: value, interval, number of observations, and the change since the period before."""

from __future__ import annotations

import math
from collections.abc import Iterator

from proctor.core.digest import DigestFigure, DigestSection, Measured, PeriodDigest, Unit
from proctor.report.number_format import money, percent, seconds
from proctor.report.report_table import ReportTable, TableCell, TableColumn, columns, figures

__all__ = [
    "FIGURE_COLUMNS",
    "NOT_MEASURED",
    "change_text",
    "digest_facts",
    "digest_title",
    "example_table",
    "figure_row",
    "figure_tables",
    "headline_text",
    "interval_text",
    "measured_text",
    "not_measured",
    "short_text",
    "value_text",
]

_KINDS = {"daily": "Daily", "weekly": "Weekly", "monthly": "Monthly"}
NOT_MEASURED = "not measured"
# On a narrow terminal everything but the numbers of observations is broken into lines.
FIGURE_COLUMNS = (
    *columns(""),
    TableColumn("now", figure=True, wraps=True),
    *figures("n"),
    TableColumn("before", figure=True, wraps=True),
    *figures("n before"),
    TableColumn("change", figure=True, wraps=True),
    *columns(""),
)


def value_text(value: float | None, unit: Unit) -> str:
    """Return one value with its unit; a dash if there is none."""
    if value is None:
        return "–"
    if unit == "share":
        return percent(value)
    if unit == "money":
        return _amount(value)
    if unit == "seconds":
        return seconds(value)
    if unit == "count":
        return f"{value:,.0f}"
    return (f"{value:.2f}" if unit == "rating" else f"{value:.3f}").replace("-", "−")


def _amount(cost: float) -> str:
    """Return an amount; below a cent with two significant digits, since costs of a turn are compared."""
    if not 1e-7 <= cost < 0.01:
        return money(cost)
    return f"${cost:.{1 - math.floor(math.log10(cost))}f}"


def interval_text(measured: Measured, unit: Unit) -> str:
    """Return the 95 % interval; empty if there is none."""
    if measured.low is None or measured.high is None:
        return ""
    if unit == "share":
        return f"{measured.low * 100:.1f}–{measured.high * 100:.1f} %"
    return f"{value_text(measured.low, unit)} to {value_text(measured.high, unit)}"


def measured_text(measured: Measured, unit: Unit) -> str:
    """Return the value with its interval."""
    interval = interval_text(measured, unit)
    return f"{value_text(measured.value, unit)} ({interval})" if interval else value_text(measured.value, unit)


def change_text(figure: DigestFigure) -> str:
    """Return the difference with its interval; a dash if nothing can be compared."""
    change = figure.change
    if change is None:
        return "–"
    if change.low is None or change.high is None:
        return _signed(change.value, figure.unit)
    low, high = (_signed(each, figure.unit, bare=True) for each in (change.low, change.high))
    return f"{_signed(change.value, figure.unit)} ({low} to {high})"


def _signed(value: float, unit: Unit, *, bare: bool = False) -> str:
    if unit == "share":
        return f"{value * 100:+.1f}{'' if bare else ' points'}".replace("-", "−")
    sign = "−" if value < 0 else "+"
    return f"{sign}{value_text(abs(value), unit)}"


def digest_title(digest: PeriodDigest) -> str:
    """Return the title of the digest."""
    return f"{_KINDS[digest.period.kind]} digest {digest.period.name}"


def headline_text(digest: PeriodDigest) -> str:
    """Return the primary figure in one sentence."""
    if not digest.headline:
        return "nothing was measured in this period"
    parts = [f"{figure.name} {measured_text(figure.now, figure.unit)}" for figure in digest.headline[:2]]
    worse = ", ".join(figure.name for figure in digest.worse)
    return "; ".join(parts) + (f"; clearly worse than before: {worse}" if worse else "")


def digest_facts(digest: PeriodDigest) -> list[tuple[str, str]]:
    """Return what was summarised: the period, the one it is compared with, and the events."""
    return [
        ("from", f"{digest.period.begin:%Y-%m-%d %H:%M} UTC"),
        ("to", f"{digest.period.end:%Y-%m-%d %H:%M} UTC"),
        ("compared with", digest.before.name),
        ("events", f"{digest.events:,}"),
        ("source", digest.source),
    ]


def figure_tables(section: DigestSection) -> Iterator[ReportTable]:
    """Yield the tables of a section: a row for each figure."""
    for table in section.tables:
        yield ReportTable(
            title=f"{section.title}: {table.title}" if table.title != section.title else table.title,
            hint=table.hint,
            columns=FIGURE_COLUMNS,
            rows=[figure_row(figure) for figure in table.figures],
        )


def example_table(section: DigestSection) -> ReportTable:
    """Return the examples of a section; without rows if it has none."""
    named = ("what", "conversation", "intent", "detail")
    rows = [(each.what, each.where, each.intent, each.detail) for each in section.examples]
    return ReportTable(title=f"{section.title}: examples", columns=columns(*named), rows=rows)


def not_measured(digest: PeriodDigest) -> list[tuple[str, str]]:
    """Return the sections without figures, and why."""
    return [(section.title, section.missing) for section in digest.sections if section.missing]


def short_text(digest: PeriodDigest) -> str:
    """Return the digest as a few lines, for channels that show short messages."""
    lines = [f"{digest_title(digest)}: {headline_text(digest)}"]
    lines += [
        f"- {figure.name}: {measured_text(figure.now, figure.unit)}, n = {figure.now.count:,}, "
        f"before {value_text(figure.before.value, figure.unit)}, change {change_text(figure)}"
        f"{f' [{figure.trend}]' if figure.trend else ''}"
        for figure in digest.headline
    ]
    for name, why in not_measured(digest):
        lines.append(f"- {name}: {NOT_MEASURED} ({why})")
    return "\n".join(lines)


def figure_row(figure: DigestFigure) -> tuple[str | TableCell, ...]:
    """Return the cells of a figure under ``FIGURE_COLUMNS``."""
    state = {"better": "pass", "worse": "fail", "": ""}[figure.trend]
    return (
        figure.name,
        measured_text(figure.now, figure.unit),
        f"{figure.now.count:,}" if figure.now.count else "",
        measured_text(figure.before, figure.unit),
        f"{figure.before.count:,}" if figure.before.count else "",
        change_text(figure),
        TableCell(figure.trend, state),  # type: ignore[arg-type]
    )
