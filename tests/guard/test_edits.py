from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.verdict import Edit
from proctor.guard.edits import apply, difference

TEXT = st.text(alphabet="abcdefgh 123", max_size=30)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(TEXT)
    edits = []
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        edits.append(Edit(start=start, end=end, text=draw(st.text(alphabet="XYZ", max_size=4))))
    return text, edits


@given(edited())
def test_what_no_edit_touches_stays_and_in_its_order(made: tuple[str, list[Edit]]) -> None:
    text, edits = made
    kept = "".join(letter for at, letter in enumerate(text) if not any(edit.start <= at < edit.end for edit in edits))
    found = "".join(letter for letter in apply(text, edits) if letter not in "XYZ")
    assert found == kept


@given(edited())
def test_the_order_in_which_edits_come_does_not_matter_nor_that_one_comes_twice(
    made: tuple[str, list[Edit]],
) -> None:
    text, edits = made
    assert apply(text, edits) == apply(text, list(reversed(edits))) == apply(text, [*edits, *edits])


@given(TEXT, TEXT)
def test_the_difference_of_two_texts_makes_the_one_of_the_other(original: str, changed: str) -> None:
    made = difference(original, changed)
    assert apply(original, [made] if made else []) == changed
    assert (made is None) == (original == changed)


@given(st.text(alphabet="abc ", min_size=0, max_size=10), st.text(alphabet="abc ", max_size=10))
def test_what_a_swallowed_edit_hides_is_hidden_in_the_text_that_takes_its_place(before: str, after: str) -> None:
    secret = "4111-1111"
    text = f"{before}{secret}{after}"
    rewritten = Edit(start=0, end=len(text), text=f"Your number {secret} is noted.")
    masked = Edit(start=len(before), end=len(before) + len(secret), text="[CARD]")
    assert apply(text, [rewritten, masked]) == "Your number [CARD] is noted."


def test_of_a_stretch_that_another_edit_cuts_in_two_no_half_stays() -> None:
    text = "call 0301234567 now"
    half = Edit(start=0, end=11, text="ring 030123 ")
    number = Edit(start=5, end=15, text="[PHONE]")
    assert apply(text, [half, number]) == "ring [PHONE]  now"


def test_an_insertion_inside_what_gives_way_stands_behind_it() -> None:
    text = "An agent, Anna Berg, approved it."
    name = Edit(start=10, end=19, text="[PERSON]")
    mark = Edit(start=14, end=14, text=" [unverified]")
    assert apply(text, [mark, name]) == "An agent, [PERSON] [unverified], approved it."


def test_insertions_at_one_place_all_stand_there() -> None:
    marks = [Edit(start=3, end=3, text="!"), Edit(start=3, end=3, text="?")]
    assert apply("one two", marks) == "one!? two"


def test_edits_side_by_side_touch_one_another_and_nothing_else() -> None:
    edits = [Edit(start=0, end=3, text="A"), Edit(start=3, end=6, text="B")]
    assert apply("oneTwo three", edits) == "AB three"


def test_long_texts_are_compared_quickly() -> None:
    original = "a" * 1_000_000
    changed = original[:500_000] + "b" + original[500_001:]
    assert difference(original, changed) == Edit(start=500_000, end=500_001, text="b")
