from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.find_phrase import fold, occurrences


def quotes(phrase: str, text: str, *, ignore_case: bool = True, whole_words: bool = False) -> list[str]:
    folded = fold(text, ignore_case=ignore_case)
    return [folded.quote(*place) for place in occurrences(phrase, folded, whole_words=whole_words)]


@table(
    ("phrase", "text", "expected"),
    [
        ("paris", "Paris or PARIS", ["Paris", "PARIS"]),
        ("strasse", "Hauptstraße", ["straße"]),
        ("ABC", "ａｂｃ", ["ａｂｃ"]),
        ("ガイド", "ｶﾞｲﾄﾞ", ["ｶﾞｲﾄﾞ"]),
        ("café", "cafe\u0301", ["café"]),
        ("secret", "se\u200bcr\u00adet", ["se\u200bcr\u00adet"]),
        ("", "anything", []),
        ("\u200b", "anything", []),
        ("aa", "aaaa", ["aa", "aa"]),
        ("漫画", "この漫画は", ["漫画"]),
    ],
)
def test_case_width_and_hidden_characters_do_not_matter(phrase: str, text: str, expected: list[str]) -> None:
    assert quotes(phrase, text) == expected


def test_case_matters_when_asked() -> None:
    assert quotes("paris", "Paris", ignore_case=False) == []
    assert quotes("Paris", "Ｐaris", ignore_case=False) == ["Ｐaris"]


@table(
    ("phrase", "text", "found"),
    [
        ("ass", "class assess ass", 1),
        ("ass", "an ass.", 1),
        ("C++", "C++11", 1),
        ("cat", "cat_food", 0),
        ("cat", "concatenate", 0),
        ("漫画", "新漫画本", 1),
        ("AI", "生成AIです", 1),
        ("AI", "TRAIN", 0),
        ("été", "l'été d'étés", 1),
    ],
)
def test_whole_words(phrase: str, text: str, found: int) -> None:
    assert len(quotes(phrase, text, whole_words=True)) == found


@settings(deadline=None)
@given(st.text(max_size=20), st.text(min_size=1, max_size=8), st.text(max_size=20))
def test_what_is_there_is_found(before: str, phrase: str, after: str) -> None:
    folded = fold(before + "\n" + phrase + "\n" + after, ignore_case=True)
    if fold(phrase, ignore_case=True).text:
        places = occurrences(phrase, folded)
        assert places
        assert all(0 <= start < end <= len(folded.text) for start, end in places)
