"""The benchmark of links runs without public data and times every group."""

from __future__ import annotations

import pytest
from benchmarks.links import times


async def test_every_group_is_timed(capsys: pytest.CaptureFixture[str]) -> None:
    await times(1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12
    assert all("p95" in line for line in lines)
