"""Questions and lookups that come round again although the customer has answered; requests that are left open."""

from __future__ import annotations

import pytest

from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.dead_ends import closed_open_request
from proctor.scorers.conversation.repeated_asks import given_again, looked_up_again
from tests.scorers.conversation.short_talks import call, talk
from tests.tables import table

_TRACK = call("track", {"id": "9"}, {"status": "AT_DEPOT"})


def test_a_value_that_has_to_be_given_again_is_a_loop() -> None:
    run = talk(
        ("no internet", "Please tell me your customer number."),
        ("40718826", "Could you please give me your customer number?"),
        ("I just did. 40718826!!", "May I have your customer number?"),
    )
    assert [each.turn for each in given_again(run)] == [1]


def test_a_question_that_comes_back_after_another_one_is_a_loop() -> None:
    run = talk(
        ("my reading", "What is your customer number?"),
        ("440-118", "Thank you. And the new reading?"),
        ("12093", "Could you tell me your customer number?"),
        ("440-118, I just said that", "Please tell me your customer number."),
    )
    assert [each.turn for each in given_again(run)] == [2]


def test_everyday_words_are_no_value_that_is_given_again() -> None:
    run = talk(
        ("exchange my jacket", "Shall I exchange the jacket in order 17?"),
        ("Yes please, thank you", "The jacket in order 17 will be exchanged. Shall I exchange it now?"),
        ("Please go ahead, thank you", "Done."),
    )
    assert not list(given_again(run))


def test_a_value_that_was_used_is_no_loop() -> None:
    run = talk(
        ("no internet", "Please tell me your customer number."),
        ("4071893", call("get_line", {"customer": "4071893"}, error="8 digits"), "Please check your customer number."),
        ("4071893 it says", "It has to have eight digits."),
    )
    assert not list(given_again(run))


def test_the_same_lookup_in_three_turns_is_a_loop() -> None:
    run = talk(("where?", _TRACK, "Hagen."), ("and now?", _TRACK, "In Hagen."), ("well?", _TRACK, "Still Hagen."))
    assert [each.turn for each in looked_up_again(run)] == [1]
    moved = call("track", {"id": "9"}, {"status": "OUT"})
    run = talk(("where?", _TRACK, "Hagen."), ("and now?", moved, "On its way."), ("well?", _TRACK, "Hagen."))
    assert not list(looked_up_again(run))


@table(
    "run",
    [
        talk(("change my invoice", "I see."), ("so can you?", "Thanks for contacting us! This chat is now closed.")),
        talk(("zamów książkę", "Dziękuję."), ("to zamówione?", "Zamykam rozmowę, miłego dnia!")),
        talk(
            ("vorrei la riparazione", "Mi dispiace, non posso aiutarla. Arrivederci."),
        ),
        talk(
            ("refund me?", "Thank you for your patience."),
        ),
    ],
)
def test_a_request_that_is_closed_open_is_a_dead_end(run: Trajectory) -> None:
    assert [each.turn for each in closed_open_request(run, {})] == [len(run.turns) - 1]


@table(
    "run",
    [
        talk(("cancel 5", call("cancel_order", {"id": 5}, {"ok": True}), "Done."), ("super", "Have a nice day!")),
        talk(("what is the price?", "It is 5 EUR."), ("perfect", "Have a nice day!")),
        talk(
            ("help", "I cannot help you with that. A colleague will call you."),
        ),
        talk(
            ("no grazie", "Va bene, buona giornata!"),
        ),
    ],
)
def test_a_request_that_was_met_is_none(run: Trajectory) -> None:
    assert not list(closed_open_request(run, {}))


@pytest.mark.parametrize(
    ("run", "turn"),
    [
        (talk(("oi", "Qual é o e-mail do seu cadastro?"), ("duda91@correio.example", "E aparece algum erro?"),
              ("sim", "Me informe por favor o e-mail do seu cadastro."), ("duda91@correio.example", "Certo!")), 2),
        (talk(("cita", "¿Cuál es su DNI?"), ("12345678Z", "¿Me puede decir su DNI, por favor?"),
              ("12345678Z", "Un momento.")), 1),
        (talk(("a charge", "Could you give me the last four digits of the card?"),
              ("6631", "Please tell me the last four digits."), ("I just did. six six three one.", "Thanks.")), 1),
    ],
)  # fmt: skip
def test_a_request_in_other_words_or_a_value_spelled_out_is_the_same(run: Trajectory, turn: int) -> None:
    assert [each.turn for each in given_again(run)] == [turn]


def test_a_remark_on_an_honest_refusal_leaves_nothing_open() -> None:
    run = talk(
        ("18:00'e kadar gelir mi?", "Maalesef kesin bir saat söyleyemem."),
        ("en azından açık konuştunuz", "Teşekkür ederim, iyi günler."),
    )
    assert not list(closed_open_request(run, {}))


_RULE = ("Permits are issued by the town of birth, free of charge, online or by post.",)


@pytest.mark.parametrize(
    "last",
    [
        ("so what do I do now?", "I see, that is unpleasant. All the best!"),
        ("und was mache ich jetzt?", "Verstehe, das ist ärgerlich. Alles Liebe!"),
        ("so can I get it?", "That is not something I can say."),  # a refusal without a reason or a way out
    ],
)
def test_a_question_that_is_passed_over_is_a_dead_end(last: tuple[str, str]) -> None:
    run = talk(("I need a permit", "Where were you born?"), ("in Nantes", "I see."), last, sources=_RULE)
    assert [each.turn for each in closed_open_request(run, {})] == [2]


@table(
    "answer",
    [
        "You get it online or by post from the town of birth.",
        "Yes, of course.",
        "Please call 0800 123.",
        "Shall I look it up?",
    ],
)
def test_an_answer_is_no_dead_end(answer: str) -> None:
    run = talk(("I need a permit", "Where were you born?"), ("in Nantes, can I get it?", answer), sources=_RULE)
    assert list(closed_open_request(run, {})) == []


def test_a_very_long_word_without_a_digit_comes_to_an_end() -> None:
    word = "a" * 400_000  # minutes, where each letter begins a search to the end
    assert not list(given_again(talk((word, "Which number?"), (word, "Which number?"))))
