"""Patterns that users configure find the same in every engine, and no text makes them take long."""

from __future__ import annotations

import re
import sys
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.text import chunked_regex, user_patterns
from proctor.text.character_cases import case_variants
from proctor.text.chunked_regex import GivenUp, works_for
from proctor.text.re2_syntax import UntranslatableError, to_re2
from proctor.text.user_patterns import UserPattern, user_pattern

SIGNS = "ab1 _-.\nAIiİıſsSßẞkKßéÉ²٣ǅιΙ\u0345\u2028\x1c漢😀"
ATOMS = [
    "a",
    "b",
    "1",
    r"\d",
    r"\w",
    r"\s",
    r"\W",
    r"\D",
    r"\S",
    ".",
    "[a-k]",
    "[^a1]",
    r"[^\W\d_]",
    r"[\w.-]",
    "i",
    "ß",
]
TAILS = ["", "*", "+", "?", "{1,3}", "{2}", "+?", "*?", "{0,2}?"]


def atoms() -> st.SearchStrategy[str]:
    single = st.builds(str.__add__, st.sampled_from(ATOMS), st.sampled_from(TAILS))
    group = st.builds(lambda some, tail: f"(?:{'|'.join(some)}){tail}", st.lists(single, min_size=1, max_size=3),
                      st.sampled_from(["", "+", "?", "{1,2}"]))  # fmt: skip
    return st.one_of(single, group)


PATTERNS = st.builds(
    lambda head, some, tail: head + "".join(some) + tail,
    st.sampled_from(["", "", r"\b", "^", "(?<!a)", r"(?<=\s)", r"(?<!\w)", "(?m)^", r"\A"]),
    st.lists(atoms(), min_size=1, max_size=4),
    st.sampled_from(["", "", r"\b", "$", r"(?!\w)", "(?=b)", r"(?=\s|\Z)", r"\Z"]),
)


def in_re2(pattern: str, ignore_case: bool) -> UserPattern | None:
    """The pattern as RE2 runs it, whatever engine it would get; None where RE2 cannot."""
    made = UserPattern("x", ignore_case=ignore_case)
    made._python = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    try:
        made._re2 = to_re2(pattern, made._python.flags)
        made._first = user_patterns._re2(made._re2.first)
        made._later = user_patterns._re2(made._re2.later) if made._re2.looks_back else made._first
    except UntranslatableError:
        return None
    made.engine = "re2"
    return made


@settings(max_examples=examples(400))
@given(PATTERNS, st.text(SIGNS, max_size=24), st.booleans())
def test_re2_finds_what_re_finds(pattern: str, text: str, ignore_case: bool) -> None:
    made = in_re2(pattern, ignore_case)
    if made is None:
        return
    expected = [hit.span() for hit in made._python.finditer(text)]
    assert [hit.span() for hit in made.finditer(text)] == expected
    assert made.fullmatch(text) == (made._python.fullmatch(text) is not None)


@settings(max_examples=examples(60))
@given(PATTERNS, st.text(SIGNS, max_size=12), st.booleans())
@example(pattern=r"(?<=\s)[\w.-]", text="111 11", ignore_case=False)
def test_re2_finds_the_same_piece_by_piece(pattern: str, text: str, ignore_case: bool) -> None:
    made = in_re2(pattern, ignore_case)
    if made is None:
        return
    long = text * 40
    whole = [hit.span() for hit in made.finditer(long)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunked_regex, "PIECE", 160)
        patch.setattr(chunked_regex, "MARGIN", 60)
        pieces = [hit.span() for hit in made.finditer(long)]
    if max((end - start for start, end in whole), default=0) < 40:
        assert pieces == whole


@cache
def _every_character() -> str:
    return "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)


@table("ignore_case", [False, True])
@table("sign", ["i", "s", "k", "ß", "ς", "ι", "ǆ", "é", "Å", "µ", "ﬅ"])
def test_cases_are_those_of_re(sign: str, ignore_case: bool) -> None:
    expected = {hit.group() for hit in re.finditer(sign, _every_character(), re.IGNORECASE if ignore_case else 0)}
    taken = {chr(code) for low, high in case_variants(((ord(sign), ord(sign)),)) for code in range(low, high + 1)}
    assert (taken | {sign} if ignore_case else {sign}) == expected


@table(
    ("pattern", "engine"),
    [
        (r"\bguaranteed\b", "python"),
        (r"(a+)+$", "re2"),
        (r"(?:\w+\s?)*!", "re2"),
        (r"\b(?:a|a|aa)+\b", "re2"),
        (r"(?<!\d)\d+-\d+(?!\d)", "re2"),
        (r"(\w)\w*\1", "windows"),
        (r"x(?=\w*y)\w*z", "windows"),
    ],
)
def test_each_pattern_has_an_engine_that_bounds_it(pattern: str, engine: str) -> None:
    made = user_pattern(pattern)
    assert made.engine == engine, made.why


@pytest.mark.parametrize("pattern", [r"(a+)+\1", r"(?=(\w+)+x)\w", r"(?:(\w+)\s?)+\1"])
def test_what_no_engine_bounds_is_refused_with_a_hint(pattern: str) -> None:
    with pytest.raises(ValueError, match="bound its repeats"):
        user_pattern(pattern)


@table("pattern", [r"(a+)+$", r"(?:a|a|aa)+b", r"a*a*a*a*a*b", r"(?:a|a)+\b\?"])
def test_a_hostile_text_takes_few_steps(pattern: str) -> None:
    """In ``re`` each of these would take longer than the age of the universe, or an hour."""
    assert [hit.span() for hit in user_pattern(pattern).finditer("a" * 300_000 + "!")] == []


def test_windows_find_what_is_shorter_than_half_of_one_wherever_it_stands() -> None:
    made = user_pattern(r"(\w)x\w*\1")
    assert made.engine == "windows"
    text = (". " * 700 + "axbbba ") * 9
    assert [hit.group() for hit in made.finditer(text)] == ["axbbba"] * 9


def test_work_in_windows_ends_when_nobody_waits_for_it() -> None:
    class Over:
        done, breathed = False, 0.0

    work = Over()
    hits = user_pattern(r"(\w)x\1").finditer("axa " * 100_000)
    works_for(work)
    try:
        next(hits)
        work.done = True
        with pytest.raises(GivenUp):
            list(hits)
    finally:
        works_for(None)


def test_half_a_surrogate_pair_keeps_its_place() -> None:
    hit = user_pattern(r"(?:\w+\s?)+!").search("\ud800 漢 abc!")
    assert hit is not None
    assert hit.group() == "漢 abc!"
