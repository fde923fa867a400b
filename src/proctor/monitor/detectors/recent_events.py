"""The last hours by minute, intent, model and version: the window of an alert, its examples, and what moved."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from proctor.core.alert_record import MovedSlice
from proctor.core.event_row import EventRow
from proctor.monitor.detectors.event_run import EventRun

__all__ = ["RecentEvents"]

_DIMENSIONS: Final = ("intent", "model", "version")
_KEPT_MINUTES: Final = 360
_MOST_KEYS: Final = 500  # different slices in a minute; the rest are counted as one
_REST: Final = ("other", "other", "other")
_EXAMPLES: Final = 10
_MOST_MOVED: Final = 5
_CLEAR: Final = 3.0  # evidence of 20 to 1
_PRIOR: Final = 20.0  # bad events that a slice needs to be believed over the whole
_MOST_USUAL: Final = 2_000

Key = tuple[str | None, str | None, str | None]


class _Example(NamedTuple):
    time: float
    session: str
    key: Key


class RecentEvents:
    """Counts by minute and slice, and what is usual in each slice."""

    __slots__ = ("_examples", "_folded", "_minutes", "_usual")

    def __init__(self) -> None:
        self._minutes: dict[int, dict[Key, list[int]]] = {}
        self._examples: deque[_Example] = deque(maxlen=200)
        self._usual: dict[tuple[str, str], list[float]] = {}
        self._folded = 0

    def add(self, row: EventRow, count: int, bad: int) -> None:
        """Count one event."""
        minute = int(row.time) // 60
        cells = self._minutes.get(minute)
        if cells is None:
            if minute <= self._folded:
                return
            self._minutes[minute] = cells = {}
        key: Key = (row.intent, row.model, row.version)
        cell = cells.get(key)
        if cell is None:
            if len(cells) >= _MOST_KEYS:
                key = _REST
            cell = cells.setdefault(key, [0, 0])
        cell[0] += count
        if bad:
            cell[1] += bad
            if row.session:
                self._examples.append(_Example(row.time, row.session, key))

    def add_run(self, run: EventRun) -> None:
        """Count events of which none is bad."""
        for minute, counts in run.minutes.items():
            cells = self._minutes.get(minute)
            if cells is None:
                if minute <= self._folded:
                    continue
                self._minutes[minute] = cells = {}
            for each, count in counts.items():
                key = each if each in cells or len(cells) < _MOST_KEYS else _REST
                cells.setdefault(key, [0, 0])[0] += count

    def fold(self, now: float, *, keep: bool) -> None:
        """Forget minutes that are too old; with ``keep`` they show what is usual in each slice."""
        last = int(now // 60) - _KEPT_MINUTES
        for minute in [each for each in self._minutes if each <= last]:
            cells = self._minutes.pop(minute)
            self._folded = max(self._folded, minute)
            if keep:
                for dimension, value, count, bad in _parts(cells):
                    usual = self._usual.get((dimension, value))
                    if usual is None and len(self._usual) < _MOST_USUAL:
                        usual = self._usual.setdefault((dimension, value), [0.0, 0.0])
                    if usual is not None:
                        usual[0] += count
                        usual[1] += bad
                        if usual[0] > 1e6:  # older weeks count for less
                            usual[0], usual[1] = usual[0] / 2, usual[1] / 2

    def counts(self, start: float, end: float) -> tuple[int, int]:
        """Return events and bad events between two times, by whole minutes."""
        events = bad = 0
        for cells in self._between(start, end):
            for count, wrong in cells.values():
                events += count
                bad += wrong
        return events, bad

    def moved(self, start: float, end: float, normal: float) -> tuple[MovedSlice, ...]:
        """Return the slices whose rate grew by more than that of the others, the clearest first."""
        sums: dict[tuple[str, str], list[float]] = {}
        for cells in self._between(start, end):
            for dimension, value, count, bad in _parts(cells):
                cell = sums.setdefault((dimension, value), [0.0, 0.0, 0.0])
                cell[0] += count
                cell[1] += bad
        for name, cell in sums.items():
            cell[2] = cell[0] * self._usual_rate(name, normal)
        found: list[MovedSlice] = []
        for dimension in _DIMENSIONS:
            own = {name: cell for name, cell in sums.items() if name[0] == dimension}
            bad_all, expected_all = sum(cell[1] for cell in own.values()), sum(cell[2] for cell in own.values())
            for (_, value), (total, wrong, expected) in own.items():
                evidence = _stands_out(wrong, expected, bad_all - wrong, expected_all - expected)
                if evidence >= _CLEAR:
                    found.append(
                        MovedSlice(
                            dimension=dimension,
                            value=value,
                            bad=int(wrong),
                            events=int(total),
                            expected=round(expected, 2),
                            evidence=round(evidence, 2),
                        )
                    )
        return tuple(sorted(found, key=lambda each: -each.evidence)[:_MOST_MOVED])

    def examples(self, start: float, end: float, moved: tuple[MovedSlice, ...]) -> tuple[str, ...]:
        """Return conversations with bad events in a window; those of the slice that moved first."""
        inside = [each for each in self._examples if start <= each.time <= end]
        if moved:
            place, value = _DIMENSIONS.index(moved[0].dimension), moved[0].value
            inside.sort(key=lambda each: each.key[place] != value)
        return tuple(dict.fromkeys(each.session for each in inside))[:_EXAMPLES]

    def _usual_rate(self, name: tuple[str, str], normal: float) -> float:
        count, bad = self._usual.get(name, (0.0, 0.0))
        return (bad + _PRIOR) / (count + _PRIOR / max(normal, 1e-9))

    def _between(self, start: float, end: float) -> Iterator[dict[Key, list[int]]]:
        first, last = int(start // 60), int(end // 60)
        return (cells for minute, cells in self._minutes.items() if first <= minute <= last)

    def dump(self) -> dict[str, Any]:
        """Return what is usual in each slice, and the minutes of the last hour."""
        first = max(self._minutes, default=0) - 60
        return {
            "usual": [[*name, *cell] for name, cell in self._usual.items()],
            "minutes": [
                [minute, [[*key, *cell] for key, cell in cells.items()]]
                for minute, cells in self._minutes.items()
                if minute > first
            ],
            "examples": [[each.time, each.session, *each.key] for each in self._examples],
            "folded": self._folded,
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from what was dumped."""
        self._usual = {(d, v): [float(count), float(bad)] for d, v, count, bad in data.get("usual", ())}
        self._minutes = {
            int(minute): {(i, m, v): [int(count), int(bad)] for i, m, v, count, bad in cells}
            for minute, cells in data.get("minutes", ())
        }
        self._examples.extend(_Example(float(t), s, (i, m, v)) for t, s, i, m, v in data.get("examples", ()))
        self._folded = int(data.get("folded", 0))


def _parts(cells: Mapping[Key, list[int]]) -> Iterator[tuple[str, str, int, int]]:
    for key, (count, bad) in cells.items():
        for dimension, value in zip(_DIMENSIONS, key, strict=True):
            if value is not None:
                yield dimension, value, count, bad


def _stands_out(bad: float, expected: float, others: float, others_expected: float) -> float:
    """Return the evidence that a slice grew by more than the others: the log-likelihood ratio of two Poisson counts."""
    if bad <= 0 or expected <= 0 or others_expected <= 0:
        return 0.0
    growth, rest = bad / expected, others / others_expected
    if growth <= rest:
        return 0.0
    all_growth = (bad + others) / (expected + others_expected)
    evidence = bad * math.log(growth / all_growth)
    return evidence + (others * math.log(rest / all_growth) if others > 0 else 0.0)
