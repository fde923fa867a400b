"""Select a subset of tests so that every rule, polarity, scenario and strategy keeps its share."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from proctor.core.case import Case
from proctor.core.codec import content_id
from proctor.core.generated_test import GeneratedTest

__all__ = ["choose"]


@dataclass(frozen=True, slots=True)
class _Cell:
    """What a test covers: tests in the same cell are interchangeable."""

    rules: tuple[str, ...]
    polarity: str
    scenario: str
    strategy: str


def choose(cases: Sequence[Case], *, most: int | None, seed: int = 0) -> tuple[Case, ...]:
    """Return at most ``most`` of the cases, in order; the seed determines the choice.

    Tests are taken one by one, the most needed first: for the rule with the fewest tests so far; then for the polarity
    and the scenario this rule lacks; then for the polarity, scenario and strategy that are rarest overall. Ties are
    decided by the seed, not by order.
    """
    if most is None or len(cases) <= most:
        return tuple(cases)
    cells: defaultdict[_Cell, list[int]] = defaultdict(list)
    for number, case in enumerate(cases):
        cells[_cell(case)].append(number)
    for numbers in cells.values():
        numbers.sort(key=lambda number: content_id([seed, cases[number].id, number]))
    order = {cell: content_id([seed, cell.rules, cell.polarity, cell.scenario, cell.strategy]) for cell in cells}
    taken: Counter[Hashable] = Counter()
    waiting = [(_need(cell, taken), order[cell], number, cell) for number, cell in enumerate(cells)]
    heapq.heapify(waiting)
    chosen: list[int] = []
    while waiting and len(chosen) < most:
        need, name, number, cell = heapq.heappop(waiting)
        now = _need(cell, taken)
        if now != need:  # outdated: needs only decrease, so pushing it back still finds the best
            heapq.heappush(waiting, (now, name, number, cell))
            continue
        chosen.append(cells[cell].pop())
        taken.update(_sides(cell))
        if cells[cell]:
            heapq.heappush(waiting, (_need(cell, taken), name, number, cell))
    return tuple(cases[number] for number in sorted(chosen))


def _cell(case: Case) -> _Cell:
    test = GeneratedTest.of(case)
    rules = tuple(sorted(test.rules)) or ("",)
    return _Cell(rules=rules, polarity=test.polarity, scenario=test.scenario, strategy=test.strategy)


def _need(cell: _Cell, taken: Counter[Hashable]) -> tuple[int, ...]:
    """Return how much of the cell's content is already selected: the least is needed most."""
    least = min(
        (
            taken["rule", rule],
            taken["rule and polarity", rule, cell.polarity],
            taken["rule and scenario", rule, cell.scenario],
        )
        for rule in cell.rules
    )
    return (
        *least,
        taken["polarity", cell.polarity],
        taken["scenario", cell.scenario],
        taken["strategy", cell.strategy],
        min(taken["rule and strategy", rule, cell.strategy] for rule in cell.rules),
    )


def _sides(cell: _Cell) -> list[Hashable]:
    sides: list[Hashable] = [("polarity", cell.polarity), ("scenario", cell.scenario), ("strategy", cell.strategy)]
    for rule in cell.rules:
        sides += [
            ("rule", rule),
            ("rule and polarity", rule, cell.polarity),
            ("rule and scenario", rule, cell.scenario),
            ("rule and strategy", rule, cell.strategy),
        ]
    return sides
