"""The letters with which a match begins."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.first_letters import UNUSUAL_LETTERS, first_letters
from proctor.text.units import _words, find_unit


@table(
    ("pattern", "letters"),
    [
        ("days?", {"d"}),
        ("(?:business|working)[ -]days?", {"b", "w"}),
        ("D[íi]as?", {"d"}),
        ("个?星期", {"个", "星"}),
        ("[ab]x|c", {"a", "b", "c"}),
        ("[a-c]x", {"a", "b", "c"}),
        (r"(?!x)(?<=\d)day\b", {"d"}),
        ("a+", {"a"}),
        ("a*", None),
        (r"\w+", None),
        ("[^a]", None),
        ("", None),
    ],
)
def test_first_letters(pattern: str, letters: set[str] | None) -> None:
    assert first_letters(pattern) == letters


def test_letters_that_match_others_are_known() -> None:
    assert {"ſ", "\u212a", "İ", "ς"} <= UNUSUAL_LETTERS
    assert not any(map(str.isascii, UNUSUAL_LETTERS))


_EVERY = re.compile(r"[\s\u00a0-]{0,2}(?:" + "|".join(f"({written})" for written, _ in _words()) + ")", re.IGNORECASE)
_AFTER = st.sampled_from(
    """
    day DAYS tag Tage TAGE kg Kg \u212ag h min m. km² minutes M miesięcy İŞ iş \u017feconds
    secs stunden std ore business-day working 日間 年 years.old ans án يوم गुन दिन години недель
    個 G GB mb l litres vol. 周末 周 %
    """.split()  # noqa: SIM905 - a page of words reads better than a page of quotation marks
)


@given(
    st.sampled_from(["", " ", "-", "\u00a0", "  ", " -", "   ", "\n"]), _AFTER, st.sampled_from(["", " x", "s", "5"])
)
def test_a_unit_is_the_one_that_all_words_in_one_pattern_find(gap: str, word: str, after: str) -> None:
    text = f"7{gap}{word}{after}"
    found, match = find_unit(text, 1), _EVERY.match(text, 1)
    assert (found is None) == (match is None)
    if found is not None and match is not None:
        _, (base, size, language) = _words()[(match.lastindex or 1) - 1]
        assert (found.base, found.size, found.language, found.end) == (base, size, language, match.end())
