from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text import content_words
from proctor.text.content_words import clauses, content, negated, overlap_share


def test_words_are_the_same_whatever_their_endings() -> None:
    assert content("opened volumes shipping") == content("open volume ship")
    assert content("The 15 of it is") == frozenset()
    assert content("返品できます") >= {"返品"}


@table(
    "text", ["It is not here.", "We can't.", "out of stock", "返品できません。", "在庫切れです", "対象外です", "never"]
)
def test_denials(text: str) -> None:
    assert negated(text)


@table(
    "text",
    [
        "It is here.",
        "not only fast",
        "no later than Monday",
        "at no extra charge",
        "返品できます。",
        "注文できるかもしれません",
    ],
)
def test_no_denials(text: str) -> None:
    assert not negated(text)


def test_clauses_leave_numbers_whole() -> None:
    assert clauses("It is ¥1,200, but shipping is free") == ["It is ¥1,200", "shipping is free"]
    assert clauses("Out on May 3, 2024") == ["Out on May 3, 2024"]


@given(st.text(max_size=200))
def test_a_text_covers_itself(text: str) -> None:
    assert overlap_share(content(text), content(text)) == 1.0


def test_the_particle_of_a_romanised_title_denies_nothing() -> None:
    assert not negated("Copper Whale (銅の鯨 / Akagane no Kujira) is in stock.")
    assert not negated("Shio no Yashiro no Shita is complete.")
    assert negated("Akagane no Kujira is not in stock.")
    assert negated("There is no offer.")


@given(
    st.lists(
        st.sampled_from(["but", "But ", "x", " ", ",", "5", "; ", ", 2024", "while ", "\n", "however"]), max_size=9
    )
)
def test_clauses_of_ascii_are_those_of_any_text(pieces: list[str]) -> None:
    sentence = "".join(pieces)
    every = [part.strip() for part in content_words._CLAUSE.split(sentence) if part and part.strip()]
    assert clauses(sentence) == every


@given(st.text(st.sampled_from("ab'7_- \n"), max_size=20))
def test_words_of_ascii_are_those_of_any_text(text: str) -> None:
    assert content_words._words(text) == content_words._WORD.findall(text)
