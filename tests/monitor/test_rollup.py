from __future__ import annotations

import math

import pytest

from proctor.core.event_row import row_of
from proctor.core.rollup_cell import RollupCell, latency_bin, latency_quantile
from proctor.monitor.rollup import Rollup
from tests.store.event_rows import NOON, event, turn_event, turns

START = int(NOON.timestamp())


def test_rows_are_counted_by_minute_and_slice() -> None:
    rollup = Rollup()
    rollup.extend(turns(3))
    rollup.add(row_of(turn_event(61, intent="refund", confidence=0.5)))
    rollup.add(row_of(event(2, "csat", value=1.0, intent="shipping")))
    first, second = rollup.cells()
    assert (first.start, first.slice.intent, first.turns, first.conversations) == (START, "shipping", 3, 1)
    assert (first.csat, first.signals) == (1.0, {"csat/low": 1})
    assert first.cost == pytest.approx(0.03)
    assert (second.start, second.slice.intent, second.confidence) == (START + 60, "refund", 0.5)
    assert rollup.cells(since=START + 60) == [second]
    assert rollup.cells(until=START + 60) == [first]


def test_a_late_row_is_counted_in_its_own_minute_and_old_minutes_are_dropped() -> None:
    rollup = Rollup(kept=600)
    rollup.add(row_of(turn_event(0)))
    rollup.add(row_of(turn_event(500)))
    rollup.add(row_of(turn_event(1)))
    assert [cell.turns for cell in rollup.cells()] == [2, 1]
    rollup.add(row_of(turn_event(5_000)))
    rollup.add(row_of(turn_event(2)))
    assert [cell.start for cell in rollup.cells()] == [START + 4_980]


def test_a_latency_quantile_is_accurate_to_one_per_cent() -> None:
    bins: dict[int, int] = {}
    for number in range(1, 1_001):
        place = latency_bin(number / 100)
        assert place is not None
        bins[place] = bins.get(place, 0) + 1
    for share in (0.05, 0.5, 0.95, 1.0):
        assert latency_quantile(bins, share) == pytest.approx(share * 10, rel=0.011)
    assert latency_quantile({}, 0.95) is None
    with pytest.raises(ValueError, match="share"):
        latency_quantile(bins, 95)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_what_is_no_latency_is_not_counted(value: float) -> None:
    assert latency_bin(value) is None
    cell = RollupCell(start=0)
    cell.add(row_of(turn_event(0, latency=value)))
    assert (cell.turns, cell.latency, cell.quantile(0.5)) == (1, {}, None)
