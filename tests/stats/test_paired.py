from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.paired import mcnemar, sign_flip, sign_flips, sign_test, smallest_p
from tests.tables import table

FEW = st.lists(st.integers(-4, 4).map(lambda each: each / 4), min_size=1, max_size=9)


# statsmodels.stats.contingency_tables.mcnemar(exact=True); mid-p after Fagerland, Lydersen and Laake 2013
@table(
    ("lost", "gained", "exact", "mid_p"),
    [
        (0, 0, 1.0, 1.0),
        (10, 2, 0.03857421875, 0.0224609375),
        (50, 30, 0.032992618, 0.025654358),
        (12, 0, 0.00048828125, 0.000244140625),
        (3, 3, 1.0, 0.84375),
    ],
)
def test_mcnemar_agrees_with_the_published_values(lost: int, gained: int, exact: float, mid_p: float) -> None:
    found = mcnemar(lost, gained)
    assert found.exact == pytest.approx(exact, rel=1e-6)
    assert found.mid_p == pytest.approx(mid_p, rel=1e-6)


def test_counts_below_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 3)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_does_not_care_which_way_round(lost: int, gained: int) -> None:
    one, other = mcnemar(lost, gained), mcnemar(gained, lost)
    assert one.exact == other.exact
    assert 0 < one.mid_p <= one.exact <= 1


@given(FEW)
def test_flipping_signs_counts_every_pattern(values: list[float]) -> None:
    sums = [abs(sum(map(float.__mul__, values, signs))) for signs in itertools.product((1.0, -1.0), repeat=len(values))]
    expected = sum(each >= abs(sum(values)) - 1e-9 for each in sums) / len(sums)
    assert sign_flip(values) == pytest.approx(expected)


@given(st.integers(0, 12), st.integers(0, 12))
def test_flipping_ones_is_mcnemars_test(lost: int, gained: int) -> None:
    values = [-1.0] * lost + [1.0] * gained + [0.0] * 5
    drawn = sign_flip(values, resamples=20_000)
    assert drawn == pytest.approx(mcnemar(lost, gained).exact, abs=0.02)
    assert sign_test(values) == mcnemar(lost, gained).exact


def test_draws_agree_with_what_is_known() -> None:
    values = list(np.random.default_rng(5).normal(0.25, 1.0, 80))
    few, many = sign_flip(values, resamples=9_999, seed=1), sign_flip(values, resamples=99_999, seed=2)
    assert few == pytest.approx(many, abs=0.012)


def test_overwhelming_evidence_is_not_cut_off_at_the_number_of_draws() -> None:
    assert sign_flip([-0.14] * 100, resamples=999) < 1e-15


def test_nothing_changed_is_no_evidence() -> None:
    assert sign_flip([0.0] * 50) == 1.0
    assert sign_flip([]) == 1.0
    assert sign_flip([1e-12] * 50) == 1.0


def test_columns_are_judged_apart_and_holes_count_for_nothing() -> None:
    table = np.array([[0.5, np.nan], [0.5, -1.0], [0.5, -1.0], [np.nan, -1.0]] * 5)
    first, second = sign_flips(table)
    assert first < 0.001
    assert second < 0.001
    assert sign_flips(table[:4]) == [sign_flip([0.5] * 3), sign_flip([-1.0] * 3)] == [0.25, 0.25]


@given(st.integers(1, 12))
def test_no_test_gets_below_the_smallest_p(changed: int) -> None:
    assert sign_flip([1.0] * changed) == pytest.approx(smallest_p(changed))


@table("shape", ["normal", "skewed", "mostly nothing", "two values"])
def test_a_system_compared_with_itself_is_called_changed_as_often_as_promised(shape: str) -> None:
    source = np.random.default_rng(7)
    draws: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = {
        "normal": source.normal(size=(2, 30, 2000)),
        "skewed": source.exponential(size=(2, 30, 2000)),
        "mostly nothing": source.normal(size=(2, 30, 2000)) * (source.random((2, 30, 2000)) < 0.2),
        "two values": (source.random((2, 30, 2000)) < 0.9).astype(np.float64),
    }
    before, after = draws[shape]
    called = np.mean(np.array(sign_flips(after - before, resamples=1999)) <= 0.05)
    assert called <= 0.05 + 3 * (0.05 * 0.95 / 2000) ** 0.5
