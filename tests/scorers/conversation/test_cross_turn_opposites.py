"""Answers that contradict each other in languages other than English, by denial."""

from __future__ import annotations

import pytest

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.cross_turn_opposites import opposite_clauses
from proctor.scorers.conversation.cross_turn_statements import spoken
from tests.scorers.conversation.short_talks import call, talk

_CASE = Case(id="one", input="talk")


@pytest.mark.parametrize(
    "run",
    [
        talk(("¿puede?", "Sí, este envío se puede desviar a un punto de recogida."),
             ("ese", "Lo siento, este envío no admite desvío a un punto de recogida.")),
        talk(("dog?", "Yes, dogs are allowed in all our rooms."),
             ("ok", "Please note that dogs are not allowed in our rooms.")),
        talk(("можно?", "Да, этот билет можно вернуть до вылета."), ("как?", "Этот билет вернуть до вылета нельзя.")),
    ],
)  # fmt: skip
def test_a_denial_of_what_was_said_is_found(run: Trajectory) -> None:
    assert len(list(opposite_clauses(spoken(_CASE, run)))) == 1


@pytest.mark.parametrize(
    "run",
    [
        talk(("dog?", "Yes, dogs are allowed in our garden rooms."), ("cats?", "Cats are not allowed in the house.")),
        talk(("cancel?", "It is possible within 24 hours, if insured, or the airline cancelled the flight."),
             ("so?", "The airline has not cancelled the flight.")),
        talk(("¿puede?", "Sí, este envío se puede cambiar de día."),
             ("ya", call("change_day", {"id": 1}, {"ok": True}), "Este envío ya no se puede cambiar de día.")),
    ],
)  # fmt: skip
def test_another_thing_or_an_act_in_between_is_no_denial(run: Trajectory) -> None:
    assert not list(opposite_clauses(spoken(_CASE, run)))
