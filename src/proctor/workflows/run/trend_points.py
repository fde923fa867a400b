"""What a finished run adds to the lines that are followed over time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from proctor.core.report import Cell
from proctor.core.score import Score
from proctor.release.measures import ALL, PASS_RATE, QUALITY, CaseMeasure, measures
from proctor.store.run_reader import RunReader

__all__ = ["cells_of_run"]


def cells_of_run(reader: RunReader) -> Iterator[Cell]:
    """Every dimension and part by intent and over all of them, for each target of the run.

    The results stream past, one case at a time: what is held does not grow with the run.
    """
    for target in reader.targets():
        sums: dict[tuple[str, str], _Sum] = {}
        for _, group in groupby(reader.graded(target=target), key=lambda result: result.case.id):
            results = list(group)
            (case,) = measures(results)
            _add(sums, case)
            for result in results:
                for score in result.scores:
                    _add_cost(sums, case.intent, score)
        for (intent, dimension), total in sums.items():
            if total.cases or total.unscored:
                yield total.cell(target, None if intent == ALL else intent, dimension)


@dataclass(slots=True)
class _Sum:
    """A mean and a spread that are brought up to date value by value."""

    cases: int = 0
    unscored: int = 0
    mean: float = 0.0
    squares: float = 0.0
    cost: float | None = None

    def add(self, value: float | None) -> None:
        if value is None:
            self.unscored += 1
            return
        self.cases += 1
        off = value - self.mean
        self.mean += off / self.cases
        self.squares += off * (value - self.mean)

    def cell(self, target: str, intent: str | None, dimension: str) -> Cell:
        return Cell(
            dimension=dimension,
            intent=intent,
            target=target,
            cases=self.cases,
            unscored=self.unscored,
            mean=self.mean if self.cases else None,
            spread=math.sqrt(self.squares / (self.cases - 1)) if self.cases > 1 else None,
            cost=self.cost,
        )


def _add(sums: dict[tuple[str, str], _Sum], case: CaseMeasure) -> None:
    # What a dimension did not apply to is neither scored nor unscored in it.
    for name in dict.fromkeys((QUALITY, PASS_RATE, *case.dimensions, *case.parts)):
        for intent in (ALL, case.intent):
            sums.setdefault((intent, name), _Sum()).add(case.figure(name))


def _add_cost(sums: dict[tuple[str, str], _Sum], intent: str, score: Score) -> None:
    """What a dimension's scores cost; no price known is no sum."""
    if score.cost is not None:
        for where in (ALL, intent):
            total = sums.setdefault((where, score.name), _Sum())
            total.cost = (total.cost or 0.0) + score.cost
    for part in score.parts:
        _add_cost(sums, intent, part)
