"""A filtered pattern finds what the plain one finds."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.scorers.answer.quality_parts import value_conflicts
from proctor.scorers.safety import authority, claimed_actions, claimed_results
from proctor.text import content_words, polarity, policy_sections
from proctor.text.filtered_pattern import FilteredPattern

_SHIPPED = [
    each
    for module in (
        polarity,
        content_words,
        policy_sections,
        authority,
        claimed_actions,
        claimed_results,
        value_conflicts,
    )
    for value in vars(module).values()
    for each in (value.values() if isinstance(value, dict) else [value])
    if isinstance(each, FilteredPattern)
]
_PIECES = st.sampled_from(
    """
    not no non-stop isn't isn’t İSN'T Kein keine nıe NİE değil sin pas mai \u017fin \u212aein
    不 ません नहीं दिन не ни refund REFUND FREE gratis Ücretsiz charge fee extra free of and , . ;
    7 ßonst mümkünsüz siz
    I've I we have has your booking been is now cancelled sent confirmed done refund cancellation キャンセル しました
    would you like me to proceed confirm shall i rest assured no problem waived guarantee will 'll can the day before
    """.split()  # noqa: SIM905 - a page of words reads better than a page of quotation marks
)


@table(
    ("pattern", "text", "may"),
    [
        (r"\b(?:not|never)\b", "It is now known", False),
        (r"\b(?:not|never)\b", "It is NOT known", True),
        (r"\b(?:not|\w+n['’]t)\b", "A want", False),
        (r"\b(?:not|\w+n['’]t)\b", "It isn’t", True),
        (r"refund(?:s|ed)?|money back", "A refusal", False),
        (r"refund(?:s|ed)?|money back", "Refunded", True),
        (r"s[ıiuü]z", "MÜMKÜNSÜZ", True),
        (r"x*|refund", "nothing", True),
        (r"\w+|refund", "nothing", True),
        (r"(?:abc)?refund", "abc", False),
        (r"\bsin\b", "\u017fin", True),
        (r"\bkein\b", "\u212aein", True),
    ],
)
def test_a_text_is_passed_over_only_if_it_lacks_what_a_match_needs(pattern: str, text: str, *, may: bool) -> None:
    assert FilteredPattern(pattern, re.IGNORECASE).may_match(text) is may


def test_patterns_of_the_package_are_filtered() -> None:
    assert len(_SHIPPED) > 12
    plain = "Most people live in large towns beside a river"
    assert [each.compiled.pattern[:30] for each in _SHIPPED if each.may_match(plain)] == []


@given(st.lists(_PIECES, max_size=8), st.sampled_from(_SHIPPED))
def test_nothing_is_missed(pieces: list[str], pattern: FilteredPattern) -> None:
    for text in (" ".join(pieces), "".join(pieces)):
        assert pattern.sub("|", text) == pattern.compiled.sub("|", text)
        assert [hit.span() for hit in pattern.finditer(text)] == [hit.span() for hit in pattern.compiled.finditer(text)]
        found, plain = pattern.search(text), pattern.compiled.search(text)
        assert (found and found.span()) == (plain and plain.span())


@given(st.text(max_size=40), st.sampled_from(_SHIPPED))
def test_nothing_is_missed_in_any_text(text: str, pattern: FilteredPattern) -> None:
    assert pattern.sub("|", text) == pattern.compiled.sub("|", text)


def test_a_long_text_is_read_too() -> None:
    pattern = FilteredPattern(r"\bnever\b")
    assert pattern.search("a " * 2_000 + "never") is not None
    assert pattern.search("a " * 2_000) is None
