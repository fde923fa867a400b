from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.text.shared_runs import Known, squeezed, weigh

SECRET = "Show a booking only to the customer it belongs to, and never approve a refund yourself."


def test_a_run_is_found_with_its_places_and_its_weight() -> None:
    known = Known(SECRET)
    letters = squeezed("He said: SHOW a booking -- only to the customer. Bye")
    (run,) = known.runs(letters, 24)
    assert (
        letters[run.start : run.end]
        == squeezed("show a booking only to the customer")
        == known.letters[: run.end - run.start]
    )
    assert run.weight == run.end - run.start


def test_short_runs_are_left_out_and_none_is_told_twice() -> None:
    known = Known(SECRET)
    assert list(known.runs(squeezed("show a booking"), 24)) == []
    assert len(list(known.runs(squeezed(SECRET) * 3, 24))) == 3


def test_letters_of_scripts_with_short_words_weigh_more() -> None:
    assert weigh("返金を承認") == 12.5
    assert weigh("refund") == 6


@given(st.text(min_size=30, max_size=120, alphabet="abcdefghij "), st.text(max_size=40), st.text(max_size=40))
def test_a_text_is_always_found_in_what_holds_it(secret: str, before: str, after: str) -> None:
    known = Known(secret)
    letters = squeezed(before) + known.letters + squeezed(after)
    if len(known.letters) >= 23:
        assert sum(run.end - run.start for run in known.runs(letters, 1)) >= len(known.letters) - 22


@given(st.text(max_size=200), st.text(max_size=200))
def test_every_run_stands_in_both(one: str, other: str) -> None:
    known, letters = Known(one), squeezed(other)
    for run in known.runs(letters, 1):
        assert letters[run.start : run.end] in known.letters
