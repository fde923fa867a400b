from __future__ import annotations

import re
import time
from itertools import combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from proctor.scorers.answer.quality_parts.exchanged_values import ValueExchange, exchanges, number_values
from tests.tables import table

FACTS = ("check-in from 3 pm", "check-out until 11 am")


def test_each_fact_is_read_from_the_part_with_its_value() -> None:
    before = "Good evening! You arrive on Friday."
    (found,) = exchanges(FACTS, f"{before} Check out by 11 am; as for check-in, it is from 3 pm. Bring a book.")
    arrive, leave = "as for check-in, it is from 3 pm.", "Check out by 11 am"
    assert found.pairs == (
        (arrive, "check-in from 3 pm"),
        (leave, "check-out until 11 am"),
        (leave, "check-in from 11 am"),
        (arrive, "check-out until 3 pm"),
    )
    assert found.other(FACTS[0])[0] == FACTS[1]
    assert found.other(FACTS[0])[1].quote == "11 am"


@table(
    "answer",
    [
        "Check in from 3 pm and out until 11 am.",  # no mark between the values
        "From 3 pm, on the day you come, until 11 am.",  # two marks of the same strength
        "Check-in is from 3 pm.",
        "Check-in is from 3 pm, not before 3 pm, and check-out until 11 am.",
        "",
    ],
)
def test_what_cannot_be_cut_in_two_is_not_asked(answer: str) -> None:
    assert exchanges(FACTS, answer) == []


def test_facts_with_the_same_value_or_of_another_kind_cannot_be_exchanged() -> None:
    assert exchanges(("dogs cost 8 euros", "cats cost 8 euros"), "Dogs: 8 euros, cats: 8 euros.") == []
    assert exchanges(("dogs cost 8 euros", "open for 8 days"), "Dogs: 8 euros, open for 8 days.") == []


def test_a_small_margin_is_unclear() -> None:
    def decided(*entailed: float) -> str:
        return ValueExchange.decided([{"entailment": each} for each in entailed])

    assert decided(0.9, 0.9, 0.2, 0.1) == "as they are"
    assert decided(0.2, 0.1, 0.9, 0.9) == "exchanged"
    assert decided(0.9, 0.9, 0.8, 0.8) == "unclear"


@given(st.lists(st.text(max_size=40), max_size=6), st.text(max_size=200))
def test_any_text_is_read(facts: list[str], answer: str) -> None:
    for each in exchanges(facts, answer):
        assert len(each.pairs) == 4


_VALUES = ("3 pm", "11 am", "8 euros", "9 euros", "12 €", "5 kg", "7 kg", "20 days", "21 days", "100円", "200円", "5月")
_GAPS = (
    ". ",
    ".",
    "! ",
    "; ",
    ": ",
    " - ",
    " - - ",
    " – — - ",
    ", ",
    ",",
    "、",
    "。",
    "\n",
    " and ",
    "...\n",
    " -\n- ",
)
_MARKS = (r"[.!?](?=\s)|[。！？।؟\n]", r"[;:](?=\s)|[；：؛]|\s[–—-]\s", r"[,，](?=\s)|[、，،]")


def _parts(one: str, other: str, answer: str) -> tuple[str, str] | None:
    """Read two facts against an answer in the plainest way."""
    kinds = [
        (a, b)
        for a in number_values(one)
        for b in number_values(other)
        if a.same_kind(b) and not a.same(b) and not b.same(a)
    ]
    if len(kinds) != 1:
        return None
    places = [[each for each in number_values(answer) if wanted.same(each)] for wanted in kinds[0]]
    if any(len(each) != 1 for each in places):
        return None
    first, second = sorted((each[0] for each in places), key=lambda each: each.start)
    if first.end > second.start:
        return None
    for mark in map(re.compile, _MARKS):
        between = [each for each in mark.finditer(answer, first.end) if each.end() <= second.start]
        if between:
            break
    if len(between) != 1:
        return None
    ends = re.compile(_MARKS[0])
    begin = max((each.end() for each in ends.finditer(answer, 0, first.start)), default=0)
    end = min((each.end() for each in ends.finditer(answer, second.end)), default=len(answer))
    parts = answer[begin : between[0].start()].strip(), answer[between[0].end() : end].strip()
    return parts if places[0][0] is first else parts[::-1]


@given(
    st.lists(st.sampled_from(_VALUES), min_size=2, max_size=5),
    st.lists(st.lists(st.sampled_from(_GAPS), min_size=1, max_size=3).map("".join), min_size=6, max_size=6),
    st.randoms(use_true_random=False),
)
def test_pairs_and_parts_are_those_of_a_plain_reading(values: list[str], gaps: list[str], random: Random) -> None:
    facts = [f"fact {'abcde'[number]}: {value}" for number, value in enumerate(values)]
    random.shuffle(values)
    answer = gaps[0] + "".join(value + gap for value, gap in zip(values, gaps[1:], strict=False))
    plain = {pair: _parts(*pair, answer) for pair in combinations(facts, 2)}
    found = {each.facts: (each.pairs[0][0], each.pairs[1][0]) for each in exchanges(facts, answer)}
    assert found == {pair: parts for pair, parts in plain.items() if parts is not None}


def test_many_facts_and_a_long_answer_are_read_in_time() -> None:
    facts = [f"item{each} costs {each * 3 + 100} euros" for each in range(60)]
    answer = " ".join(f"the price of item{each} is {each * 3 + 100} euros here," for each in range(60))
    answer += " some filler text 8 days" * 3700
    number_values(answer)  # cached for all callers
    start = time.process_time()
    assert len(exchanges(facts, answer)) == 30
    assert time.process_time() - start < 2  # 12 seconds when every pair reads the answer again
