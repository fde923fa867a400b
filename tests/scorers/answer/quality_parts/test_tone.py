from __future__ import annotations

from proctor.scorers.answer.quality_parts.tone import score_tone
from tests.tables import table

POLITE = [
    "Hell's Paradise and Hell Baby are both on the shelf, and so is The Idiot.",
    "It follows a stupid but lovable girl who dreams of becoming a chef.",
    "We have ONE PIECE, NANA, AKIRA and MONSTER.",
    "You should have received an e-mail with the code by now.",
    "Take whatever you like; every volume of Dumb and Dumber is on that shelf.",
    "VAIO and ASUS both make it; the LG GRAM has an OLED panel.",
]
RUDE = [
    "You are stupid.",
    "What a stupid question.",
    "What the hell do you want?",
    "That is your own fault. You should have read the terms.",
    "YOU CAN NOT RETURN THE BOOK NOW AND WE ARE CLOSED",
]


@table("text", POLITE)
def test_titles_and_characters_are_neither_rude_nor_shouted(text: str) -> None:
    assert score_tone(text, ()).value == 1.0


@table("text", RUDE)
def test_what_is_said_of_the_customer_is(text: str) -> None:
    assert (score_tone(text, ()).value or 0) <= 0.6


def test_traits_of_a_shop() -> None:
    steps = "First open your basket, then choose a card, and finally press Pay. You can do it in a minute!"
    assert score_tone(steps, ("helpful", "stepwise", "encouraging")).value == 1.0
    assert (score_tone("Maybe it is so, I think.", ("authoritative",)).value or 0) < 0.85
    assert (score_tone("As I already said, it is late.", ("patient",)).value or 0) < 0.75
    long = "The book is good and it is here. " * 30
    assert (score_tone(long, ("concise",)).value or 0) < 1.0
    assert score_tone(long[:300], ("concise",)).value == 1.0
