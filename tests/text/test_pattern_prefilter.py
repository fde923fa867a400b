"""Letters without which a pattern cannot match."""

from __future__ import annotations

import re
import sys
import threading

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.pattern_prefilter import Haystack, needles, warming


@table(
    ("pattern", "wanted"),
    [
        (r"\blawyer\b", {"lawyer"}),
        (r"my (?:lawyer|attorney)s?", {"lawyer", "attorney"}),
        (r"(?:a|b)? court", {" court"}),
        (r"Sue (?:you)+", {"sue "}),
        (r"x*y*", None),
        (r"(?:abc|\w+)", None),
        (r"曝光", {"曝光"}),
        (r"abogad[oa]", {"abogad"}),
    ],
)
def test_what_must_stand_in_a_match(pattern: str, wanted: set[str] | None) -> None:
    assert needles(pattern) == wanted


def test_a_haystack_finds_what_the_patterns_find() -> None:
    hay = Haystack((r"\blawyer\b", r"x*z", r"(?:曝光|起诉)", r"\ba\b"))
    text = "A Lawyer 起诉 xxz"
    assert [(number, hit.group()) for number, hit in hay.find(text)] == [
        (0, "Lawyer"),
        (1, "xxz"),
        (2, "起诉"),
        (3, "A"),
    ]
    assert not list(hay.find("nothing here"))


_WORDS = ("lawyer", "court", "sue", "ab", "曝光", "É", "straße")
_PATTERNS = (r"\blawyers?\b", r"(?:court|sue) ?\w*", r"ab+", r"曝光?", r"é", r"stra(?:ß|ss)e", r"(?:ab|cd){1,2}")


@given(st.lists(st.sampled_from((*_WORDS, " ", "x", "B", "LAWYERS")), max_size=12).map("".join))
def test_nothing_is_lost_by_looking_first(text: str) -> None:
    every = [(n, hit.group()) for n, p in enumerate(_PATTERNS) for hit in re.compile(p, re.IGNORECASE).finditer(text)]
    assert [(number, hit.group()) for number, hit in Haystack(_PATTERNS).find(text)] == every


@table(
    ("pattern", "text"),
    [
        ("promise", "I promiſe"),
        ("definite", "defınıte"),
        ("credit", "CREDİT"),
        ("ΛΟΓΟΣ", "λόγος λογος"),
        ("μικρ", "µικρ"),
    ],
)
def test_letters_that_are_one_to_a_pattern_are_one_to_the_first_look(pattern: str, text: str) -> None:
    assert re.search(pattern, text, re.IGNORECASE)
    assert [number for number, _ in Haystack((pattern,)).find(text)] == [0]


def test_the_numbers_of_the_patterns_come_once_and_in_order() -> None:
    hay = Haystack((r"\blawyer\b", r"x*z", r"court", r"\ba\b"))
    assert list(hay.numbers("A lawyer and a lawyer in court")) == [0, 2, 3]
    assert list(hay.numbers("nothing here")) == []
    assert list(hay.numbers("")) == []


def test_trying_all_finds_what_choosing_finds() -> None:
    hay = Haystack((r"\blawyer\b", r"x*z", r"court", r"\ba\b"))
    text = "A lawyer and a lawyer in court"
    assert [(number, hit.span()) for number, hit in hay.try_all(text)] == [
        (number, hit.span()) for number, hit in hay.find(text)
    ]


def test_warming_compiles_what_is_there() -> None:
    made = Haystack(("warm(?:ing|ed)", "cold"))
    assert not made._made
    assert len(list(warming())) >= 2
    assert sorted(made._made) == [0, 1]


def test_warming_reads_the_letters_off_first() -> None:
    stack = Haystack(("warm(?:th|ing)", "cold"))
    list(warming())
    assert {"_by_gram", "_always", "_ever"} <= vars(stack).keys()


def test_a_haystack_may_be_made_while_another_thread_warms() -> None:
    kept = [Haystack((f"first {number}",)) for number in range(500)]
    over = threading.Event()

    def make() -> None:
        number = 0
        while not over.is_set():
            kept.append(Haystack((f"made {number}",)))
            number += 1

    before = sys.getswitchinterval()
    maker = threading.Thread(target=make)
    sys.setswitchinterval(1e-6)
    try:
        maker.start()
        for _ in range(50):
            next(warming())
    finally:
        over.set()
        maker.join()
        sys.setswitchinterval(before)
    assert len(kept) > 500
