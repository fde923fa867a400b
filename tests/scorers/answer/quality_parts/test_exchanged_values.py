from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.scorers.answer.quality_parts.exchanged_values import ValueExchange, exchanges
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
