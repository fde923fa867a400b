from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text import quantities
from proctor.text.quantities import apart, comparable, find_quantities


def only(text: str) -> tuple[Decimal, str]:
    (found,) = find_quantities(text)
    return found.value, found.unit


@table(
    ("one", "other"),
    [
        ("15 days", "fifteen days"),
        ("14 days", "two weeks"),
        ("15 days", "15日以内"),
        ("15 days", "十五日間"),
        ("15 days", "15-day"),
        ("1 day", "24 hours"),
        ("1 year", "12 months"),
        ("20%", "2割"),
        ("23 volumes", "全23巻"),
        ("21 days", "twenty-one days"),
        ("3 to 5 days", "3〜5日"),
    ],
)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert only(one) == only(other)
    assert find_quantities(one)[0].same(find_quantities(other)[0])


@table(
    ("one", "other"),
    [
        ("15 days", "30 days"),
        ("15 days", "15 business days"),
        ("15 days", "15 months"),
        ("23 volumes", "volume 23"),
        ("¥100", "$100"),
        ("20%", "20 days"),
        ("5 days", "3 to 5 days"),
    ],
)
def test_not_the_same(one: str, other: str) -> None:
    assert not find_quantities(one)[0].same(find_quantities(other)[0])


def test_only_one_kind_is_comparable() -> None:
    days, more, money = (find_quantities(text)[0] for text in ("15 days", "30 days", "¥30"))
    assert comparable(days, more)
    assert not comparable(days, money)
    bare = find_quantities("15")[0]
    assert not comparable(bare, find_quantities("16")[0])


def test_one_of_them_counts_nothing() -> None:
    assert find_quantities("one of them, and no two are alike") == ()


@given(
    st.integers(min_value=1, max_value=10**6), st.sampled_from(["days", "weeks", "hours", "巻", "business days", "%"])
)
def test_a_quantity_is_the_same_as_itself_and_no_other(count: int, unit: str) -> None:
    one, other = find_quantities(f"{count} {unit}")[0], find_quantities(f"{count + 1} {unit}")[0]
    assert one.same(one)
    assert comparable(one, other)
    assert not one.same(other)


@given(st.text(max_size=300))
def test_any_text_is_read_without_overlaps(text: str) -> None:
    found = find_quantities(text)
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert all(one.quote == text[one.start : one.end] for one in found)


def test_numbers_in_words_and_from_high_to_low_have_their_unit() -> None:
    assert [(one.value, one.high, one.unit) for one in find_quantities("three to five business days")] == [
        (Decimal(3), Decimal(5), "business day")
    ]
    assert [(one.value, one.unit) for one in find_quantities("between 14 and 7 days before")] == [
        (Decimal(336), "hour"),
        (Decimal(168), "hour"),
    ]


@table(
    ("text", "hours"),
    [("fourteen days", 336), ("Sixty hours", 60), ("ninety-nine hours", 99), ("eighteen days", 432), ("six days", 144)],
)
def test_a_number_in_words_is_read_to_its_end(text: str, hours: int) -> None:
    assert only(text) == (Decimal(hours), "hour")
    assert find_quantities(f"It takes {text}.")[0].quote == text


@table(
    ("text", "value", "unit"),
    [
        ("inom tre veckor", 504, "hour"),
        ("30 dagars ångerrätt", 720, "hour"),
        ("do tří pracovních dnů", 3, "business day"),
        ("24 hodin předem", 24, "hour"),
        ("протягом 14 днів", 336, "hour"),
        ("2 uger før", 336, "hour"),
        ("12 måneder", 12, "month"),
    ],
)
def test_periods_of_swedish_danish_czech_and_ukrainian(text: str, value: int, unit: str) -> None:
    assert [(int(one.value), one.unit) for one in find_quantities(text)] == [(value, unit)]


@table("text", ["ſix days", "sİx days", "fıve days", "5 ſeptember", "5 thouſand", "5 mİllion", "twenty-ſix"])
def test_letters_that_only_look_alike_break_nothing(text: str) -> None:
    assert all(one.quote == text[one.start : one.end] for one in find_quantities(text))


ENDS = st.sampled_from(
    ["vol.", "in May.", "no.", "5.", "$5.", "3 to!", "five.", "US$.", "令和。", "5月。", "x", "12 days."]
)
HEADS = st.sampled_from(
    [
        "days later",
        "Dollars",
        "five days",
        "Five",
        "May 5 2024",
        "to 7 days",
        "USD 5",
        "sixteen",
        "#4",
        "5",
        "x 5",
        "日",
    ]
)
FILL = st.text(alphabet="ab 5,.$%-年月日円toMay", max_size=12)


