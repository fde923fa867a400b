"""Times of day and days of the week, also in short forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text import clock_times
from proctor.text.clock_times import find_clock_times, find_times, find_weekdays


def _days(text: str) -> list[int]:
    return sorted({int(each.value) for each in find_times(text) if each.unit == "weekday"})


@table(
    "text",
    ["Mo–Fr 7–20 Uhr", "Mon-Fri", "lun. - ven. 9-12", "segunda a sexta", "月〜金", "월-금", "pn.-pt. 8-16", "пн-пт",
     "ma-vr", "Montag bis Freitag", "周一至周五"],
)  # fmt: skip
def test_a_range_of_days_has_every_day(text: str) -> None:
    assert _days(text) == [0, 1, 2, 3, 4]


@table(("text", "quote"), [("from 3 pm on", "3 pm"), ("ab 15 Uhr", "15 Uhr"), ("開店は 午後3時", "午後3時")])
def test_a_time_is_quoted_and_placed_without_the_blank_before_it(text: str, quote: str) -> None:
    (found,) = find_clock_times(text)
    assert found.quote == text[found.start : found.end] == quote


@table("text", ["3時間", "3시간", "3 hours", "3 Stunden"])
def test_a_length_of_time_is_no_time_of_day(text: str) -> None:
    assert list(find_clock_times(text)) == []


@table("text", ["we do so", "mar-apr 2024", "a to do", "do - so", "the fry-up", "sa-la"])
def test_other_short_words_are_no_days(text: str) -> None:
    assert _days(text) == []


@table("text", ["före klockan 10", "o godz. 10", "saat 10", "at 10 o'clock", "kl. 10"])
def test_a_word_before_or_after_makes_an_hour_a_time(text: str) -> None:
    assert [each.value for each in find_times(text) if each.unit == "clock"] == [600]


def test_a_text_that_counts_to_24_has_its_small_hours_in_the_morning() -> None:
    assert [each.high for each in find_times("入浴は16時〜23時、退室11時")] == [None, None, None]
    assert [each.high for each in find_times("from 9:30")] == [1290]


_WORDS = st.sampled_from(
    """
    at 9 9:30 12:05 8 pm 8pm a.m. o'clock 10h30 7 uhr kl 10 kl. 9 godz. 8 saat 8.200
    mo mon - fri to do sa di wed so
    """.split()  # noqa: SIM905 - a page of words reads better than a page of quotation marks
)


@given(st.lists(_WORDS, max_size=8).map(" ".join))
def test_ascii_is_read_as_any_text(text: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(clock_times, "_ASCII_CLOCK", clock_times._CLOCK)
        patched.setattr(clock_times, "_ASCII_SHORT_RANGE", clock_times._SHORT_RANGE)
        patched.setattr(clock_times, "_may_have_clock", lambda text: True)
        whole = (*find_clock_times(text), *find_weekdays(text))
    assert (*find_clock_times(text), *find_weekdays(text)) == whole
