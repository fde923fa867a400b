"""The tables of an attack campaign, independent of the format."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.core.campaign import MIN_CELL_ATTEMPTS, AttackFigures, CampaignSummary, GoalFigures
from proctor.report.number_format import share_text
from proctor.report.redteam_words import findings_text, has_stops, label_of, words_of
from proctor.report.report_table import ReportTable, TableCell, TableColumn, columns, figures

__all__ = [
    "MARGIN_TITLES",
    "campaign_tables",
    "curve_table",
    "finding_table",
    "gate_table",
    "judge_table",
    "reason_table",
]

MARGIN_TITLES = {
    "technique": "By technique",
    "language": "By language",
    "channel": "By channel",
    "severity": "By severity if executed",
    "tag": "By tag",
}
_SMALL_HINT = f"grey: fewer than {MIN_CELL_ATTEMPTS} scored attempts"
_HELD_OUT = "held out: not shown"


def campaign_tables(summary: CampaignSummary, *, most: int | None = None) -> list[ReportTable]:
    """Return the tables that have rows, in reading order; ``most`` limits the findings, techniques and the like."""
    made = [
        _outcomes(summary),
        judge_table(summary),
        finding_table("Findings", summary.findings, most=most),
        *(_margin(summary, name, most) for name in summary.margins),
        curve_table(summary),
        gate_table(summary.total),
        reason_table(summary.total),
    ]
    return [table for table in made if table.rows]


def _outcomes(summary: CampaignSummary) -> ReportTable:
    counts = ("goals", "attempts", "not reached", "ignored", "stopped", "executed", "unscored")
    stops = has_stops(summary)
    shares = ("rate", "any of n", "twins stopped") if stops else ("rate", "any of n")
    label = label_of(summary)
    return ReportTable(
        title="By scope",
        columns=(*columns("scope"), *figures(*counts, *shares)),
        rows=[_outcome_row(row, stops) for row in _scope_rows(summary)],
        hint="rate: executed of scored, interval clustered by goal" + (f" · {label}" if label else ""),
    )


def _scope_rows(summary: CampaignSummary) -> list[AttackFigures]:
    parts = [summary.open, summary.held_out] if summary.held_out.attempts else []
    return [*summary.scopes, *parts, summary.total] if summary.total.attempts else []


def _outcome_row(row: AttackFigures, stops: bool) -> Sequence[TableCell]:
    counts = (row.goals, row.attempts, row.not_reached, row.ignored, row.stopped, row.executed, row.unscored)
    shares = (row.rate, row.any_of_n, *((row.twin_stopped,) if stops else ()))
    cells = [words_of(row.name), *(f"{count:,}" for count in counts), *map(share_text, shares)]
    return [TableCell(cell, "muted" if row.is_small else "") for cell in cells]


def judge_table(summary: CampaignSummary) -> ReportTable:
    """Return the rates by what decided; without rows if no detector decided anything."""
    total, detector = summary.total, summary.facts.detector
    rows = []
    if total.by_detector.total:
        rows = [
            ("an effect or a gate", f"{total.by_effect.total:,}", share_text(total.by_effect)),
            ("a detector", f"{total.by_detector.total:,}", share_text(total.by_detector)),
        ]
    if total.corrected.value is not None and detector is not None:
        rows.append(("a detector, its errors corrected", f"{total.corrected.total:,}", share_text(total.corrected)))
    hint = ""
    if detector is not None:
        hint = (
            f"{detector.name or 'the detector'}: sensitivity {detector.sensitivity:.2f} of "
            f"{detector.sensitivity_count:,}, specificity {detector.specificity:.2f} of {detector.specificity_count:,}"
        )
    return ReportTable(title="What decided", columns=(*columns("by"), *figures("scored", "rate")), rows=rows, hint=hint)


def _margin(summary: CampaignSummary, name: str, most: int | None) -> ReportTable:
    rows, stops = summary.margins[name], has_stops(summary)
    shown = []
    for row in rows[:most]:
        cells = [words_of(row.name), f"{row.attempts:,}", f"{row.scored:,}", f"{row.executed:,}", share_text(row.rate)]
        cells += [share_text(row.twin_stopped)] if stops else []
        shown.append([TableCell(cell, "muted" if row.is_small else "") for cell in cells])
    heads = ("attempts", "scored", "executed", "rate", *(("twins stopped",) if stops else ()))
    hint = _SMALL_HINT if len(shown) == len(rows) else f"the first {len(shown)} of {len(rows)}; {_SMALL_HINT}"
    title = MARGIN_TITLES.get(name, f"By {name}")
    return ReportTable(title=title, columns=(*columns(name), *figures(*heads)), rows=shown, hint=hint)


def finding_table(title: str, goals: Sequence[GoalFigures], *, most: int | None = None) -> ReportTable:
    """Return findings as a table, at most so many; a held-out one shows only its hash."""
    rows = [
        (
            TableCell(goal.severity, "fail" if goal.severity in ("critical", "high") else ""),
            goal.goal,
            words_of(goal.scope),
            goal.title if not goal.held_out else _HELD_OUT,
            f"{goal.executed:,} of {goal.scored:,}",
            " + ".join(goal.techniques),
            " ".join(filter(None, (goal.channel and words_of(goal.channel), goal.language))),
            goal.reason or goal.evidence,
        )
        for goal in goals[:most]
    ]
    hint = findings_text(goals)
    if len(rows) < len(goals):
        hint += f"; the first {len(rows)} are shown"
    heads = (
        TableColumn("severity", wraps=False),
        *columns("goal", "scope", "what"),
        *figures("executed"),
        *columns("techniques", "how", "evidence"),
    )
    return ReportTable(title=title, columns=heads, rows=rows, hint=hint)


def curve_table(summary: CampaignSummary) -> ReportTable:
    """Return the share of goals reached by number of tries."""
    return ReportTable(
        title="Any of n",
        columns=figures("tries a goal", "goals", "goals reached"),
        rows=[(f"{step.tries:,}", f"{step.goals.total:,}", share_text(step.goals)) for step in summary.curve],
        hint="goals that one of their first n scored attempts reached",
    )


def gate_table(total: AttackFigures) -> ReportTable:
    """Return which gates stopped attempts, and which stopped benign twins."""
    names = sorted({*total.stopped_by, *total.twin_stopped_by}, key=lambda name: -total.stopped_by.get(name, 0))
    rows = [(name, f"{total.stopped_by.get(name, 0):,}", f"{total.twin_stopped_by.get(name, 0):,}") for name in names]
    return ReportTable(
        title="What stopped it",
        columns=(*columns("gate"), *figures("attacks", "benign twins")),
        rows=rows,
        hint="a benign twin that is stopped is over-blocking",
    )


def reason_table(total: AttackFigures) -> ReportTable:
    """Return why attempts are unscored."""
    rows = [(f"{count:,}", reason) for reason, count in total.unscored_by.items()]
    return ReportTable(title="Unscored", columns=(*figures("attempts"), *columns("why")), rows=rows)
