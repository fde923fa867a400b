"""What had to be said."""

import pytest

from proctor.scorers.conversation.statements import said_in, said_plainly
from tests.tables import table


@table(
    ("wanted", "text"),
    [
        ("1628", "The total is $1,628.00."),
        ("625.60", "You get **$625.6** back."),
        ("Black", "in black, size 2"),
        ("20 hours", "It lasts 20\nhours."),
    ],
)
def test_said(wanted: str, text: str) -> None:
    assert said_plainly(wanted, text)


@pytest.mark.parametrize(
    ("wanted", "text"), [("10", "You have 510 points."), ("327", "It costs $328."), ("camera", "")]
)
def test_not_said(wanted: str, text: str) -> None:
    assert not said_plainly(wanted, text)


def test_places() -> None:
    assert said_in(["7", "blue", "no"], ["It is blue", "and there are 7"]) == [1, 0, None]
