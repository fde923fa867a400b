"""A text that was searched already is told apart from the same letters that nobody has searched."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from proctor.text.normalise import Searched


@given(st.text(), st.text())
def test_a_searched_text_is_a_key_of_its_own(text: str, other: str) -> None:
    assert Searched(text) != text
    assert text != Searched(text)
    assert (Searched(text) == Searched(other)) is (text == other)
    assert len({text: 1, Searched(text): 2, Searched(str(text)): 3}) == 2


@given(st.text())
def test_it_reads_like_any_text(text: str) -> None:
    assert str(Searched(text)) == text
    assert str(pickle.loads(pickle.dumps(Searched(text)))) == text
    assert list(Searched(text)) == list(text)
