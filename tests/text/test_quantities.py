from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.text.quantities import comparable, find_quantities


def only(text: str) -> tuple[Decimal, str]:
    (found,) = find_quantities(text)
    return found.value, found.unit


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
