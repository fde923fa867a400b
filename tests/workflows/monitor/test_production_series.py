"""Production in steps of time, beside the period before."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from proctor.store.history import History
from proctor.workflows.monitor.production_series import production_series
from tests.server.pages.production_store import add_traffic, make_project

_END = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(("hours", "is_whole"), [(36.0, False), (60.0, True)])
def test_totals_are_compared_with_whole_periods_only(tmp_path: Path, hours: float, is_whole: bool) -> None:
    config = make_project(tmp_path)
    add_traffic(config, hours=hours, rate=0.5, until=_END)
    found = production_series(History(config.store, search=False), _END.timestamp(), 1).figures()
    totals = [found[name].before.value for name in ("conversations", "turns", "cost")]
    assert [value is not None for value in totals] == [is_whole] * 3
    assert found["handed over"].before.value is not None, "a share of half a day is a share"
