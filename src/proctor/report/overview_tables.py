"""The overview as report tables, the same in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from proctor.core.compliance import Compliance, MetricFigure, PromptCompliance, RuleCompliance, TargetCompliance
from proctor.core.report import FlakyCase, RepeatTally, Report
from proctor.report.number_format import percent
from proctor.report.report_table import CellState, ReportTable, TableCell, TableColumn, columns, figures
from proctor.stats.flakiness import entropy

__all__ = ["overview_tables"]

_DASH = "–"
_NARROW_ROWS = 5
_NARROW_REPEAT_ROWS = 10


def overview_tables(report: Report, *, narrow: bool = False) -> list[ReportTable]:
    """Return the tables of a run's overview, or of the stability of repeated samples; none for a plain run.

    With ``narrow``, they fit a terminal of eighty columns.
    """
    found = report.overview
    if found is None:
        return _repeat_tables(report, narrow=narrow)
    groups = [list(group) for group in (_of_all(found), _by_kind(found), _metrics(found))]
    tables = [
        _figures(found, group, title, narrow=narrow)
        for title, group in _titled(groups, narrow=narrow)
        if group and found.rows
    ]
    tables += list(_rules(found, narrow=narrow))
    return [*tables, _wavering(found, narrow=narrow)] if found.flaky else tables


Figure = Callable[[TargetCompliance], TableCell]
Figures = list[tuple[str, Figure]]


def _titled(groups: list[Figures], *, narrow: bool) -> list[tuple[str, Figures]]:
    if not narrow:
        return [("Compliance", [column for group in groups for column in group])]
    return list(zip(("Compliance", "By kind of test", "Metrics, 0 to 100"), groups, strict=True))


def _of_all(overview: PromptCompliance) -> Iterator[tuple[str, Figure]]:
    yield "Errors", lambda row: _counted(row.errors, "unscored")
    yield "Tests", lambda row: TableCell(f"{row.tests.tests:,}")
    yield "Compliant", lambda row: _share(row.tests)
    yield "95 %", lambda row: TableCell(_interval(row.tests))
    if overview.repeat > 1:
        yield f"pass^{overview.repeat}", lambda row: TableCell(percent(row.tests.steady))
    yield "Unknown", lambda row: _counted(row.tests.unknown, "unscored")


def _by_kind(overview: PromptCompliance) -> Iterator[tuple[str, Figure]]:
    """Yield each kind of test with at least one test; a real 0 % stays."""
    for title in ("Positive", "Negative", "Valid", "Invalid", "Baseline"):
        name = title.lower()
        if any(getattr(row, name).tests for row in overview.rows):
            yield title, lambda row, name=name: replace(_share(getattr(row, name)), state="")  # type: ignore[misc]


def _metrics(overview: PromptCompliance) -> Iterator[tuple[str, Figure]]:
    for name in dict.fromkeys(metric.name for row in overview.rows for metric in row.metrics):
        yield name, lambda row, name=name: _metric(row, name)  # type: ignore[misc]


def _figures(overview: PromptCompliance, shown: Figures, title: str, *, narrow: bool) -> ReportTable:
    scenarios = any(row.scenario is not None for row in overview.rows)
    names = columns("Target", "Scenario") if scenarios and not narrow else columns("Target")
    rows = [(*_names(row, len(names), narrow=narrow), *(figure(row) for _, figure in shown)) for row in overview.rows]
    return ReportTable(
        title=title,
        hint="answers that kept every rule, of those judged; 95 %: the interval of that share, over tests",
        columns=(*names, *figures(*(head for head, _ in shown))),
        rows=rows,
    )


def _names(row: TargetCompliance, count: int, *, narrow: bool) -> list[TableCell]:
    """Return a target and its scenario, in two columns or in one cell."""
    scenario = "all" if row.scenario is None else row.scenario or "(none)"
    if narrow and row.scenario is not None:
        return [TableCell(f"· {scenario}", state="muted")]
    return [TableCell(row.target), TableCell(scenario, state="muted")][:count]


def _rules(overview: PromptCompliance, *, narrow: bool) -> Iterator[ReportTable]:
    """Yield one table of rules for each target."""
    targets = dict.fromkeys(row.target for row in overview.rules)
    steady = (f"pass^{overview.repeat}",) if overview.repeat > 1 and not narrow else ()
    broken = "Broken" if overview.repeat == 1 else "Tests that broke it"  # the other figures count samples
    heads = ("Covered", "Kept", "95 %", *steady, broken, "n.a.", "Unknown", "By" if narrow else "Judged by")
    for target in targets:
        rows = [row for row in overview.rules if row.target == target]
        gaps = sum(not row.covered for row in rows)
        hint = "covered: tests made for it; broken: tests that broke it at least once"
        if gaps:
            hint += f"; {gaps} of {len(rows)} rules have no test of their own"
        yield ReportTable(
            title=f"Rules: {target}" if len(targets) > 1 else "Rules",
            hint=hint,
            columns=(*columns("Rule"), *figures(*heads)),
            rows=tuple(_rule(row, steady=bool(steady), narrow=narrow) for row in rows),
        )


def _rule(row: RuleCompliance, *, steady: bool, narrow: bool) -> tuple[TableCell, ...]:
    cells = [
        TableCell(row.text or row.rule),
        TableCell(f"{row.covered:,}", state="" if row.covered else "unscored"),
        _share(row.kept),
        TableCell(_interval(row.kept)),
    ]
    if steady:
        cells.append(TableCell(percent(row.kept.steady)))
    cells += [_counted(row.failed, "fail"), _counted(row.na, ""), _counted(row.kept.unknown, "unscored")]
    return (*cells, TableCell(_short_judges(row) if narrow else _judges(row), state="muted"))


def _judges(row: RuleCompliance) -> str:
    """Return the judges of the verdicts, and how far several judges agreed."""
    if not row.judged_by:
        return "nobody"
    names = ", ".join(name.removeprefix("judge:").replace("+", " + ") for name in row.judged_by)
    return names if row.agreement is None else f"{names}; {percent(row.agreement)} agreement"


def _short_judges(row: RuleCompliance) -> str:
    kinds = dict.fromkeys("judge" if name.startswith("judge:") else "code" for name in row.judged_by)
    return "+".join(kinds) or _DASH


def _wavering(overview: PromptCompliance, *, narrow: bool) -> ReportTable:
    texts = {row.rule: row.text for row in overview.rules}
    worst = overview.wavering[:_NARROW_ROWS] if narrow else overview.wavering
    rows = tuple(
        (
            TableCell(each.case),
            TableCell(each.target),
            TableCell(f"{each.ok} of {each.ok + each.err}"),
            TableCell(f"{each.entropy:.2f}"),
            TableCell("; ".join(texts.get(name) or name for name in each.rules) or _DASH, state="muted"),
        )
        for each in worst
    )
    shown = f"the worst {len(rows)} of {overview.flaky:,}" if overview.flaky > len(rows) else f"{overview.flaky:,}"
    return ReportTable(
        title=f"Flaky tests ({shown})" if narrow else "Flaky tests",
        hint=f"{shown}; the same test put {overview.repeat} times, with other verdicts",
        columns=(
            *columns("Test", "Target"),
            *figures("Complied", "Bits" if narrow else "Entropy, bits"),
            TableColumn("Rules that wavered", figure=True, wraps=True),
        ),
        rows=rows,
    )


def _share(figure: Compliance) -> TableCell:
    judged = figure.ok + figure.err
    if not judged:
        return TableCell(_DASH, state="muted")
    return TableCell(f"{figure.ok:,}/{judged:,} {percent(figure.rate)}", state="fail" if figure.err else "")


def _interval(figure: Compliance) -> str:
    if figure.low is None or figure.high is None:
        return _DASH
    return f"{figure.low * 100:.0f}–{figure.high * 100:.0f} %"


def _counted(count: int, state: CellState) -> TableCell:
    return TableCell(f"{count:,}", state=state if count else "muted")


def _metric(row: TargetCompliance, name: str) -> TableCell:
    found = next((metric for metric in row.metrics if metric.name == name), MetricFigure(name=name))
    if found.mean is None:
        return TableCell(f"{_DASH} ({found.missing} unknown)" if found.missing else _DASH, state="unscored")
    text = f"{found.mean * 100:.1f}"
    if found.apart is not None:
        text += f" ±{found.apart * 50:.0f}"
    return TableCell(f"{text} ({found.missing} unknown)" if found.missing else text)


def _repeat_tables(report: Report, *, narrow: bool = False) -> list[ReportTable]:
    """Return stability by target, and the flaky cases; none if every case was run once.

    The tests of a prompt have their own tables, by rule.
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
    rows = report.flaky[:_NARROW_REPEAT_ROWS] if narrow else report.flaky
    shown = f"the worst {len(rows)} of {total:,}" if total > len(rows) else f"{total:,}"
    return ReportTable(
        title=f"Flaky cases ({shown})" if narrow else "Flaky cases",
        hint=f"{shown}; the same case, with samples that passed and samples that failed",
        columns=(
            *columns("Case", "Target"),
            *figures("Passed", "Bits" if narrow else "Entropy, bits", "Unscored"),
        ),
        rows=tuple(_wavering_rows(each) for each in rows),
    )


def _wavering_rows(case: FlakyCase) -> tuple[TableCell, ...]:
    return (
        TableCell(case.case),
        TableCell(case.target),
        TableCell(f"{case.passed} of {case.passed + case.failed}"),
        TableCell(f"{entropy(case.passed, case.failed):.2f}"),
        TableCell(f"{case.unscored:,}", state="unscored" if case.unscored else "muted"),
    )
