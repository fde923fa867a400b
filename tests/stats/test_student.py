from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.student import incomplete_beta, student_cdf, student_quantile
from tests.tables import table


# scipy.stats.t.ppf
@table(
    ("share", "freedom", "value"),
    [
        (0.975, 1, 12.706204736174694),
        (0.975, 24, 2.0638985616280205),
        (0.9995, 5, 6.868826625877268),
        (0.001, 199, -3.1317),
        (0.8, 10, 0.8790578285),
    ],
)
def test_quantiles_agree_with_scipy(share: float, freedom: float, value: float) -> None:
    assert student_quantile(share, freedom) == pytest.approx(value, rel=2e-4)


def test_one_degree_of_freedom_is_the_cauchy_distribution() -> None:
    for share in (0.001, 0.2, 0.6, 0.99):
        assert student_quantile(share, 1) == pytest.approx(math.tan(math.pi * (share - 0.5)), rel=1e-9)


def test_many_degrees_of_freedom_are_the_normal_distribution() -> None:
    assert student_quantile(0.975, 1e9) == pytest.approx(NormalDist().inv_cdf(0.975), abs=1e-9)


@given(st.floats(1e-6, 1 - 1e-6), st.floats(1, 5000))
def test_the_quantile_turns_the_distribution_around(share: float, freedom: float) -> None:
    assert student_cdf(student_quantile(share, freedom), freedom) == pytest.approx(share, rel=1e-6)


@given(st.floats(-30, 30), st.floats(1, 5000))
def test_both_tails_are_alike(t: float, freedom: float) -> None:
    assert student_cdf(t, freedom) + student_cdf(-t, freedom) == pytest.approx(1.0, abs=1e-12)


@given(st.floats(0.1, 200), st.floats(0.1, 200), st.floats(1e-6, 1 - 1e-6))
def test_the_incomplete_beta_is_symmetric_and_a_share(a: float, b: float, x: float) -> None:
    found = incomplete_beta(a, b, x)
    assert -1e-12 <= found <= 1 + 1e-12
    assert found + incomplete_beta(b, a, 1 - x) == pytest.approx(1.0, abs=1e-9)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="share"):
        student_quantile(1.0, 3)
    with pytest.raises(ValueError, match="freedom"):
        student_cdf(0.0, 0)
    with pytest.raises(ValueError, match="beta"):
        incomplete_beta(0, 1, 0.5)
