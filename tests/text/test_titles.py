from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.titles import candidates, mentions, same_title, title_key


@table(
    ("title", "text", "quote"),
    [
        ("Spy×Family", "I like SPY x FAMILY a lot", "SPY x FAMILY"),
        ("鬼滅の刃", "『鬼滅の刃』は全23巻です", "鬼滅の刃"),
        ("Kimetsu no Yaiba", "kimetsu  no yaiba!", "kimetsu  no yaiba"),
        ("Tōkyō Ghoul", "Toukyou ghoul and others", "Toukyou ghoul"),
        ("ワンピース", "わんぴーすを読む", "わんぴーす"),
        ("ｳｽﾞﾏｷ", "うずまきの作者", "うずまき"),
        ("HD-101", "see HD-101.", "HD-101"),
        ("Pokémon", "POKEMON cards", "POKEMON"),
    ],
)
def test_a_title_in_any_script_and_spelling(title: str, text: str, quote: str) -> None:
    assert [hit.quote for hit in mentions(title, text)] == [quote]


@table(("title", "text"), [("Monster", "Monsters"), ("HD-10", "HD-101"), ("X", "x"), ("", "anything")])
def test_not_inside_a_word(title: str, text: str) -> None:
    assert mentions(title, text) == []


def test_spellings_of_one_title() -> None:
    assert same_title("House of Damp Paper", "house of damp-paper!")
    assert not same_title("House of Damp Paper", "House of Paper")
    assert not same_title("", "!!")


def test_what_may_be_a_title() -> None:
    text = (
        "1. **The Drifting Classroom** by Kazuo Umezu - $12\n2. Uzumaki (うずまき), a classic\n"
        "Also try 「寄生獣」 and Hell Baby by Hideshi Hino, or Spy×Family, Vol. 3."
    )
    found = [hit.quote for hit in candidates(text)]
    assert {"The Drifting Classroom", "Uzumaki", "寄生獣", "Hell Baby", "Spy×Family"} <= set(found)


@given(st.text(min_size=1, max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_a_title_between_spaces_is_found(title: str, before: str, behind: str) -> None:
    hits = mentions(title, f"{before} 「{title}」 {behind}")
    assert hits or len(title_key(title)) < 2 or title[0] != title.strip()[:1] or not same_title(title, title)


@given(st.text(max_size=400))
def test_any_text_has_candidates_that_do_not_overlap(text: str) -> None:
    found = candidates(text)
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert all(text[hit.start : hit.end] == hit.quote for hit in found)
