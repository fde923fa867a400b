from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.content_words import negated
from proctor.text.paraphrase import keeps_meaning, paraphrases


@table(
    ("asked", "expected"),
    [
        ("How late can I cancel my tour?", "Could you tell me how late I can cancel my tour?"),
        ("Can I bring my dog?", "Is it possible for me to bring my dog?"),
        ("When does the ferry leave on Monday?", "Could you tell me when the ferry leaves on Monday?"),
        ("How much does the day tour cost?", "What is the price of the day tour?"),
        ("Does the day tour include lunch?", "I'd like to know whether the day tour includes lunch."),
        ("Hi, where's the meeting point?", "Could you tell me where the meeting point is?"),
        ("Can I change booking W12345?", "Is it possible for me to change reservation W12345?"),
        ("キャンセルできますか？", "キャンセルすることは可能でしょうか？"),
    ],
)
def test_a_question_is_put_in_other_words(asked: str, expected: str) -> None:
    assert expected in paraphrases(asked)


def test_what_stands_before_the_question_is_kept() -> None:
    made = paraphrases("I booked two seats for Anna. Can I change the date?")
    assert made
    assert all(each.startswith("I booked two seats for Anna. ") for each in made)


def test_nothing_is_made_of_nothing() -> None:
    assert paraphrases("") == []
    assert paraphrases("x" * 5_000) == []
    assert paraphrases("Thanks, bye.") == []


@table(
    "other",
    [
        "Could I cancel 3 days before?",
        "Can I cancel within days before?",
        "Can't I cancel 2 days before?",
        "Can I cancel 2 days after?",
        "Can I cancel W77 2 days before?",
        "Can I meet Anna and cancel 2 days before?",
        "",
    ],
)
def test_another_number_name_code_limit_or_denial_is_another_question(other: str) -> None:
    assert not keeps_meaning("Can I cancel 2 days before?", other)


def test_other_words_for_the_same_are_kept() -> None:
    assert keeps_meaning("Can I cancel 2 days before?", "Is it possible to call it off two days before?")


@given(st.text(max_size=200))
def test_any_text_gives_other_texts_that_keep_its_figures_and_denial(text: str) -> None:
    for made in paraphrases(text):
        assert made != text
        assert negated(made) == negated(text)
        assert keeps_meaning(text.strip(), made)


@given(
    st.sampled_from(["Can I", "How long can I", "Do I have to", "How do I"]),
    st.sampled_from(["cancel", "keep", "change"]),
    st.integers(1, 9_999),
)
def test_the_number_is_in_every_wording(begin: str, verb: str, number: int) -> None:
    made = paraphrases(f"{begin} {verb} order {number}?")
    assert made
    assert all(str(number) in each for each in made)
