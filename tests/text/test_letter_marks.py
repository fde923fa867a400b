from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.text.letter_marks import without_marks


def test_marks_and_capitals_do_not_count() -> None:
    assert without_marks("Siobhán ÑANDÚ حدّاد Straße") == "siobhan nandu حداد strasse"


@given(st.text(max_size=50))
def test_it_is_the_same_when_done_twice(text: str) -> None:
    assert without_marks(without_marks(text)) == without_marks(text)
