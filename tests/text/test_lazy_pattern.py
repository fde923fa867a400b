"""A pattern that waits does what a compiled one does."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from proctor.text.lazy_pattern import Lazy

PATTERN = r"(a+)b?"


@given(st.text(alphabet="abc ", max_size=20), st.integers(0, 5))
def test_it_does_what_the_compiled_pattern_does(text: str, start: int) -> None:
    lazy, eager = Lazy(PATTERN, re.IGNORECASE), re.compile(PATTERN, re.IGNORECASE)
    for name in ("search", "match"):
        mine, other = getattr(lazy, name)(text, start), getattr(eager, name)(text, start)
        assert (mine and mine.span()) == (other and other.span())
    assert [each.span() for each in lazy.finditer(text)] == [each.span() for each in eager.finditer(text)]
    assert lazy.findall(text) == eager.findall(text)
    assert lazy.sub("x", text, count=1) == eager.sub("x", text, count=1)
    assert lazy.split(text) == eager.split(text)
