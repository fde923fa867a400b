"""Whether a customer agrees: said in many ways, to a question or to what was laid before them."""

from __future__ import annotations

from tests.tables import table

from proctor.text.assent import agrees, asks

ASKED = "I will cancel booking 7 and refund $40. Shall I proceed?"


@table(
    "text",
    [
        "Yes",
        "yes please",
        "Um, yes… please do it.",
        "Oh great, go ahead!",
        "No longer needed. Yes, please cancel it.",
        "Use the gift card.\n\nYes — proceed with it.",
        "That's correct, thank you.",
        "Sounds good",
        "Sure!",
        "Fine, just cancel it then.",
        "I confirm.",
        "Are you serious? Fine, just refund it.",
        "The options look good! I'll proceed with the lamp.",
        "はい、お願いします",
        "Sí, adelante",
    ],
)
def test_these_agree(text: str) -> None:
    assert agrees(text, ASKED)


@table(
    "text",
    [
        "No",
        "No, wait.",
        "Please don't proceed.",
        "Before we proceed, is there a fee?",
        "Why is it $40?",
        "I want to keep the booking.",
        "My number is 7.",
        "Not yet",
        "Sure, my name is Ann Lee.",
    ],
)
def test_these_do_not(text: str) -> None:
    assert not agrees(text, ASKED)


def test_mere_politeness_agrees_to_a_question_only() -> None:
    assert not agrees("Great, thanks", "It leaves at noon.")
    assert agrees("Great, thanks", "It leaves at noon. Is that all right?")


def test_nothing_is_agreed_to_before_the_agent_has_spoken() -> None:
    assert not agrees("Yes, please cancel my booking", "")


def test_an_order_is_no_agreement_to_an_open_question() -> None:
    assert not agrees("Please cancel my other booking", "How can I help you?")


@table("text", ["Which one?", "Please confirm the date.", "Reply with 'yes' to go on", "よろしいですか"])
def test_these_ask(text: str) -> None:
    assert asks(text)


def test_a_statement_asks_nothing() -> None:
    assert not asks("Your booking is cancelled.")
