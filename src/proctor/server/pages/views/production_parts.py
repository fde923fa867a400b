"""Charts and tiles of production that the overview and the monitoring page share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from proctor.core.digest import DigestFigure
from proctor.report.digest_text import interval_text, value_text
from proctor.server.pages.charts import Series, TimeChart
from proctor.server.pages.page import PageRequest
from proctor.workflows.monitor.production_series import PERIODS, ProductionSeries, gate_counts, score_names

__all__ = ["FigureTile", "chosen_days", "cost_chart", "figure_tile", "gate_chart", "period_words", "score_chart"]

_MOST_LINES: Final = 5
_LEAST_SCORES: Final = 30  # fewer make no line
_STATES: Final = {"better": "pass", "worse": "fail", "": ""}


@dataclass(frozen=True, slots=True)
class FigureTile:
    """A figure that leads to what it is made of."""

    label: str
    value: str
    to: str
    more: str = ""
    state: str = ""


def chosen_days(request: PageRequest, default: int) -> int:
    """Return the number of days that a reader wants to see."""
    return int(request.choice("days", [str(days) for days in PERIODS], str(default)))


def period_words(days: int) -> str:
    """Return a number of days in words."""
    return "24 hours" if days == 1 else f"{days} days"


def figure_tile(label: str, figure: DigestFigure | None, to: str, more: str = "") -> FigureTile:
    """Return a figure with its interval, and the one before; a dash if it was not measured."""
    if figure is None or figure.now.value is None:
        return FigureTile(label, "–", to, more or "not measured")
    told = [more] if more else []
    if interval := interval_text(figure.now, figure.unit):
        told.append(interval)
    if figure.before.value is not None:
        told.append(f"before {value_text(figure.before.value, figure.unit)}")
    value = value_text(figure.now.value, figure.unit)
    return FigureTile(label, value, to, " · ".join(told), _STATES[figure.trend])


def gate_chart(course: ProductionSeries) -> TimeChart | None:
    """Return how often each gate acted; ``None`` if none did."""
    totals = Counter(gate_counts(course.total))
    if not totals:
        return None
    named = [name for name, _ in totals.most_common(_MOST_LINES)]
    counts: list[Mapping[str, int]] = [gate_counts(cell) for cell in course.cells]
    return TimeChart(
        title="Gates that stopped or changed something",
        times=course.times,
        series=[Series(label=name, values=[each.get(name, 0) for each in counts]) for name in named],
    )


def score_chart(course: ProductionSeries) -> TimeChart | None:
    """Return the mean of each score of production; ``None`` if nothing was scored."""
    counts = {name: course.total.events[f"score/{name}"] for name in score_names(course.total)}
    names = sorted((name for name in counts if counts[name] >= _LEAST_SCORES), key=lambda name: -counts[name])
    names = names[:_MOST_LINES]
    if not names:
        return None
    return TimeChart(
        title="Scores of production, mean",
        times=course.times,
        series=[Series(label=name, values=course.score(name)) for name in names],
        unit="score",
        range=(0.0, 1.0),
    )


def cost_chart(course: ProductionSeries) -> TimeChart | None:
    """Return what the turns cost; ``None`` if no turn has a price."""
    if not course.total.cost:
        return None
    values = [cell.cost if cell.turns else None for cell in course.cells]
    return TimeChart(
        title="Cost of production", times=course.times, series=[Series(label="cost", values=values)], unit="money"
    )
