"""Values with a digit that nothing before gave, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.models.local.new_values import MOST_NEW, GivenValues


def new(before: str, text: str) -> list[str]:
    given_so_far = GivenValues()
    given_so_far.add(before)
    return given_so_far.new_in(text)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("Order AB 12-34", "ab1234"),
        ("costs 1,200.50 EUR", "1.200,50 €"),
        ("open from 2026-02-17", "ab 17. Februar"),
        ("starts at 18:20", "à 18h20"),
        ("three to five days", "3-5 days"),
        ("Zimmer für vierzehn Tage", "14 Tage"),
        ("注文番号は8812です", "8812のご注文"),
        ("GX٢٠٩١٤", "GX20914"),
    ],
)
def test_a_value_in_another_form_was_given(before: str, text: str) -> None:
    assert new(before, text) == []


@pytest.mark.parametrize(
    ("before", "text", "found"),
    [
        ("Order 4471", "Order 4417 is cancelled", ["4417"]),
        ("within 14 days", "within 30 days", ["30"]),
        ("UNI-30418", 'wipe {"tag": "UNI-30481"}', ["uni-30481"]),
        ("", "前一晚10点以后", ["10"]),
    ],
)
def test_a_value_that_nobody_gave_is_named(before: str, text: str, found: list[str]) -> None:
    assert new(before, text) == found


@given(st.text(max_size=200))
def test_what_was_said_is_never_new(text: str) -> None:
    assert new(text, text) == []


@given(st.text(max_size=200), st.text(max_size=200))
def test_values_are_told_once_and_are_few(before: str, text: str) -> None:
    found = new(before, text)
    assert len(found) == len(set(found)) <= MOST_NEW
