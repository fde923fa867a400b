"""The parts that read text without weights: letter groups, windows, evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy")
pytest.importorskip("tokenizers")

import numpy as np

from proctor.models.local.evidence import select_evidence, sentences
from proctor.models.local.ngrams import BITS, LONGEST, Linear, features, fold
from proctor.models.local.pieces import END, START
from proctor.models.local.windows import MOST, spread, windows

ANY = st.text(st.characters(), max_size=300)  # lone surrogates too


@given(ANY)
def test_letter_groups_exist_for_any_text_and_stay_in_the_table(text: str) -> None:
    found = features(text)
    assert len(set(found.tolist())) == len(found)
    assert all(0 <= number < 2**BITS for number in found.tolist())


def test_case_blanks_and_digits_do_not_matter_to_the_first_stage() -> None:
    assert features("Order  17 NOW").tolist() == features("order 42 now").tolist()
    assert len(fold("x" * 10**6)) == LONGEST + 2


def test_the_logit_is_the_scaled_sum_of_the_weights() -> None:
    weights = np.full(2**BITS, 3, np.int8)
    n = len(features("hello there"))
    assert Linear(weights, 0.5, 1.0).logit("hello there") == pytest.approx(3 * n * 0.5 / n**0.5 + 1.0)
    assert isinstance(Linear(weights, 0.5, -2.0).logit(""), float)


@given(st.integers(0, 5000), st.integers(8, 200))
def test_windows_are_bounded_and_keep_both_ends(count: int, longest: int) -> None:
    found = windows(list(range(10, 10 + count)), longest)
    assert 1 <= len(found) <= MOST
    assert all(len(line.ids) <= longest and line.ids[0] == START and line.ids[-1] == END for line in found)
    if count:
        assert found[0].ids[1] == 10
        assert found[-1].ids[-2] == 9 + count


def test_windows_of_a_text_that_is_not_too_long_leave_no_gap() -> None:
    found = windows(list(range(10, 210)), 50)
    assert {i for line in found for i in line.ids[1:-1]} == set(range(10, 210))


def test_spread_remembers_the_owner() -> None:
    lines, owners = spread([windows([5], 9), windows(list(range(20)), 9)])
    assert owners[0] == 0
    assert set(owners[1:]) == {1}
    assert len(lines) == len(owners)


def test_sentences_end_where_sentences_end() -> None:
    assert sentences("One here. Two there! 三つ目。四つ目。\nFive") == [
        "One here.",
        "Two there!",
        "三つ目。",
        "四つ目。",
        "Five",
    ]
    assert max(len(s) for s in sentences("word " * 1000)) <= 400


def test_evidence_is_what_the_claim_speaks_of() -> None:
    filler = " ".join(f"Sentence number {i} talks about nothing in particular today." for i in range(60))
    found = select_evidence(
        f"{filler} The refund is paid within five days. {filler}", "Refunds are paid in five days.", budget=300
    )
    assert "refund is paid within five days" in found
    assert len(found) <= 300 + 60


@given(ANY, ANY)
def test_evidence_never_fails_and_is_bounded(passage: str, claim: str) -> None:
    assert len(select_evidence(passage * 8, claim, budget=200)) <= max(200, 400) + 200
