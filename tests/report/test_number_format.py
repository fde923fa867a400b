from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from proctor.core.report import Counts, Report, Spend, Tally
from proctor.report.number_format import (
    latency_of,
    moment,
    money,
    percent,
    range_text,
    scored,
    seconds,
    signed_number,
    tokens,
    took,
    total_spend,
)
from tests.tables import table


@table(
    ("share", "text"),
    [(None, "–"), (0.0, "0 %"), (1.0, "100 %"), (0.774, "77.4 %"), (0.99999, "99.9 %"), (0.00001, "0.1 %")],
)
def test_percent(share: float | None, text: str) -> None:
    assert percent(share) == text


@table(
    ("value", "text"),
    [
        (None, "–"),
        (0.0, "0 ms"),
        (0.0421, "42 ms"),
        (0.9999, "1.0 s"),
        (12.34, "12.3 s"),
        (99.99, "1 min 40 s"),
        (3599.7, "1 h 00 min"),
        (7260, "2 h 01 min"),
    ],
)
def test_seconds(value: float | None, text: str) -> None:
    assert seconds(value) == text


@table(
    ("cost", "text"),
    [
        (None, "price not known"),
        (0.0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.0421, "$0.0421"),
        (0.999, "$1.00"),
        (1234.5, "$1,234.50"),
    ],
)
def test_money(cost: float | None, text: str) -> None:
    assert money(cost) == text


@table(("count", "text"), [(0, "0"), (9_310, "9,310"), (81_240, "81.2 k"), (999_960, "1.0 M"), (2_500_000, "2.5 M")])
def test_tokens(count: int, text: str) -> None:
    assert tokens(count) == text


@table(
    ("costs", "text"),
    [([], "$0.00"), ([0.5, 1.0], "$1.50"), ([0.5, None], "$0.5000 and more"), ([None], "price not known")],
)
def test_total_spend_never_hides_an_unknown_price(costs: list[float | None], text: str) -> None:
    assert total_spend([Spend(model="m", cost=cost) for cost in costs]) == text


def test_range_of_the_judged_alone() -> None:
    assert range_text(Counts(passed=8, failed=2, unscored=90)) == range_text(Counts(passed=8, failed=2)) == "49–94 %"
    assert range_text(Counts(unscored=5)) == ""


def test_how_many_values_a_mean_rests_on() -> None:
    assert scored(Tally(name="informs", histogram=(1, 2, 3))) == 6
    assert scored(Tally(name="old", counts=Counts(passed=2, failed=1, unscored=4))) == 3


def test_latency_of_one_target_is_the_runs() -> None:
    tally = Tally(name="t")
    assert latency_of(Report(id="r", by_target=(tally,), latency={"p50": 1.0}), tally) == {"p50": 1.0}
    assert latency_of(Report(id="r", by_target=(tally, tally), latency={"p50": 1.0}), tally) == {}
    own = Tally(name="t", extra={"latency": {"p50": 2.0}})
    assert latency_of(Report(id="r", by_target=(own, own)), own) == {"p50": 2.0}


def test_moment_keeps_its_zone() -> None:
    assert moment(None) == "–"
    assert moment(datetime(2026, 1, 2, 3, 4, 5)) == "2026-01-02 03:04:05"
    assert moment(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2026-01-02 03:04:05 UTC"
    assert moment(datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=9)))) == "2026-01-02 03:04:05 +0900"


def test_a_run_that_is_not_over_has_no_length() -> None:
    start = datetime(2026, 1, 2, tzinfo=UTC)
    assert took(Report(id="r", started=start)) is None
    assert took(Report(id="r", started=start, finished=start + timedelta(minutes=2))) == 120


def test_a_fall_has_a_minus_and_no_hyphen() -> None:
    assert (signed_number(-0.25), signed_number(0.25), signed_number(-12.34, 1)) == ("−0.25", "+0.25", "−12.3")
