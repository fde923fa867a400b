from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.guard.personal_words import are_personal, personal_words
from tests.tables import table

PRIVATE = personal_words(["Siobhán Keane", "14 Quay St"])
SAID = ["Third time the Tamarind dishwasher shows F4. I'm Siobhán Keane, 14 Quay St."]


def test_words_are_compared_without_their_marks() -> None:
    assert PRIVATE["siobhan"] == frozenset({0})
    assert set(PRIVATE) == {"siobhan", "keane", "14", "quay"}


@table(
    ("text", "personal"),
    [
        ("siobhan keane quay st", True),  # of two values
        ("/14/siobhan-keane", True),  # with a number
        ("siobhan keane dishwasher", True),  # beside what else was said
        ("/wiki/Siobhan_Keane", False),
        ("keane dishwasher", False),
        ("tamarind dishwasher shows third time", False),  # nothing about a person
        ("", False),
    ],
)
def test_a_person_is_told_from_a_subject(text: str, personal: bool) -> None:
    assert are_personal([text], PRIVATE, SAID) is personal


@given(st.lists(st.text(max_size=60), max_size=4))
def test_any_text_is_read(texts: list[str]) -> None:
    assert are_personal(texts, personal_words(texts), texts) in (True, False)
