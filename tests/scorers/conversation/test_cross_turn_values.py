"""Answers that contradict each other in languages other than English, by denial and by figures."""

from __future__ import annotations

import pytest

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.cross_turn_opposites import opposite_clauses
from proctor.scorers.conversation.cross_turn_statements import spoken
from proctor.scorers.conversation.cross_turn_values import changed_values, swapped_values
from proctor.wiring.local_models import local_model
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


def test_a_figure_of_another_thing_is_found() -> None:
    run = talk(
        ("Umbuchung?", "Die Umbuchung kostet 30 EUR."),
        ("Storno?", "Stornieren kostet 60 EUR."),
        ("also?", "Für die Umbuchung fallen 60 EUR an."),
    )
    assert len(list(swapped_values(spoken(_CASE, run)))) == 1
    run = talk(
        ("Umbuchung?", "Die Umbuchung kostet 30 EUR."),
        ("Storno?", "Stornieren kostet 60 EUR."),
        ("also?", "Für die Umbuchung fallen 30 EUR an."),
    )
    assert not list(swapped_values(spoken(_CASE, run)))


@pytest.mark.parametrize(
    "run",
    [
        talk(("offen?", "Freitags haben wir bis 13 Uhr geöffnet."),
             ("und 16 Uhr?", "Ja, am Freitag sind wir bis 17 Uhr für Sie da.")),
        talk(("age?", "Children from 3 years on are welcome on the boat tour."),
             ("4?", "Sorry, the boat tour is only for children from 8 years on.")),
        talk(("płatny?", "Parking przy teatrze jest bezpłatny dla widzów."),
             ("ok", "Parking przy teatrze kosztuje 15 zł za wieczór.")),
        talk(("notice?", "The notice period is 3 months."), ("sure?", "The notice period is 6 months.")),
    ],
)  # fmt: skip
async def test_another_time_in_the_same_statement_is_found(run: Trajectory) -> None:
    found = await changed_values(spoken(_CASE, run), local_model("embedder"))
    assert [(pair.earlier.turn, pair.later.turn) for pair, _ in found] == [(0, 1)]


@pytest.mark.parametrize(
    "run",
    [
        talk(("auf?", "Freitags öffnen wir um 8 Uhr."), ("und zu?", "Freitags schließen wir um 13 Uhr.")),
        talk(("pool?", "On Friday the pool opens at 8 am."), ("sauna?", "On Friday the sauna opens at 10 am.")),
        talk(("last?", "The last bus leaves at 23:40."),
             ("now?", call("bus", {}, {"last": "22:30"}), "The last bus leaves at 22:30.")),
    ],
)  # fmt: skip
async def test_another_thing_or_a_new_lookup_is_no_other_time(run: Trajectory) -> None:
    assert not await changed_values(spoken(_CASE, run), local_model("embedder"))
