"""The file formats of a trend report."""

from __future__ import annotations

from typing import TextIO

from proctor.core.codec import encode
from proctor.report import trend_html
from proctor.report.release_view import number, signed
from proctor.report.report_kind import ReportKind, write_json
from proctor.report.report_table import ReportTable, TableColumn, columns, figures
from proctor.report.table_markdown import escaped, markdown_table
from proctor.report.trend_view import TrendView

__all__ = ["TREND_REPORT"]

_ROWS = 500


def _markdown(view: TrendView, out: TextIO) -> None:
    lines = [f"## Trend: {escaped(view.suite, 100)}", ""]
    lines += [f"- **ALARM** {escaped(alarm, 400)}" for alarm in view.alarms]
    lines += [""] if view.alarms else []
    rows = [
        (
            each.title,
            each.intent or "all",
            number(each.newest, 3),
            signed(each.step),
            "–" if each.floor is None else f"{each.floor:g}",
            each.state,
            f"{len(each.moments)}",
        )
        for each in view.lines
    ]
    heads = (*columns("Dimension", "Intent"), *figures("Mean", "Step", "Floor"), TableColumn("State"), *figures("Runs"))
    lines.append(markdown_table(ReportTable(columns=heads, rows=rows), most=_ROWS, raw_figures=True))
    out.write("\n".join([*lines, f"<sub>target {escaped(view.target, 60)}</sub>", ""]))


def _show(view: TrendView, out: TextIO | None) -> None:
    import sys  # noqa: PLC0415 - the program prints its own table

    _markdown(view, out or sys.stdout)


TREND_REPORT: ReportKind[TrendView] = ReportKind(
    name="trend",
    show=_show,
    writers={
        ".html": trend_html.write,
        ".json": lambda view, out: write_json(encode(view), out),
        ".md": _markdown,
    },
)
