"""Production over some days from its rollups: figures beside those of the days before, and their course."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from proctor.core.digest import Difference, DigestFigure, Measured
from proctor.core.rollup_cell import RollupCell, total_of
from proctor.monitor.digest_figures import share_figure, total_figure
from proctor.store.history import History

__all__ = ["PERIODS", "ProductionSeries", "gate_counts", "production_series", "score_names"]

# Days that can be shown, and the seconds of one step.
PERIODS: Final[Mapping[int, int]] = {1: 3600, 7: 21_600, 30: 86_400, 90: 86_400}
_DAY: Final = 86_400
_BROKEN: Final = "gate/broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionSeries:
    """Counts for each step of some days, all of them together, and those of the same number of days before."""

    days: int
    step: int
    since: float
    until: float
    cells: tuple[RollupCell, ...]
    total: RollupCell
    before: RollupCell
    is_before_whole: bool = True  # false where the first event came within the period before

    @property
    def is_empty(self) -> bool:
        """Whether nothing happened."""
        return not self.total.events

    @property
    def times(self) -> tuple[float, ...]:
        """When each step begins."""
        return tuple(float(cell.start) for cell in self.cells)

    def share(self, signal: str, *, of: str = "turn") -> tuple[float | None, ...]:
        """Return for each step how many of some events had a signal; ``None`` where there were none."""
        return tuple(
            min(1.0, cell.signals.get(signal, 0) / total) if (total := cell.events.get(of, 0)) else None
            for cell in self.cells
        )

    def score(self, name: str) -> tuple[float | None, ...]:
        """Return the mean of a score for each step."""
        return tuple(_mean(cell, name) for cell in self.cells)

    def figures(self) -> dict[str, DigestFigure]:
        """Return what matters, with intervals where it is a share."""
        now, then = self.total, self.before
        turns, turns_before = now.turns, then.turns
        found = [
            total_figure("conversations", now.conversations, self._whole(then.conversations)),
            total_figure("turns", turns, self._whole(turns_before)),
            _signal("errors", "error", now, then, is_bad=True),
            _signal("handed over", "escalation", now, then, is_bad=False),
            _plain("P95 latency", now.quantile(0.95), then.quantile(0.95), turns, "seconds"),
            _plain("satisfaction", now.csat, then.csat, now.csat_count, "rating"),
            share_figure(
                "acted on by a gate",
                (min(turns, sum(gate_counts(now).values())), turns),
                (min(turns_before, sum(gate_counts(then).values())), turns_before),
                None,
            ),
            total_figure("cost", now.cost or None, self._whole(then.cost), "money"),
        ]
        return {figure.name: figure for figure in found}

    def _whole(self, total: float) -> float | None:
        """Return a total of the period before; ``None`` if only a part of that period was seen."""
        return (total or None) if self.is_before_whole else None


def production_series(history: History, until: float, days: int) -> ProductionSeries:
    """Return the last days up to a time, in whole steps.

    Raises:
        ValueError: there is no such period.
        StoreError: the database failed.
    """
    if days not in PERIODS:
        raise ValueError(f"expected one of {', '.join(map(str, PERIODS))} days, found {days}")
    step = PERIODS[days]
    end = -int(-until // step) * step
    since = end - days * _DAY
    cells = history.windows(since, end, step=step)
    earlier = history.windows(since - days * _DAY, since, step=step)
    return ProductionSeries(
        days=days,
        step=step,
        since=since,
        until=end,
        cells=tuple(cells),
        total=total_of(cells),
        before=total_of(earlier),
        is_before_whole=bool(earlier[0].events) or _has_events(history, since - 2 * days * _DAY, since - days * _DAY),
    )


def _has_events(history: History, since: float, until: float) -> bool:
    return any(cell.events for cell in history.windows(since, until, step=int(until - since)))


def gate_counts(cell: RollupCell) -> dict[str, int]:
    """Return how often each gate stopped or changed something; a gate that failed is not counted."""
    return {
        name.removeprefix("gate/"): count
        for name, count in sorted(cell.signals.items())
        if name.startswith("gate/") and name != _BROKEN
    }


def score_names(cell: RollupCell) -> list[str]:
    """Return the scores that production was given, without ``score/``."""
    return sorted(name.removeprefix("score/") for name in cell.events if name.startswith("score/"))


def _signal(name: str, signal: str, now: RollupCell, then: RollupCell, *, is_bad: bool) -> DigestFigure:
    sides = [(min(cell.turns, cell.signals.get(signal, 0)), cell.turns) for cell in (now, then)]
    return share_figure(name, sides[0], sides[1], "lower" if is_bad else None)


def _plain(
    name: str, now: float | None, then: float | None, count: int, unit: Literal["seconds", "rating"]
) -> DigestFigure:
    """Return a figure without an interval: rollups have no spread."""
    change = Difference(value=now - then) if now is not None and then is not None else None
    measured = Measured(value=now, count=count)
    return DigestFigure(name=name, unit=unit, now=measured, before=Measured(value=then), change=change)


def _mean(cell: RollupCell, name: str) -> float | None:
    count = cell.events.get(f"score/{name}", 0)
    return cell.values.get(f"score/{name}", 0.0) / count if count else None
