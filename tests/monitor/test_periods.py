from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from proctor.core.digest import PeriodKind
from proctor.monitor.periods import last_period, parse_period, period_before, period_with, slots_of
from tests.tables import table

BERLIN = ZoneInfo("Europe/Berlin")


def test_weeks_begin_on_monday_and_have_iso_names() -> None:
    found = period_with("weekly", date(2026, 11, 15))
    assert (found.name, found.begin.date(), found.end.date()) == ("2026-W46", date(2026, 11, 9), date(2026, 11, 16))
    assert period_with("weekly", date(2027, 1, 1)).name == "2026-W53"
    assert parse_period("weekly", "2026-W46") == found == parse_period("weekly", "2026-11-12")


def test_months_differ_in_length_and_follow_each_other() -> None:
    march = parse_period("monthly", "2024-03")
    assert period_before(march).name == "2024-02"
    assert len(slots_of(period_before(march))) == 29
    assert period_before(parse_period("monthly", "2026-01")).name == "2025-12"


def test_the_last_period_is_one_that_is_over() -> None:
    now = datetime(2026, 11, 16, 0, 30, tzinfo=UTC)
    assert last_period("daily", now).name == "2026-11-15"
    assert last_period("weekly", now).name == "2026-W46"
    assert last_period("monthly", now).name == "2026-10"
    assert last_period("daily", datetime(2026, 11, 15, 23, 30, tzinfo=UTC), BERLIN).name == "2026-11-15"


def test_a_day_has_as_many_hours_as_the_clock_gives_it() -> None:
    spring = period_with("daily", date(2026, 3, 29), BERLIN)
    assert len(slots_of(spring, BERLIN)) == 23
    assert len(slots_of(period_with("daily", date(2026, 10, 25), BERLIN), BERLIN)) == 25
    week = slots_of(period_with("weekly", date(2026, 10, 25), BERLIN), BERLIN)
    assert len(week) == 7
    assert [each.astimezone(BERLIN).hour for each in week] == [0] * 7


@table(
    ("kind", "text"),
    [("daily", "yesterday"), ("daily", "2026-W46"), ("weekly", "2026-W60"), ("monthly", "2026-13"), ("monthly", "")],
)
def test_another_name_is_an_error_with_an_example(kind: PeriodKind, text: str) -> None:
    with pytest.raises(ValueError, match="such as 2026"):
        parse_period(kind, text)
