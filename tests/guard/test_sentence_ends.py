from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.guard.sentence_ends import MOST_HELD, before, complete, may_end
from tests.tables import table


@table(
    ("text", "whole"),
    [
        ("It is 3.", ""),
        ("It is 3.14 today. And", "It is 3.14 today. "),
        ("Ask Dr. Smith. Then", "Ask Dr. Smith. "),
        ("Is it? Yes! No", "Is it? Yes! "),
        ("はい。いいえ", "はい。"),
        ("はい。", ""),
        ("「はい。」と", "「はい。」"),
        ("One\n\nTwo", "One\n\n"),
        ("List:\n- one\n- two", "List:\n- one\n"),
        ("See example.com for", ""),
        ("He said “go.” Then", "He said “go.” "),
        ("1. First", ""),
    ],
)
def test_a_text_is_cut_after_its_last_whole_sentence(text: str, whole: str) -> None:
    assert text[: complete(text)] == whole


def test_more_sentences_can_be_held() -> None:
    text = "First one. Second one. Third"
    assert text[: complete(text, hold=2)] == "First one. "
    assert complete(text, hold=3) == 0


def test_a_text_without_sentences_is_cut_at_a_space_before_it_is_held_for_ever() -> None:
    text = "x = 1 " * MOST_HELD
    assert 0 < complete(text) <= len(text)
    assert text[complete(text) - 1] == " "


@given(st.text(alphabet="ab .!?\n。-1", max_size=200), st.integers(1, 3))
def test_what_was_complete_stays_complete_when_more_is_written(text: str, hold: int) -> None:
    assert complete(text, 0, hold) <= complete(text + " More words. And more.", 0, hold)
    assert 0 <= complete(text, 0, hold) <= len(text)


@given(st.text(alphabet="ab .!?\n。｡！؟।…-1)", max_size=60))
def test_no_sentence_ends_without_a_sign_that_it_may(text: str) -> None:
    assert may_end(text) or complete(text) == 0


def test_the_context_is_the_sentence_before() -> None:
    text = "One is here. Two is here. "
    assert text[before(text, len(text), 300) :] == "Two is here. "
    assert before(text, len(text), 5) == len(text) - 5
