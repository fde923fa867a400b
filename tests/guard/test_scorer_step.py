from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.guard.scorer_step import located, run_of, unread
from tests.guard.gates.staging import draft, memory
from tests.tables import table


@table(
    ("quote", "text", "found"),
    [
        ("It is free.", "Hello. It is free. Bye.", "It is free."),
        ("Day tours are free today", "- **Day tours** are\nfree `today`!", "Day tours** are\nfree `today"),
        ("It is free and it wi…", "Well. It is free and it will stay so.", "It is free and it wi"),
        ("返金できます。", "はい。**返金**できます。", "返金**できます"),
        ("not there", "nothing of it", None),
        ("", "text", None),
        ("…", "text", None),
        ("!!!", "text", None),
    ],
)
def test_a_sentence_is_found_again(quote: str, text: str, found: str | None) -> None:
    place = located(quote, text)
    assert (None if place is None else text[place[0] : place[1]]) == found


@given(st.text(max_size=80), st.text(max_size=200))
def test_a_place_is_always_inside_the_text(quote: str, text: str) -> None:
    place = located(quote, text)
    assert place is None or 0 <= place[0] < place[1] <= len(text)


def test_a_session_without_a_past_is_one_turn() -> None:
    _, run = run_of(draft("Hello.", memory=memory(asked=["Hi"])))
    assert [turn.asked for turn in run.turns] == ["Hi"]


def test_a_very_long_draft_is_cut() -> None:
    _, run = run_of(draft("a" * 1_000_000))
    assert len(run.answer) == 60_000


def test_a_sentence_of_which_only_the_beginning_is_read_is_told() -> None:
    endless = "the boat goes over the lake and the bus goes over the hill " * 12
    (found,) = unread(draft(endless), "gate")
    assert (found.kind, "600 letters" in found.reason) == ("unread", True)
    assert unread(draft(endless[:590]), "gate") == ()
    assert unread(draft(endless.replace("hill ", "hill. ")), "gate") == ()
