"""Conversations that end while the customer's matter is open, whatever the words."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.scorers.conversation.dead_ends import closed_open_request
from tests.tables import table

LOOKUP = ToolCall(name="get_booking", arguments={"ref": "T-1"}, result={"seats": ["F11"], "when": "19:30"})
RULES = Source(
    id="tickets",
    text="Tickets are not refunded. Exchanges until 24 hours before. The box office offers returned seats for resale.",
)
FIRST = ("refund for T-1?", "I see seat F11 for 19:30. Tickets can't be refunded.")


def _run(*said: tuple[str, str], last: Sequence[ToolCall] = ()) -> Trajectory:
    turns = [
        Turn(messages=(Message(role="user", content=asked), Message(role="assistant", content=answer)))
        for asked, answer in said
    ]
    turns[0] = Turn(messages=turns[0].messages, tool_calls=(LOOKUP,), sources=(RULES,))
    turns[-1] = Turn(messages=turns[-1].messages, tool_calls=tuple(last), sources=turns[-1].sources)
    return Trajectory(turns=tuple(turns))


def _closed(run: Trajectory) -> list[int | None]:
    return [one.turn for one in closed_open_request(run, {})]


@table(
    ("answer", "later"),
    [
        ("As I said, it isn't possible to refund it. There is nothing more to be done.", ()),
        ("That's how it is, the decision stands. Have a lovely evening!", (("oh...", "Thanks for getting in touch."),)),
        ("Beslutet ligger tyvärr fast, mer än så har jag inte att komma med.", ()),
    ],
)
def test_an_answer_that_brings_nothing_new_is_a_dead_end(answer: str, later: tuple[tuple[str, str], ...]) -> None:
    assert _closed(_run(FIRST, ("so what can i do?", answer), *later)) == [1]


@table(
    "answer",
    [
        "The box office can put your seat up for resale.",
        "No, that is not possible.",
        "Ask again from 9:15 on.",
        "Shall I look for another evening?",
        "I'll pass you on to a colleague of ours.",
    ],
)
def test_words_of_a_source_a_figure_a_no_a_question_or_a_person_are_an_answer(answer: str) -> None:
    assert _closed(_run(FIRST, ("so what can i do?", answer))) == []


def test_a_customer_who_is_content_leaves_nothing_open() -> None:
    assert _closed(_run(FIRST, ("so what can i do?", "That's how it is."), ("ok, thank you!", "You're welcome."))) == []
