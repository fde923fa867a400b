"""Characters that are taken are seen by every span that touches one of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.text.taken_spans import TakenSpans

SPANS = st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda two: (two[0], two[0] + two[1]))


@given(st.lists(SPANS), SPANS)
def test_a_span_overlaps_as_its_characters_do(taken: list[tuple[int, int]], asked: tuple[int, int]) -> None:
    spans = TakenSpans("x" * 40)
    for start, end in taken:
        spans.add(start, end)
    wanted = any(start < asked[1] and asked[0] < end for start, end in taken)
    assert spans.overlaps(*asked) is wanted
