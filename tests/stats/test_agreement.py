from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.agreement import (
    Weighting,
    cohen_kappa,
    intraclass_correlation,
    krippendorff_alpha,
    repeatability,
)

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60)


def _split(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [one for one, _ in pairs], [other for _, other in pairs]


# Cohen 1960 style table 20/5/10/15: observed 0.7, expected 0.5.
def test_kappa_of_the_textbook_table() -> None:
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found = cohen_kappa(first, second)
    assert found is not None
    assert found.kappa == pytest.approx(0.4)
    assert found.observed == pytest.approx(0.7)
    assert found.expected == pytest.approx(0.5)
    assert found.base == {"no": pytest.approx(0.45), "yes": pytest.approx(0.55)}
    assert found.highest == pytest.approx(0.55)
    assert found.adjusted == pytest.approx(0.4)


# sklearn.metrics.cohen_kappa_score
@pytest.mark.parametrize(
    ("weighting", "value"), [("none", 0.1891891892), ("linear", 0.4736842105), ("quadratic", 0.7142857143)]
)
def test_weighted_kappa_agrees_with_scikit_learn(weighting: Weighting, value: float) -> None:
    found = cohen_kappa([0, 1, 2, 3, 0, 1, 2, 3, 1, 2], [0, 2, 2, 2, 1, 1, 3, 3, 0, 1], weighting=weighting)
    assert found is not None
    assert found.kappa == pytest.approx(value)


def test_a_high_base_rate_is_shown_beside_kappa() -> None:
    """Ninety-eight of a hundred the same way: they agree nearly always, and kappa says that this means nothing."""
    found = cohen_kappa([1] * 98 + [0, 1], [1] * 98 + [1, 0])
    assert found is not None
    assert found.observed == pytest.approx(0.98)
    assert found.kappa == pytest.approx(-0.0101, abs=1e-3)
    assert found.highest == pytest.approx(0.99)


def test_kappa_without_anything_to_tell_apart_has_no_value() -> None:
    found = cohen_kappa(["a"] * 5, ["a"] * 5)
    assert found is not None
    assert found.kappa is None
    assert cohen_kappa([], []) is None


@given(LABELS)
def test_kappa_is_symmetric_and_at_most_one(pairs: list[tuple[int, int]]) -> None:
    first, second = _split(pairs)
    one, other = cohen_kappa(first, second), cohen_kappa(second, first)
    assert one is not None
    assert other is not None
    if one.kappa is not None:
        assert other.kappa == pytest.approx(one.kappa)
        assert one.kappa <= 1 + 1e-12


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40))
def test_perfect_agreement_is_one(labels: list[int]) -> None:
    found = cohen_kappa(labels, labels, weighting="quadratic", order=[0, 1, 2, 3])
    assert found is not None
    assert found.kappa is None if len(set(labels)) == 1 else found.kappa == pytest.approx(1.0)


def test_wrong_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="beside"):
        cohen_kappa([1], [1, 2])
    with pytest.raises(ValueError, match="order"):
        cohen_kappa([1], [9], order=[1, 2])


def test_labels_of_several_kinds_can_be_compared() -> None:
    assert cohen_kappa([1, "a", None], [1, "a", "a"]) is not None


# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", example C: four observers, twelve units.
_EXAMPLE: list[list[float | None]] = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]


def test_alpha_agrees_with_the_published_example() -> None:
    assert krippendorff_alpha(_EXAMPLE, level="nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(_EXAMPLE, level="ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(_EXAMPLE, level="interval") == pytest.approx(0.849, abs=5e-4)
    assert krippendorff_alpha(_EXAMPLE, level="ratio") == pytest.approx(0.797, abs=5e-4)


def test_alpha_without_pairs_or_without_variety_has_no_value() -> None:
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([[1, None], [None, 2]]) is None
    assert krippendorff_alpha([[1, 1], [1, 1]]) is None


@given(st.lists(st.lists(st.integers(1, 5), min_size=2, max_size=4), min_size=2, max_size=20), st.randoms())
def test_alpha_does_not_depend_on_the_order_of_units_or_judges(units: list[list[int]], source: random.Random) -> None:
    mixed: list[list[float | None]] = [list(map(float, source.sample(unit, len(unit)))) for unit in units]
    source.shuffle(mixed)
    plain = krippendorff_alpha([list(map(float, unit)) for unit in units], level="ordinal")
    other = krippendorff_alpha(mixed, level="ordinal")
    assert plain == other or math.isclose(plain or 0.0, other or 0.0, rel_tol=1e-9, abs_tol=1e-9)


# Shrout and Fleiss 1979, table 2: ICC(1,1) = .17, ICC(1,4) = .44.
_RATINGS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_intraclass_correlation_agrees_with_the_published_table() -> None:
    assert intraclass_correlation(_RATINGS) == pytest.approx(0.166, abs=1e-3)
    assert intraclass_correlation(_RATINGS, averaged=True) == pytest.approx(0.443, abs=1e-3)


def test_intraclass_correlation_without_enough_has_no_value() -> None:
    assert intraclass_correlation([[1, 2]]) is None
    assert intraclass_correlation([[1], [2]]) is None
    assert intraclass_correlation([[1, 1], [1, 1]]) is None


def test_a_judge_that_repeats_itself() -> None:
    found = repeatability([[0.5, 0.5, 0.5], [0.9, 0.9, 0.9], [0.1]])
    assert found is not None
    assert (found.items, found.samples, found.within, found.same) == (2, 3, 0.0, 1.0)
    assert found.correlation == pytest.approx(1.0)


def test_a_judge_that_does_not() -> None:
    found = repeatability([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert found is not None
    assert found.same == 0.0
    assert found.within == pytest.approx(math.sqrt(0.5))
    assert found.correlation == pytest.approx(-1.0)
    assert repeatability([[0.5]]) is None
