from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.paired import sign_flip, sign_flips
from proctor.stats.power import fewest_changed, minimum_effect
from proctor.stats.student import student_cdf, student_quantile
from tests.tables import table


# statsmodels.stats.power.TTestPower().solve_power gives 0.1321 and 0.0888 (0.80 and 0.798 there)
@pytest.mark.parametrize(("spread", "cases", "alpha", "effect"), [(0.2, 20, 0.05, 0.13211), (0.3, 200, 0.001, 0.08875)])
def test_agrees_with_statsmodels(spread: float, cases: int, alpha: float, effect: float) -> None:
    assert minimum_effect(spread, cases, alpha=alpha) == pytest.approx(effect, abs=2e-4)


@given(st.floats(0.001, 1), st.integers(2, 2000), st.floats(0.0005, 0.2), st.floats(0.55, 0.99))
def test_the_smallest_effect_is_found_with_the_power_asked_for(
    spread: float, cases: int, alpha: float, power: float
) -> None:
    effect = minimum_effect(spread, cases, alpha=alpha, power=power)
    assert effect is not None
    reach = effect * cases**0.5 / spread - student_quantile(1 - alpha / 2, cases - 1)
    assert student_cdf(reach, cases - 1) == pytest.approx(power, abs=1e-6)
    more = minimum_effect(spread, cases + 50, alpha=alpha, power=power)
    assert more is not None
    assert more < effect


def test_the_test_we_run_has_that_power() -> None:
    effect = minimum_effect(0.2, 60, alpha=0.01)
    assert effect is not None
    table = np.random.default_rng(2).normal(-effect, 0.2, size=(60, 600))
    found = np.mean(np.array(sign_flips(table, resamples=1999)) <= 0.01)
    assert 0.73 <= found <= 0.87


def test_too_few_cases_show_nothing() -> None:
    assert minimum_effect(0.2, 1) is None


@table("alpha", [0.05, 0.01, 0.0009, 0.0625])
def test_so_many_must_change_before_it_can_be_said(alpha: float) -> None:
    count = fewest_changed(alpha)
    assert sign_flip([1.0] * count) <= alpha * (1 + 1e-9)
    assert sign_flip([1.0] * (count - 1)) > alpha


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(ValueError, match="alpha"):
        minimum_effect(0.1, 10, alpha=0.0)
    with pytest.raises(ValueError, match="power"):
        minimum_effect(0.1, 10, power=1.0)
