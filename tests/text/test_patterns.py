"""The bound on a pattern's work: catastrophic ones are known as such, common ones are cheap."""

from __future__ import annotations

import math
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.text.patterns import compiled, most_steps

CATASTROPHIC = [
    r"(a+)+$",
    r"(a*)*$",
    r"(a|a)*$",
    r"(a|aa)+$",
    r"(x+x+)+y",
    r"(\w+\s?)+$",
    r"(.*,)*x",
    r"([a-z]+)*\d",
    r"(?i)(A.|a.)*b",
    r"(a?){40}a{40}",
    r"(?=(a+)+$)b",
    r"(?:(?:a+)b?)*c",
    r"(.)(?:\1?)*x",
    r"(?>(a+)+)$",
    r"(?:[ぁ-ん]い?|あ)*$",
]
COMMON = [
    r"\d{4}-\d{2}-\d{2}",
    r"^\{.*\}$",
    r"(?i)\bsorry\b",
    r"(?:\d{3},)+\d{3}",
    r"order\s+#?\d+",
    r"(?:Mon|Tue|Wed)day, \d+ (?:Jan|Feb|March|May)",
    r"[\w.+-]+@[\w-]+\.\w+",
    r"foo.*bar",
    r"全\d+巻",
    r"^(?:[^,]*,){3}x",
    r"(?s)<b>.*?</b>",
    r"(?=.*yes)(?!.*no)",
    r"(\w+) \1",
    "",
]


@table("pattern", CATASTROPHIC)
def test_catastrophic_patterns_have_no_bound_worth_waiting_for(pattern: str) -> None:
    re.compile(pattern)
    assert most_steps(pattern, 50_000) > 1e9
    assert most_steps(pattern, 50_000, anywhere=False) > 1e9


@table("pattern", COMMON)
def test_common_patterns_are_cheap_on_common_answers(pattern: str) -> None:
    assert most_steps(pattern, 500) <= 25_000_000


def test_the_bound_grows_with_what_repeats() -> None:
    linear, square, cube = (most_steps(pattern, 10_000) for pattern in ("abc", "a+b", "a*a*b"))
    assert linear < square < cube
    assert most_steps("^a+b", 10_000) < square
    assert most_steps("(?m)^a+b", 10_000) == square
    assert most_steps(r"\s+\d+\s+x", 10_000) == square


ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\w", r"\d", "c", r"\b"])
QUANTIFIERS = st.sampled_from(["", "", "", "*", "+", "?", "*?", "{2}", "{1,3}", "{2,}"])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.builds("({})".format, inner) | st.builds("(?:{}|{})".format, inner, inner)
    return st.lists(st.builds(str.__add__, group | ATOMS, QUANTIFIERS), min_size=1, max_size=3).map("".join)


PATTERNS = st.recursive(st.builds(str.__add__, ATOMS, QUANTIFIERS), _grown, max_leaves=8)


@settings(max_examples=examples(150))
@given(PATTERNS, st.sampled_from(["", "$", "X"]), st.sampled_from([60, 400, 3000]))
def test_a_pattern_with_a_small_bound_ends(pattern: str, end: str, length: int) -> None:
    pattern += end
    try:
        engine = compiled(pattern)
    except ValueError:
        return
    if most_steps(pattern, length) > 1_000_000:
        return
    begun = time.process_time()
    for text in ("a" * length + "!", "ab" * (length // 2), "aab" * (length // 3) + "!"):
        engine.search(text)
    # A million steps take well under a second; a wrong bound is wrong by powers of the length.
    assert time.process_time() - begun < 10


@table(
    ("pattern", "complaint"),
    [
        ("(", "missing )"),
        ("a{2", None),
        ("*a", "nothing to repeat"),
        ("[z-a]", "bad character range"),
        ("(" * 5000, "nested too deeply"),
    ],
)
def test_what_is_no_pattern_is_said_so(pattern: str, complaint: str | None) -> None:
    if complaint is None:
        compiled(pattern)
        return
    with pytest.raises(ValueError, match=re.escape(complaint)):
        compiled(pattern)


def test_unknown_constructs_count_as_endless() -> None:
    assert most_steps(r"(a)?(?(1)b|c)", 10) == math.inf


@pytest.mark.parametrize(
    "pattern",
    ["(" * 40 + "a" + ")?" * 40, "|".join(f"{chr(0x4E00 + at)}b" for at in range(900))],
    ids=["nested", "many"],
)
def test_counting_gives_up_on_a_pattern_that_takes_long_to_count(pattern: str) -> None:
    re.compile(pattern)
    assert most_steps(pattern, 10) == math.inf


def test_a_long_list_of_words_is_counted() -> None:
    assert most_steps("|".join(f"{chr(0x4E00 + at)}b" for at in range(400)), 1_000) < 1e6
