"""Tables and charts of the audit page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from proctor.report.audit_sheet import estimate_text
from proctor.report.number_format import signed_number
from proctor.server.pages.charts import BarChart, BarRow
from proctor.server.pages.table import Cell, Chip, Column, Link, Share, Table, number_columns, text_columns

if TYPE_CHECKING:
    from proctor.core.audit_report import AuditReport, DimensionKappa, Split
    from proctor.core.judge_card import Estimate
    from proctor.store.audit_progress import WeekProgress

__all__ = [
    "agreement_table",
    "kappa_chart",
    "kappa_table",
    "quality_table",
    "report_tables",
    "split_table",
    "week_table",
]

_SPLITS: Final = 25  # conversations on a page
_NOT_YET: Final = "No conversation has two ratings yet. Agreement needs a second person who rates the same ones."


def kappa_table(kappas: Sequence[DimensionKappa]) -> Table:
    """The kappa of each dimension, for the page where one rates."""
    return Table(
        columns=(Column("Dimension"), *number_columns("Kappa (95 %)", "Same", "n")),
        rows=[(each.dimension, estimate_text(each.kappa), Share(each.observed), each.items) for each in kappas],
        empty=_NOT_YET,
    )


def kappa_chart(report: AuditReport) -> BarChart:
    """The kappa of each dimension with its interval."""
    rows = [
        BarRow(
            label=each.dimension,
            value=each.kappa.value,
            low=each.kappa.low,
            high=each.kappa.high,
        )
        for each in report.agreement
    ]
    return BarChart(title="Kappa with its 95 % interval", rows=rows, unit="score", top=1.0)


def agreement_table(report: AuditReport) -> Table:
    """How far raters agree in each dimension."""
    name = "Fleiss" if any(each.is_fleiss for each in report.agreement) else "Cohen"
    numbers = (
        "Both rated", "Same", f"Kappa ({name})", "Linear", "Quadratic", "Alpha", "AC1", "Kappa of passing",
    )  # fmt: skip
    rows: list[Sequence[Cell]] = [
        (
            each.dimension,
            each.items,
            _share(each.observed),
            estimate_text(each.kappa),
            estimate_text(each.linear),
            estimate_text(each.quadratic),
            estimate_text(each.alpha),
            estimate_text(each.ac1),
            estimate_text(each.passing),
        )
        for each in report.agreement
    ]
    return Table(columns=(Column("Dimension"), *number_columns(*numbers)), rows=rows, empty=_NOT_YET)


def quality_table(report: AuditReport) -> Table:
    """The quality of all conversations of the weeks."""
    numbers = ("Pass", "Mean rating", "Uniform core alone", "Rated", "Unscored", "Split")
    rows: list[Sequence[Cell]] = [
        (
            each.dimension,
            _share(each.share),
            estimate_text(each.mean),
            _share(each.core),
            each.rated,
            each.unscored,
            each.splits,
        )
        for each in report.quality
        if each.rated or each.unscored
    ]
    empty = "Nothing is rated yet."
    return Table(columns=(Column("Dimension"), *number_columns(*numbers)), rows=rows, empty=empty)


def split_table(splits: Sequence[Split], waiting: int, page: int) -> Table:
    """Where raters differ, one row for a conversation; ``waiting`` others have raters who may still rate them."""
    by_item: dict[str, list[Split]] = {}
    for each in splits:
        by_item.setdefault(each.item, []).append(each)
    items = sorted(
        by_item.values(), key=lambda some: (all(each.is_settled for each in some), some[0].week, some[0].item)
    )
    rows = [_split_row(some) for some in items]
    empty = "Raters agree about every conversation that is complete."
    if waiting:
        empty += f" Differences in {waiting} others are shown when all their raters have rated."
    return Table(
        columns=(*text_columns("Conversation", "Week"), Column("Ratings that differ", "long"), Column("State")),
        rows=rows[(page - 1) * _SPLITS : page * _SPLITS],
        empty=empty,
        total=len(rows),
        page=page,
        per_page=_SPLITS,
        every=lambda: rows,
    )


def _split_row(splits: Sequence[Split]) -> Sequence[Cell]:
    left = sum(not each.is_settled for each in splits)
    first = splits[0]
    return (
        Link(first.item, f"/ui/audit/settle/{first.item}"),
        first.week,
        "; ".join(f"{each.dimension} {' and '.join(map(str, each.ratings))}{_settled(each)}" for each in splits),
        Chip("unscored", "open" if left == len(splits) else f"{left} open") if left else Chip("pass", "settled"),
    )


def week_table(weeks: Sequence[WeekProgress]) -> Table:
    """The samples with how far they are rated, the newest first."""
    rows: list[Sequence[Cell]] = [
        (
            Link(each.week, f"/ui/audit?week={each.week}"),
            each.population,
            each.sampled,
            each.complete,
            each.ratings,
            ", ".join(f"{name} {count}" for name, count in each.people.items()) or None,
        )
        for each in reversed(weeks)
    ]
    columns = (Column("Week"), *number_columns("Conversations", "Sampled", "Complete", "Ratings"), Column("By"))
    return Table(columns=columns, rows=rows, empty="There is no sample yet; `proctor audit sample` draws one.")


def report_tables(report: AuditReport) -> dict[str, Table]:
    """Tables that only some audits have: two raters of several, judges against people, drift of raters."""
    found: dict[str, Table] = {}
    names: tuple[str, ...]
    if report.pairs:
        names = ("Common", "Same", "Kappa", "Quadratic", "First is higher by")
        found["pairs"] = Table(
            columns=(*text_columns("Raters", "Dimension"), *number_columns(*names)),
            rows=[
                (
                    f"{each.one} and {each.other}",
                    each.dimension,
                    each.items,
                    Share(each.observed),
                    _figure(each.kappa),
                    _figure(each.quadratic),
                    signed_number(each.bias),
                )
                for each in report.pairs
            ],
        )
    if report.judges:
        names = ("Conversations", "Same", "Kappa", "AC1", "Passed what people failed", "Failed what people passed")
        found["judges"] = Table(
            columns=(*text_columns("Judge", "Against"), *number_columns(*names)),
            rows=[
                (
                    f"{each.scorer} {each.version}".strip(),
                    each.dimension,
                    each.items,
                    _share(each.agreement.share),
                    estimate_text(each.agreement.kappa),
                    estimate_text(each.ac1),
                    _share(each.agreement.false_pass),
                    _share(each.agreement.false_fail),
                )
                for each in report.judges
            ],
        )
    if report.drift:
        names = ("Before", "Now", "Change (95 %)", "p adjusted")
        found["drift"] = Table(
            columns=(*text_columns("Rater", "Dimension"), *number_columns(*names), Column("Drift")),
            rows=[
                (
                    each.rater,
                    each.dimension,
                    signed_number(each.before),
                    signed_number(each.now),
                    estimate_text(each.change),
                    f"{each.adjusted:.3f}",
                    Chip("fail", "yes") if each.is_seen else Chip("unscored", "not seen"),
                )
                for each in report.drift
            ],
        )
    return found


def _share(estimate: Estimate) -> Share:
    return Share(estimate.value, estimate.low, estimate.high)


def _figure(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"


def _settled(split: Split) -> str:
    if not split.is_settled:
        return ""
    return " → cannot be rated" if split.settled is None else f" → {split.settled}"
