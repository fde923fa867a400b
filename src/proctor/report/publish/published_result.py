"""One published result, and the figures of its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from proctor.core.report import Cell, Outcome, Report
from proctor.core.score import Score

__all__ = ["NO_INTENT", "Graded", "averages", "slug"]

NO_INTENT = "other"
_APART = frozenset({"pass_rate", "quality"})  # figures over all dimensions, not dimensions


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One sample of a case on one target: its overall score and its dimensions."""

    case: str
    target: str
    sample: int = 0
    intent: str = NO_INTENT
    outcome: Outcome
    value: float | None = None
    dimensions: tuple[Score, ...] = ()
    duration: float | None = None
    time: datetime | None = None
    answer: str | None = None
    trace: Mapping[str, str] = field(default_factory=dict)


def averages(report: Report, target: str | None = None) -> list[Cell]:
    """Return the mean of each dimension over all intents, for each target or the named one."""
    return [
        cell
        for cell in report.by_dimension
        if cell.intent is None
        and "." not in cell.dimension
        and cell.dimension not in _APART
        and target in (None, cell.target)
    ]


def slug(text: str) -> str:
    """Return a name that is safe as a file name."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in text).strip(".-")
    return kept[:80] or "run"
