"""The normal week: hours of the week, older weeks that fade, few events that borrow from others."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.seasonal_rate import HOURS, SeasonalRate, hour_of_week

MONDAY = datetime(2026, 11, 16, tzinfo=UTC).timestamp()
HOUR = 3600.0


@given(st.floats(0, 4e9))
def test_the_hour_of_the_week_is_that_of_the_calendar(time: float) -> None:
    moment = datetime.fromtimestamp(time, UTC)
    assert hour_of_week(time) == moment.weekday() * 24 + moment.hour


def weeks(count: int, rate: float, *, at_night: float | None = None, events: float = 6000.0) -> SeasonalRate:
    made = SeasonalRate()
    for hour in range(count * HOURS):
        night = hour % 24 < 6
        share = at_night if night and at_night is not None else rate
        made.add(MONDAY + hour * HOUR, events, events * share)
    return made


def test_each_hour_has_its_own_rate() -> None:
    season = weeks(3, 0.04, at_night=0.10)
    assert season.rate(MONDAY + 12 * HOUR) == pytest.approx(0.04, rel=0.1)
    assert season.rate(MONDAY + 3 * HOUR) == pytest.approx(0.10, rel=0.1)
    assert season.hours == HOURS


def test_an_hour_with_few_events_borrows_from_the_others() -> None:
    season = weeks(2, 0.04, events=60.0)
    season.add(MONDAY + 2 * HOURS * HOUR, 10, 5)  # five of ten, once
    assert season.rate(MONDAY) == pytest.approx(0.05, rel=0.25)


def test_nothing_is_known_at_first() -> None:
    season = SeasonalRate()
    assert season.rate(MONDAY) is None
    assert season.expected(MONDAY, MONDAY + HOUR) == 0
    season.add(MONDAY, 299, 20)
    assert season.rate(MONDAY) is None
    season.add(MONDAY, 1, 0)
    assert season.rate(MONDAY) is not None


def test_a_signal_that_never_came_has_a_small_rate_not_none() -> None:
    season = weeks(1, 0.0)
    rate = season.rate(MONDAY)
    assert rate
    assert 0 < rate < 1e-5


def test_older_weeks_fade() -> None:
    season = weeks(4, 0.04)
    for hour in range(HOURS):
        season.add(MONDAY + (4 * HOURS + hour) * HOUR, 6000, 600)
    rate = season.rate(MONDAY + 12 * HOUR)
    assert rate
    assert 0.05 < rate < 0.07  # one week of five, the newest, weighs about 30 %


def test_the_expected_traffic_is_that_of_the_hours() -> None:
    season = SeasonalRate()
    for hour in range(2 * HOURS):
        season.add(MONDAY + hour * HOUR, 100 if hour % 24 < 12 else 10, 0)
    assert season.expected(MONDAY, MONDAY + 24 * HOUR) == pytest.approx(12 * 100 + 12 * 10)
    assert season.expected(MONDAY + 11.5 * HOUR, MONDAY + 12.5 * HOUR) == pytest.approx(55)


def test_a_level_that_moved() -> None:
    season = weeks(2, 0.04)
    season.move(3.0)
    assert season.rate(MONDAY) == pytest.approx(0.12, rel=0.1)
    with pytest.raises(ValueError, match="cannot move"):
        season.move(0.0)


def test_it_outlives_the_process() -> None:
    season = weeks(2, 0.04, at_night=0.08)
    again = SeasonalRate.of_json(season.as_json())
    for hour in range(HOURS):
        assert again.rate(MONDAY + hour * HOUR) == pytest.approx(season.rate(MONDAY + hour * HOUR), rel=1e-3)
    assert SeasonalRate.of_json({"count": [1]}).rate(MONDAY) is None
