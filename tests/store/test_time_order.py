from __future__ import annotations

import random
from pathlib import Path

from proctor.core.event_row import EventRow
from proctor.store.time_order import lines_by_time


def _row(number: int, time: float) -> EventRow:
    return EventRow(line=f"{number} 日本\n".encode() * 3, id=str(number), kind="note", time=time)


def test_lines_are_sorted_whether_or_not_they_fit_in_memory(tmp_path: Path) -> None:
    rng = random.Random(2)
    rows = [_row(number, rng.choice([rng.uniform(0, 1e9), 7.0])) for number in range(500)]
    expected = [(row.time, row.line) for row in sorted(rows, key=lambda row: row.time)]
    assert list(lines_by_time(iter(rows), tmp_path)) == expected
    assert list(lines_by_time(iter(rows), tmp_path, run_bytes=2_000)) == expected, "equal times keep their order"
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"
    assert list(lines_by_time(iter([]), tmp_path)) == []


def test_stopping_early_leaves_nothing(tmp_path: Path) -> None:
    lines = lines_by_time((_row(number, -number) for number in range(100)), tmp_path, run_bytes=500)
    assert next(lines)[0] == -99
    lines.close()  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []
