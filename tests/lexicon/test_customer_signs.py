from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.lexicon.customer_signs import asks_for_person, displeased, lacks_knowledge, needs_judgement, unsure


@table(
    "text",
    [
        "I want to speak to a human",
        "Can you transfer me to one of your agents? To a real person I mean.",
        "get me your supervisor... I'd like a manager",
        "agent please",
        "Is there a supervisor I can speak to?",
        "I don't want to talk to a bot",
        "could you please escalate this",
        "please connect me with someone who can help",
        "I would appreciate being transferred to a human agent",
        "オペレーターと話したいです",
        "quiero hablar con una persona",
        "Ich möchte mit einem Mitarbeiter sprechen",
        "转人工",
    ],
)
def test_a_request_for_a_person(text: str) -> None:
    assert asks_for_person(text) is not None


@table(
    "text",
    [
        "I already spoke to an agent who approved my refund",
        "I don't need to talk to a person, just tell me the price",
        "Is the tour for one person or two?",
        "Which travel agent sells your tours?",
        "Please transfer me the money",
        "Two people are coming with me",
        "担当者の名前を教えてください",
    ],
)
def test_no_request_for_a_person(text: str) -> None:
    assert asks_for_person(text) is None


@table(
    "text",
    [
        "This is ridiculous, I am furious!!",
        "You are not listening. For the third time: where is the guide?",
        "I AM STILL WAITING FOR YOUR ANSWER",
        "worst service ever",
        "I have been on hold for over 2 hours",
        "いい加減にしてください",
        "😡",
    ],
)
def test_displeasure(text: str) -> None:
    assert displeased(text) is not None


@table(
    "text",
    [
        "What is the worst-case price?",
        "I'm not upset, just asking",
        "We fly JFK LAX SFO on Monday",
        "THANK YOU SO MUCH YOU ARE GREAT",
        "Could you move my tour to Friday?",
        "I hate to bother you again",
    ],
)
def test_no_displeasure(text: str) -> None:
    assert displeased(text) is None


def test_several_words_say_it_more_plainly() -> None:
    mild, plain = displeased("This is annoying."), displeased("This is annoying, useless and ridiculous!!")
    assert mild is not None
    assert plain is not None
    assert mild.strength < plain.strength <= 0.9


def test_what_agents_say() -> None:
    assert lacks_knowledge("I'm sorry, I couldn't find any information about that.")
    assert lacks_knowledge("nothing found for: dogs")
    assert lacks_knowledge("I found your booking and moved it.") is None
    assert unsure("confidence 0.41 is below the threshold")
    assert unsure("I am sure it is at nine.") is None
    assert needs_judgement("The case requires manager approval.")
    assert needs_judgement("Not eligible for a refund based on policy")
    assert needs_judgement("The tour begins at nine.") is None


@given(st.text(max_size=300))
def test_any_text_is_read_and_quotes_are_from_it(text: str) -> None:
    for read in (asks_for_person, lacks_knowledge, needs_judgement, unsure):
        sign = read(text)
        assert sign is None or (sign.quote in text and 0 < sign.strength <= 1)
    sign = displeased(text)
    assert sign is None or 0 < sign.strength <= 0.9
