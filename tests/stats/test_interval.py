from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.interval import wilson
from tests.tables import table


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    total = draw(st.integers(1, 100_000))
    return draw(st.integers(0, total)), total


# Newcombe 1998, table I, method 3: printed to four places.
@table(
    ("hits", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_agrees_with_the_published_table(hits: int, total: int, low: float, high: float) -> None:
    found = wilson(hits, total)
    assert found is not None
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)


def test_nothing_counted_has_no_interval() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("hits", "total"), [(-1, 3), (4, 3), (0, -1)])
def test_impossible_counts_are_refused(hits: int, total: int) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        wilson(hits, total)


@table("confidence", [0.0, 1.0, -0.5, math.nan])
def test_impossible_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        wilson(1, 2, confidence=confidence)


@given(counts())
def test_holds_the_share_and_stays_in_range(pair: tuple[int, int]) -> None:
    hits, total = pair
    found = wilson(hits, total)
    assert found is not None
    assert 0.0 <= found.low <= hits / total <= found.high <= 1.0
    assert found.low < found.high


@given(counts())
def test_ends_solve_the_score_equation(pair: tuple[int, int]) -> None:
    """Each end p satisfies (share - p)² = z² p (1 - p) / n, which defines the interval."""
    hits, total = pair
    found = wilson(hits, total)
    assert found is not None
    share, square = hits / total, 1.959963984540054**2 / total
    for end in (found.low, found.high):
        assert (share - end) ** 2 == pytest.approx(square * end * (1 - end), abs=1e-9)


@given(counts())
def test_mirrors_when_hits_and_misses_swap(pair: tuple[int, int]) -> None:
    hits, total = pair
    one, other = wilson(hits, total), wilson(total - hits, total)
    assert one is not None
    assert other is not None
    assert one.low == pytest.approx(1 - other.high, abs=1e-9)


@given(counts())
def test_more_confidence_is_wider(pair: tuple[int, int]) -> None:
    narrow, wide = wilson(*pair, confidence=0.8), wilson(*pair, confidence=0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high