@given(FILL, ENDS, HEADS, FILL)
def test_sentences_that_are_apart_have_together_what_each_has(before: str, end: str, head: str, after: str) -> None:
    one, other = " ".join(f"{before} {end}".split()), " ".join(f"{head} {after}".split())
    if apart(one, other):
        told = [find_quantities(text) for text in (one, other, f"{one} {other}")]
        alone, here = (
            [(each.value, each.high, each.unit, each.quote) for each in some] for some in (told[0] + told[1], told[2])
        )
        assert alone == here


def test_a_number_behind_a_full_stop_may_belong_to_what_stands_before_it() -> None:
    assert not apart("It is told in vol.", "5 of the series.")
    assert not apart("It is told in vol.", "five of the series.")
    assert not apart("It takes 5", "days.")
    assert apart("It takes 5.", "Days go by.")


@table(
    ("text", "unit", "value"),
    [
        ("수수료는 3만 원입니다", "KRW", 30_000),
        ("교재비는 1만 5천 원이고", "KRW", 15_000),
        ("size %15 indirim", "percent", 15),
        ("享受百分之30的优惠", "percent", 30),
    ],
)
def test_amounts_and_shares_are_read_as_each_language_writes_them(text: str, unit: str, value: int) -> None:
    assert [(one.unit, int(one.value)) for one in find_quantities(text)] == [(unit, value)]


def test_a_unit_between_two_numbers_makes_no_range() -> None:
    assert [(one.unit, str(one.value)) for one in find_quantities("16 A 7,50 €")] == [("", "16"), ("EUR", "7.50")]


def _read(text: str) -> list[tuple[str, str]]:
    return [(str(one.value), one.unit) for one in find_quantities(text)]


def test_hundredths_behind_an_amount_belong_to_it() -> None:
    assert _read("К оплате 3 418 рублей 20 копеек.") == [("3418.20", "RUB")]
    assert _read("3 euros and 20 cents") == [("3.20", "EUR")]
    assert _read("8 cents, 2 dollars") == [("0.08", "USD"), ("2", "USD")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 000 000 ₽", 1_000_000),
        ("12 000 000 €", 12_000_000),
        ("1 200 000 000 ₽", 1_200_000_000),
        ("5 001 000 €", 5_001_000),
        ("in 2024 140 000 €", 140_000),
    ],
)
def test_blanks_group_thousands_and_millions(text: str, value: int) -> None:
    assert [int(one.value) for one in find_quantities(text) if one.unit] == [value]


def test_a_letter_behind_a_number_is_no_cent() -> None:
    assert _read("50c") == [("0.50", "USD")]
    assert not any(unit for _, unit in _read("duas C-3300; la pompa 4482.01 c'è; en C/ Noria"))


def test_a_year_before_a_price_is_no_amount() -> None:
    assert _read("un saint-chinian 2023 à 7,00 €") == [("2023", ""), ("7.00", "EUR")]


def test_the_next_line_of_a_record_is_no_unit() -> None:
    assert _read("price: 7.0\nMIN-24")[0] == ("7.0", "")


def test_powers_multiply_all_that_is_before_them() -> None:
    assert [one.value for one in find_quantities("십오만 원, 오천만 원, 二十五万円")] == [150_000, 50_000_000, 250_000]


@given(
    st.lists(
        st.sampled_from(
            """5 1,200 .5 5% $20 EUR 300 Rs. five a hundred zwei two Mai May Jan. de vol. No. option part number days h
            thousand million percent cents and to - from The It Booking LT-2001 2026-11-23 12/3/2025 (5) c'è""".split()  # noqa: SIM905
        ),
        max_size=12,
    ),
    st.lists(st.sampled_from([" ", ". ", ".\n", "? ", "! ", ") ", "). ", ", ", "\n"]), min_size=12, max_size=12),
)
def test_sentences_hold_what_the_whole_text_holds(words: list[str], gaps: list[str]) -> None:
    text = "".join(word + gap for word, gap in zip(words, gaps, strict=False))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(quantities, "_borders", lambda text: [])
        whole = quantities._found(text)
    assert quantities._found(text) == whole


def test_a_sentence_of_a_record_is_read_by_itself() -> None:
    assert quantities._borders("id: LT-2001. It starts at 5. The 3. Mai is free. No. five is not.") == [13, 29, 49]
