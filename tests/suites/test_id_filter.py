from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.suites.id_filter import Seen


@settings(deadline=None)
@given(st.lists(st.text(max_size=3)))
def test_it_knows_what_was_there(texts: list[str]) -> None:
    seen, truth = Seen(), set[str]()
    for text in texts:
        assert seen.add(text) is (text in truth)
        truth.add(text)


def test_it_grows() -> None:
    seen = Seen()
    assert not any(seen.add(f"case-{number}") for number in range(10_000))
    assert all(seen.add(f"case-{number}") for number in range(10_000))
    assert not seen.add("another")
