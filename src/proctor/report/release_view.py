"""The data of a comparison or release decision for all report formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from proctor.report.dimensions import title_of
from proctor.report.report_table import CellState, ReportTable, TableCell, TableColumn, columns, figures
from proctor.report.safe_text import one_line

__all__ = [
    "CaseState",
    "CaseTurn",
    "ComparedCase",
    "FigureChange",
    "FigurePair",
    "FlippedCase",
    "HoldCause",
    "HoldReason",
    "ReleaseView",
    "WorseCaseView",
    "cause_line",
    "chance",
    "change_table",
    "count_shown",
    "folded",
    "interval_of",
    "number",
    "place_of",
    "quiet_words",
    "signed",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChange:
    """One figure before and after, over the cases of one intent (``None``: all) in both runs."""

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
    """One case that got worse: the dimension, its part, the difference, and the reason."""

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
    """One check of one case that passed before and fails now; before and after count the passed samples."""

    case: str
    check: str = ""
    intent: str | None = None
    before: str = ""
    after: str = ""
    by_rule: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldReason:
    """Why a run is held or cannot be decided: the rule in words, and its cases."""

    text: str
    rule: str = ""
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldCause:
    """One cause, told once: what happened, what follows from it, and its cases.

    ``line`` is the same with the first cases in it, for formats that list none.
    """

    text: str
    line: str = ""
    also: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()


CaseState = Literal["worse", "better", "changed", "same", "new", "missing", "rewritten"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTurn:
    """One turn of a case in both runs; ``diff`` are pieces that are ``same``, ``gone`` or ``new``."""

    question: str = ""
    before: str | None = None
    after: str | None = None
    diff: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePair:
    """One figure of one case, before and after."""

    name: str
    before: float | None = None
    after: float | None = None

    @property
    def difference(self) -> float | None:
        """The change; ``None`` if one of them is missing."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCase:
    """One case in both runs: its outcome and value, its texts, the figures that moved, and what was found."""

    case: str
    intent: str | None = None
    state: CaseState = "same"
    outcome_before: str | None = None
    outcome_after: str | None = None
    before: float | None = None
    after: float | None = None
    figures: tuple[FigurePair, ...] = ()
    turns: tuple[CaseTurn, ...] = ()
    expected: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseView:
    """Everything to show of one run and its baseline; without a ``decision`` nothing was decided."""

    suite: str
    run: str
    target: str = ""
    baseline: str = ""
    baseline_run: str = ""
    policy: str = ""
    decision: str | None = None
    headline: str = ""
    reasons: tuple[HoldReason, ...] = ()
    causes: tuple[HoldCause, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[FigureChange, ...] = ()
    newly_failing: tuple[FlippedCase, ...] = ()
    worse: tuple[WorseCaseView, ...] = ()
    worse_in_all: int = 0
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    cases: tuple[ComparedCase, ...] = ()
    cases_in_all: int = 0
    time: datetime | None = None

    @property
    def told(self) -> tuple[HoldCause, ...]:
        """The causes; for a view without them, each reason is one."""
        return self.causes or tuple(
            HoldCause(text=each.text, rules=(each.rule,), cases=each.cases) for each in self.reasons
        )

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
        """The decision as a colour class of the page."""
        return {"ship": "pass", "hold": "fail", "not enough data": "unscored"}.get(self.decision or "", "info")

    @property
    def shown(self) -> tuple[FigureChange, ...]:
        """The changes to show: first what got worse, then the dimensions over all intents, then the rest."""
        order = {"regression": 0, "improvement": 2, "no change": 3, "not enough data": 4}
        return tuple(sorted(self.changes, key=lambda each: 1 if each.intent is None else order.get(each.verdict, 3)))


def folded(view: ReleaseView) -> tuple[tuple[FigureChange, ...], tuple[FigureChange, ...]]:
    """Return the changes to show at once, and those that did not change if these are many."""
    quiet = tuple(each for each in view.shown if each.verdict == "no change")
    if len(quiet) <= _FEW_QUIET:
        return view.shown, ()
    return tuple(each for each in view.shown if each.verdict != "no change"), quiet


def quiet_words(count: int) -> str:
    """Return how many figures did not change, in words."""
    return f"{count:,} figure{'' if count == 1 else 's'} did not change"


_FEW_QUIET = 10
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
    changes: Sequence[FigureChange] | None = None,
) -> ReportTable:
    """Return the table of changes, by default of all; ``states`` maps verdicts to marks, ``other`` is the default.

    ``name_chars`` limits the names of dimensions and of intents.
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
            number(each.detectable, 3),
            TableCell(each.verdict, states.get(each.verdict, other)),
        )
        for each in (view.shown if changes is None else changes)
    ]
    return ReportTable(columns=_HEADS, rows=rows)


def cause_line(cause: HoldCause, most: int = 5) -> str:
    """Return a cause in one line, with its first cases unless its text names them."""
    if cause.line or not cause.cases or cause.cases[0] in cause.text:
        return cause.line or cause.text
    more = f" and {len(cause.cases) - most} more" if len(cause.cases) > most else ""
    return f"{cause.text}: {', '.join(cause.cases[:most])}{more}"


def number(value: float | None, digits: int = 2) -> str:
    """Return a figure from 0 to 1 as text."""
    return "–" if value is None else f"{value:.{digits}f}"


def signed(value: float | None) -> str:
    """Return a difference with its sign."""
    return "–" if value is None else f"{value:+.3f}".replace("-", "−")


def place_of(change: FigureChange | WorseCaseView) -> str:
    """Return the display name of the dimension, and of its part if there is one."""
    part = getattr(change, "part", "")
    whole, _, rest = change.dimension.partition(".")
    return " · ".join(title_of(each) for each in (whole, part or rest) if each)


def count_shown(shown: int, total: int) -> str:
    """Return the total, and how many are shown if not all."""
    return f"{total:,}" if shown >= total else f"{shown:,} of {total:,}"


def interval_of(change: FigureChange) -> str:
    """Return the interval of the difference."""
    return f"{signed(change.low)} … {signed(change.high)}" if change.low is not None else "–"


def chance(p: float | None) -> str:
    """Return a probability for display; never as 0."""
    return "<0.001" if p is not None and p < 0.001 else number(p, 3)
