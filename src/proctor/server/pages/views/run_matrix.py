"""The cases of a run against its targets: one row for each case, one column for each target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from proctor.server.pages.table import Cell, Chip, Column, Link, State, Table
from proctor.server.pages.views.run_cells import case_address, outcome_chip, run_address
from proctor.store.result_search import FoundResult

__all__ = ["MOST_RESULTS", "case_matrix"]

MOST_RESULTS: Final = 20_000  # of larger runs the matrix is left out
_ROWS: Final = 100
_NAME: Final = 80  # characters of a case's name
_Row = Mapping[str, Sequence[FoundResult]]


def case_matrix(run_id: str, targets: Sequence[str], results: Iterable[FoundResult]) -> Table:
    """Return the outcomes by case and target; cases on which the targets differ come first."""
    found: dict[str, dict[str, list[FoundResult]]] = {}
    for each in results:
        found.setdefault(each.case_id, {}).setdefault(each.target, []).append(each)
    ordered = sorted(found.items(), key=lambda one: not _differs(one[1], targets))  # the order stays otherwise
    rows = [_cells(run_id, case, by_target, targets) for case, by_target in ordered]
    return Table(
        columns=(Column("Case"), *(Column(name) for name in targets)),
        rows=rows[:_ROWS],
        total=len(rows),
        per_page=max(1, len(rows)),
        every=lambda: rows,
    )


def _cells(run_id: str, case: str, by_target: _Row, targets: Sequence[str]) -> Sequence[Cell]:
    name = case if len(case) <= _NAME else f"{case[: _NAME - 1]}…"
    return (Link(name, run_address(run_id, q=case)), *(_cell(run_id, by_target.get(each, ())) for each in targets))


def _cell(run_id: str, samples: Sequence[FoundResult]) -> Chip | None:
    if not samples:
        return None
    worst = min(samples, key=lambda each: (_RANK[_state(each)], each.sample))
    chip = outcome_chip(worst.outcome, in_doubt=worst.in_doubt)
    passed = sum(each.outcome == "pass" for each in samples)
    label = chip.label if len(samples) == 1 else f"{passed} of {len(samples)} pass"
    return Chip(chip.state, label, case_address(run_id, worst.key))


def _differs(by_target: _Row, targets: Sequence[str]) -> bool:
    return len({tuple(sorted(_state(each) for each in by_target.get(name, ()))) for name in targets}) > 1


def _state(result: FoundResult) -> State:
    return outcome_chip(result.outcome, in_doubt=result.in_doubt).state


_RANK: Final[Mapping[State, int]] = {"fail": 0, "unscored": 1, "doubt": 2, "pass": 3, "info": 4}
