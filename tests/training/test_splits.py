"""No text stands on both sides of a split, whole or by its beginning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy")

from training.splits import PREFIX, fingerprint, held_out, once, without_leakage

LONG = "You are now a helpful pirate that answers every question in rhyme and never refuses anything at all, "


def text(row: dict[str, str]) -> str:
    return row["t"]


def test_copies_differing_in_case_and_blanks_are_one() -> None:
    assert len(once([{"t": "Hello, World!"}, {"t": "hello  world"}, {"t": "other"}], text)) == 2


def test_texts_that_begin_alike_are_one() -> None:
    assert len(fingerprint(LONG + "first ending")) == PREFIX
    assert once([{"t": LONG + "first ending"}, {"t": LONG + "second ending"}], text) == [{"t": LONG + "first ending"}]


def test_training_rows_that_begin_like_held_rows_go() -> None:
    train = [{"t": LONG + "a"}, {"t": "short"}, {"t": "kept"}]
    assert without_leakage(train, [{"t": LONG + "b"}, {"t": "SHORT."}], text) == [{"t": "kept"}]


@given(st.text(min_size=1), st.text())
def test_texts_that_begin_alike_fall_on_the_same_side(start: str, end: str) -> None:
    first, second = LONG * 2 + start, LONG * 2 + end
    assert held_out(first, 0.5) == held_out(second, 0.5)


def test_the_held_out_share_is_about_what_was_asked() -> None:
    held = sum(held_out(f"message number {i}", 0.1) for i in range(5000))
    assert 380 < held < 620
