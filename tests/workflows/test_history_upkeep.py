from __future__ import annotations

from pathlib import Path

import pytest

from proctor.core.errors import StoreError
from proctor.core.event_row import row_of
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.wiring.history_settings import HistorySettings
from proctor.workflows.monitor.history_upkeep import HistoryUpkeep
from tests.store.event_rows import NOON, turn_event, turns

START = NOON.timestamp()
DAY = 86_400.0


def test_ticks_index_at_once_seal_by_the_hour_and_retain_by_the_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.workflows.monitor.history_upkeep._SETTLED_SECONDS", 0.0)
    log = EventLog(tmp_path / "events")
    with History(tmp_path) as history:
        upkeep = HistoryUpkeep(history=history, log=log, settings=HistorySettings(keep="5 days"))
        log.append([*turns(5), row_of(turn_event(9, after=9 * DAY))])
        assert upkeep.tick(START) == 6
        assert history.stats().segments == 0
        assert upkeep.tick(START + 60) == 0
        assert upkeep.tick(START + 3_600) == 0
        assert history.stats().sealed_events == 6
        log.append(turns(1, 50))
        monkeypatch.setattr("proctor.workflows.monitor.history_upkeep._SETTLED_SECONDS", 900.0)
        assert upkeep.tick(START + 7_200) == 1
        assert history.stats().sealed_events == 6, "a server that starts counts the last minutes of the log again"
        upkeep.tick(START + 10 * DAY)
        assert [row.id for row in history.events()] == [turns(1, 9)[0].id]
        assert upkeep.trouble is None


def test_trouble_is_told_until_it_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = EventLog(tmp_path / "events")
    with History(tmp_path) as history:
        upkeep = HistoryUpkeep(history=history, log=log)

        def full(**_: object) -> None:
            raise StoreError("the disk is full")

        log.append(turns(5))
        assert upkeep.tick(START) == 5
        with monkeypatch.context() as broken:
            broken.setattr(history, "seal", full)
            assert upkeep.tick(START + 3_600) == 0
        assert "full" in str(upkeep.trouble)
        upkeep.tick(START + 3_660)
        assert "full" in str(upkeep.trouble)
        upkeep.tick(START + 7_200)
        assert upkeep.trouble is None
