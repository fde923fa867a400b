from __future__ import annotations

from proctor.scorers.answer.quality_parts.prior_turns import AnsweredTurn, SpokenLine
from proctor.scorers.answer.quality_parts.reference import resolve
from tests.tables import table

LIST = "1. **Chainsaw Man** — dark\n2. **Spy×Family** — warm\n3. **Jujutsu Kaisen** — loud"


def exchange(asked: str, answer: str, *before: str) -> AnsweredTurn:
    lines = tuple(SpokenLine(role="assistant", text=text, turn=index) for index, text in enumerate(before or (LIST,)))
    return AnsweredTurn(turn=len(lines), asked=asked, answer=answer, before=lines)


@table(
    ("answer", "value"),
    [
        ("Spy×Family is about a spy.", 1.0),
        ("SPY x FAMILY is warm, unlike Chainsaw Man.", 1.0),
        ("Chainsaw Man is dark. Chainsaw Man is loud, too, and Spy×Family is not.", 0.4),
        ("Which one do you mean?", 0.2),
        ("You will like **Vinland Saga**.", 0.2),
        ("Jujutsu Kaisen is loud.", 0.0),
    ],
)
def test_the_answer_is_about_what_was_pointed_at(answer: str, value: float) -> None:
    found = resolve(exchange("Tell me about the second one.", answer))
    assert found is not None
    assert found.value == value
    assert "Spy×Family" in found.reason
    assert (found.evidence == ()) == (value == 1.0)


@table(
    ("asked", "answer", "before"),
    [
        ("Tell me more.", "Jujutsu Kaisen is loud.", LIST),
        ("The second one, please.", "It is about a spy.", LIST),
        ("The second one, please.", "Chainsaw Man", "We are open."),
        ("The fifth one, please.", "Chainsaw Man", LIST),
        ("The second one, please.", " ", LIST),
    ],
)
def test_nothing_is_said_where_nothing_can_be_told(asked: str, answer: str, before: str) -> None:
    assert resolve(exchange(asked, answer, before)) is None


def test_the_list_that_the_answer_speaks_of_is_meant() -> None:
    details = "Its themes:\n- bold lines\n- cursed energy"
    found = resolve(exchange("And the second one?", "Spy×Family is about a spy.", LIST, details))
    assert found is not None
    assert found.value == 1.0
