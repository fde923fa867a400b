"""How steady repeated samples were, as tables of words, the same in every format."""

from __future__ import annotations

from proctor.core.report import FlakyCase, RepeatTally, Report
from proctor.report.number_format import percent
from proctor.report.report_table import ReportTable, TableCell, columns, figures
from proctor.stats.flakiness import entropy

__all__ = ["repeat_tables"]

_NARROW_ROWS = 10


def repeat_tables(report: Report, *, narrow: bool = False) -> list[ReportTable]:
    """Steadiness by target, and the cases that passed and failed; none when every case was put once.

    The tests of a prompt have tables of their own, by rule.
    """
    if not report.repeats or report.overview is not None:
        return []
    tables = [_by_target(report)]
    return [*tables, _flaky(report, narrow=narrow)] if report.flaky else tables


def _by_target(report: Report) -> ReportTable:
    most = max(each.samples for each in report.repeats)
    return ReportTable(
        title="Repeated samples",
        hint=f"cases by how many of their samples passed; pass^{most}: all of {most} passed, pass@{most}: at least one",
        columns=(*columns("Target"), *figures("Cases", "Always", "Flaky", "Never", f"pass^{most}", f"pass@{most}")),
        rows=tuple(_steadiness(each) for each in report.repeats),
    )


def _steadiness(tally: RepeatTally) -> tuple[TableCell, ...]:
    return (
        TableCell(tally.target),
        TableCell(f"{tally.cases:,}"),
        TableCell(f"{tally.always:,}"),
        TableCell(f"{tally.flaky:,}", state="unscored" if tally.flaky else "muted"),
        TableCell(f"{tally.never:,}", state="fail" if tally.never else "muted"),
        TableCell(percent(tally.pass_all)),
        TableCell(percent(tally.pass_any)),
    )


def _flaky(report: Report, *, narrow: bool) -> ReportTable:
    total = sum(each.flaky for each in report.repeats)
    rows = report.flaky[:_NARROW_ROWS] if narrow else report.flaky
    shown = f"the worst {len(rows)} of {total:,}" if total > len(rows) else f"{total:,}"
    return ReportTable(
        title=f"Flaky cases ({shown})" if narrow else "Flaky cases",
        hint=f"{shown}; the same case, with samples that passed and samples that failed",
        columns=(
            *columns("Case", "Target"),
            *figures("Passed", "Bits" if narrow else "Entropy, bits", "Unscored"),
        ),
        rows=tuple(_wavering(each) for each in rows),
    )


def _wavering(case: FlakyCase) -> tuple[TableCell, ...]:
    return (
        TableCell(case.case),
        TableCell(case.target),
        TableCell(f"{case.passed} of {case.passed + case.failed}"),
        TableCell(f"{entropy(case.passed, case.failed):.2f}"),
        TableCell(f"{case.unscored:,}", state="unscored" if case.unscored else "muted"),
    )
