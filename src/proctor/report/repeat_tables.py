"""How steady repeated samples were, as tables of words, the same in every format."""

from __future__ import annotations

from proctor.core.report import FlakyCase, RepeatTally, Report
from proctor.report.number_format import percent
from proctor.report.word_table import Shown, WordTable
from proctor.stats.flakiness import entropy

__all__ = ["repeat_tables"]

_NARROW_ROWS = 10


def repeat_tables(report: Report, *, narrow: bool = False) -> list[WordTable]:
    """Steadiness by target, and the cases that passed and failed; none when every case was put once.

    The tests of a prompt have tables of their own, by rule.
    """
    if not report.repeats or report.overview is not None:
        return []
    tables = [_by_target(report)]
    return [*tables, _flaky(report, narrow=narrow)] if report.flaky else tables


def _by_target(report: Report) -> WordTable:
    most = max(each.samples for each in report.repeats)
    return WordTable(
        title="Repeated samples",
        hint=f"cases by how many of their samples passed; pass^{most}: all of {most} passed, pass@{most}: at least one",
        heads=("Target", "Cases", "Always", "Flaky", "Never", f"pass^{most}", f"pass@{most}"),
        rows=tuple(_steadiness(each) for each in report.repeats),
    )


def _steadiness(tally: RepeatTally) -> tuple[Shown, ...]:
    return (
        Shown(text=tally.target),
        Shown(text=f"{tally.cases:,}"),
        Shown(text=f"{tally.always:,}"),
        Shown(text=f"{tally.flaky:,}", state="unscored" if tally.flaky else "muted"),
        Shown(text=f"{tally.never:,}", state="fail" if tally.never else "muted"),
        Shown(text=percent(tally.pass_all)),
        Shown(text=percent(tally.pass_any)),
    )


def _flaky(report: Report, *, narrow: bool) -> WordTable:
    total = sum(each.flaky for each in report.repeats)
    rows = report.flaky[:_NARROW_ROWS] if narrow else report.flaky
    shown = f"the worst {len(rows)} of {total:,}" if total > len(rows) else f"{total:,}"
    return WordTable(
        title=f"Flaky cases ({shown})" if narrow else "Flaky cases",
        hint=f"{shown}; the same case, with samples that passed and samples that failed",
        heads=("Case", "Target", "Passed", "Bits" if narrow else "Entropy, bits", "Unscored"),
        rows=tuple(_wavering(each) for each in rows),
        names=2,
    )


def _wavering(case: FlakyCase) -> tuple[Shown, ...]:
    return (
        Shown(text=case.case),
        Shown(text=case.target),
        Shown(text=f"{case.passed} of {case.passed + case.failed}"),
        Shown(text=f"{entropy(case.passed, case.failed):.2f}"),
        Shown(text=f"{case.unscored:,}", state="unscored" if case.unscored else "muted"),
    )
