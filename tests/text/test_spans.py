from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.spans import span_seconds


@table(
    ("text", "seconds"),
    [("30 min", 1800), ("24 h", 86_400), ("1h", 3600), ("2 days", 172_800), ("1 Week", 604_800), ("1.5 hours", 5400)],
)
def test_lengths_as_people_write_them(text: str, seconds: float) -> None:
    assert span_seconds(text) == seconds


@table("text", ["", "soon", "24", "h", "-1 h", "1 hour 30 min", "1 m"])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a length of time such as"):
        span_seconds(text)


@given(st.text(max_size=20))
def test_any_text_is_a_length_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert span_seconds(text) >= 0
