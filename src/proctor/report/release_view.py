"""A comparison or a decision as it is shown, in the words of the page; every writer of this room reads only this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from proctor.report.dimensions import title_of
from proctor.report.report_table import CellState, ReportTable, TableCell, TableColumn, columns, figures
from proctor.report.safe_text import one_line

__all__ = [
    "FigureChange",
    "FlippedCase",
    "HoldReason",
    "ReleaseView",
    "WorseCaseView",
    "chance",
    "change_table",
    "count_shown",
    "interval_of",
    "number",
    "place_of",
    "signed",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChange:
    """One figure before and after, over the cases of one intent (``None``: all) that are in both runs."""

    dimension: str
    intent: str | None = None
    cases: int = 0
    before: float | None = None
    after: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    detectable: float | None = None
    verdict: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorseCaseView:
    """One case that got worse: in which dimension, in which part of it, by how much, and why."""

    case: str
    intent: str | None = None
    dimension: str = ""
    part: str = ""
    before: float | None = None
    after: float | None = None
    reason: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedCase:
    """One check of one case that passed before and fails now; before and after say how many samples passed."""

    case: str
    check: str = ""
    intent: str | None = None
    before: str = ""
    after: str = ""
    by_rule: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldReason:
    """Why it is held, or why it cannot be told: the rule, in words, and the cases it rests on."""

    text: str
    rule: str = ""
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseView:
    """Everything there is to show of one run against its baseline; without a ``decision`` nothing was decided."""

    suite: str
    run: str
    target: str = ""
    baseline: str = ""
    baseline_run: str = ""
    policy: str = ""
    decision: str | None = None
    headline: str = ""
    reasons: tuple[HoldReason, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[FigureChange, ...] = ()
    newly_failing: tuple[FlippedCase, ...] = ()
    worse: tuple[WorseCaseView, ...] = ()
    worse_in_all: int = 0
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    time: datetime | None = None

    @property
    def other(self) -> str:
        """What the run is compared with: another run, a baseline, or another target of the same run."""
        return self.baseline if self.baseline_run == self.run else self.baseline_run or self.baseline

    @property
    def word(self) -> str:
        """The decision as one word."""
        return {"ship": "SHIP", "hold": "HOLD", "not enough data": "NOT ENOUGH DATA"}.get(
            self.decision or "", "COMPARED"
        )

    @property
    def state(self) -> str:
        """The decision as the page's colours know it."""
        return {"ship": "pass", "hold": "fail", "not enough data": "unscored"}.get(self.decision or "", "info")

    @property
    def shown(self) -> tuple[FigureChange, ...]:
        """The changes worth a row: first what got worse, then the dimensions over all intents, then the rest."""
        order = {"regression": 0, "improvement": 2, "no change": 3, "not enough data": 4}
        return tuple(sorted(self.changes, key=lambda each: 1 if each.intent is None else order.get(each.verdict, 3)))


_HEADS = (
    *columns("Dimension", "Intent"),
    *figures("Cases", "Before", "After", "Difference", "95 % interval", "p", "Detectable"),
    TableColumn("Verdict", wraps=False),
)


def change_table(
    view: ReleaseView,
    states: Mapping[str, CellState],
    other: CellState = "",
    *,
    name_chars: tuple[int, int] = (200, 200),
) -> ReportTable:
    """The changes worth a row; ``states`` says how each verdict is marked, ``other`` the rest.

    ``name_chars`` are the most characters of a dimension's and of an intent's name.
    """
    rows = [
        (
            one_line(place_of(each), name_chars[0]),
            one_line(each.intent or "all", name_chars[1]),
            f"{each.cases:,}",
            number(each.before),
            number(each.after),
            signed(each.difference),
            interval_of(each),
            chance(each.p),
            number(each.detectable),
            TableCell(each.verdict, states.get(each.verdict, other)),
        )
        for each in view.shown
    ]
    return ReportTable(columns=_HEADS, rows=rows)


def number(value: float | None, digits: int = 2) -> str:
    """A figure from 0 to 1."""
    return "–" if value is None else f"{value:.{digits}f}"


def signed(value: float | None) -> str:
    """A difference, with its sign always there."""
    return "–" if value is None else f"{value:+.3f}".replace("-", "−")


def place_of(change: FigureChange | WorseCaseView) -> str:
    """The dimension, and the part of it where there is one, as a person reads it."""
    part = getattr(change, "part", "")
    whole, _, rest = change.dimension.partition(".")
    return " · ".join(title_of(each) for each in (whole, part or rest) if each)


def count_shown(shown: int, total: int) -> str:
    """How many there are, and how many of them are shown where that is not all."""
    return f"{total:,}" if shown >= total else f"{shown:,} of {total:,}"


def interval_of(change: FigureChange) -> str:
    """The interval of the difference."""
    return f"{signed(change.low)} … {signed(change.high)}" if change.low is not None else "–"


def chance(p: float | None) -> str:
    """A probability as readers know it: never 0, which it is not."""
    return "<0.001" if p is not None and p < 0.001 else number(p, 3)
