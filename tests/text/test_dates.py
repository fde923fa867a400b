from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text import dates
from proctor.text.dates import Day, find_dates, read_date


@table(
    "text",
    [
        "2024-05-03",
        "May 3, 2024",
        "May 3rd 2024",
        "3 May 2024",
        "3rd of May, 2024",
        "2024年5月3日",
        "2024/5/3",
        "令和6年5月3日",
        "２０２４年５月３日",
        "on 2024-05-03, at noon",
    ],
)
def test_one_date_written_in_many_ways(text: str) -> None:
    (day,) = find_dates(text)
    assert day.order == (2024, 5, 3)


@pytest.mark.parametrize(("text", "order"), [("May 3", (0, 5, 3)), ("5月3日", (0, 5, 3)), ("2024年", (2024, 0, 0))])
def test_a_date_may_be_told_in_part(text: str, order: tuple[int, int, int]) -> None:
    (day,) = find_dates(text)
    assert day.order == order


@table("text", ["30 February 2024", "2024-13-01", "within 15 days", "may 100", "15日間", "3-5"])
def test_what_is_no_date(text: str) -> None:
    assert find_dates(text) == ()


def test_dates_agree_as_far_as_both_tell() -> None:
    whole, part = Day(year=2024, month=5, day=3), Day(month=5, day=3)
    assert whole.agrees(part)
    assert not whole.agrees(Day(month=5, day=4))
    assert not Day(year=2024).agrees(part)


@table(
    ("text", "order"),
    [
        ("2026-09-01", (2026, 9, 1)),
        ("2026-09-01T10:00:00Z", (2026, 9, 1)),
        ("2026", (2026, 0, 0)),
        ("2026-09", (2026, 9, 0)),
        ("Sep 1, 2026", (2026, 9, 1)),
    ],
)
def test_a_field_with_a_date(text: str, order: tuple[int, int, int]) -> None:
    day = read_date(text)
    assert day is not None
    assert day.order == order


@table("text", [None, "", "yesterday", "v2.1"])
def test_a_field_without_one(text: str | None) -> None:
    assert read_date(text) is None


@given(st.dates())
def test_iso_dates_are_read_back(day: object) -> None:
    text = str(day)
    if text[0] in "12":
        (found,) = find_dates(text)
        assert found.order == tuple(int(part) for part in text.split("-"))


PARTS = st.sampled_from(
    [
        "2024",
        "12",
        "5th",
        "of",
        "May",
        "SEPT.",
        "september",
        "ſept",
        "-",
        "/",
        ".",
        ",",
        " ",
        "年",
        "月",
        "日",
        "令和",
        "元",
        "5",
    ]
)


@given(st.lists(PARTS, max_size=8).map("".join))
def test_what_a_pattern_needs_is_in_whatever_it_finds(text: str) -> None:
    for needs, pattern in dates._PATTERNS:
        found = pattern.search(text)
        assert found is None or (dates._ANY.search(text) and any(need in text.lower() for need in needs))


@table("text", ["12024-05-03", "2024-05-031", "12024年5月3日", "132月3日", "112 May 2024"])
def test_a_longer_run_of_digits_is_no_date(text: str) -> None:
    assert all(day.day is None or day.year is None for day in find_dates(text))


def test_a_letter_that_only_looks_like_an_s_is_none() -> None:
    assert find_dates("5 ſeptember 2024") == ()


@table(
    ("text", "wanted"),
    [
        ("Tue 10 June 11:30", (None, 6, 10)),
        ("12. Juni 2025, 15:00", (2025, 6, 12)),
        ("12 de junio de 2025", (2025, 6, 12)),
        ("le 14 juillet", (None, 7, 14)),
        ("2 settembre 2025", (2025, 9, 2)),
        ("5 maja", (None, 5, 5)),
        ("3 сентября 2025 г.", (2025, 9, 3)),
        ("31 Aralık", (None, 12, 31)),
        ("2025년 12월 31일까지", (2025, 12, 31)),
        ("10월 2일에서", (None, 10, 2)),
    ],
)
def test_dates_of_many_languages(text: str, wanted: tuple[int | None, int, int]) -> None:
    (day,) = find_dates(text)
    assert (day.year, day.month, day.day) == wanted


def test_a_month_is_a_whole_word() -> None:
    assert find_dates("3 maison, 4 martini, 12 julius") == ()


@given(
    st.lists(
        st.sampled_from(
            """
            3 12 31st 2024 May mai Jan. sept junio of de March marzo 5/6/2024 2024-05-03 x , . the
            """.split()  # noqa: SIM905 - a page of words reads better than a page of quotation marks
        ),
        max_size=9,
    )
)
def test_the_first_looks_miss_nothing(words: list[str]) -> None:
    text = " ".join(words)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dates, "_has_any", lambda low, needs: True)
        every = find_dates(text)
    assert find_dates(text) == every
