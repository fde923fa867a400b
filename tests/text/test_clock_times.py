"""Times of day and days of the week, also in short forms."""

from __future__ import annotations

from tests.tables import table

from proctor.text.clock_times import find_times


def _days(text: str) -> list[int]:
    return sorted({int(each.value) for each in find_times(text) if each.unit == "weekday"})


@table(
    "text",
    ["Mo–Fr 7–20 Uhr", "Mon-Fri", "lun. - ven. 9-12", "segunda a sexta", "月〜金", "월-금", "pn.-pt. 8-16", "пн-пт",
     "ma-vr", "Montag bis Freitag", "周一至周五"],
)  # fmt: skip
def test_a_range_of_days_has_every_day(text: str) -> None:
    assert _days(text) == [0, 1, 2, 3, 4]


@table("text", ["we do so", "mar-apr 2024", "a to do", "do - so", "the fry-up", "sa-la"])
def test_other_short_words_are_no_days(text: str) -> None:
    assert _days(text) == []


@table("text", ["före klockan 10", "o godz. 10", "saat 10", "at 10 o'clock", "kl. 10"])
def test_a_word_before_or_after_makes_an_hour_a_time(text: str) -> None:
    assert [each.value for each in find_times(text) if each.unit == "clock"] == [600]


def test_a_text_that_counts_to_24_has_its_small_hours_in_the_morning() -> None:
    assert [each.high for each in find_times("入浴は16時〜23時、退室11時")] == [None, None, None]
    assert [each.high for each in find_times("from 9:30")] == [1290]
