"""Opening hours, prices and conditions that one answer states and another states otherwise, in several languages."""

from __future__ import annotations

import pytest

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.scorers.conversation.cross_turn_statements import spoken
from proctor.scorers.conversation.cross_turn_terms import changed_hours, changed_terms
from tests.scorers.conversation.short_talks import call, talk
from tests.scorers.safety.speaking import built
from tests.tables import table

_CASE = Case(id="one", input="talk")


@table(
    "run",
    [
        talk(("when?", "The Ghent desk closes at 6 pm on Saturdays."),
             ("late?", "The desk in Ghent stays open until 8 pm on Saturdays.")),
        talk(("ora?", "Il venerdì la sauna chiude alle 21:00."), ("ok", "Venerdì la sauna è aperta fino alle 22:30.")),
        talk(("abre?", "El taller Norte abre los domingos de 9:00 a 14:00."), ("ya", "Norte cierra los domingos.")),
        talk(("otwarte?", "W poniedziałki zamek jest otwarty od 10:00 do 16:00."),
             ("to przyjdę", "W poniedziałki zamek jest zamknięty.")),
    ],
)  # fmt: skip
def test_other_hours_for_the_same_day_are_found(run: Trajectory) -> None:
    assert len(list(changed_hours(spoken(_CASE, run)))) == 1


@table(
    "run",
    [
        talk(("when?", "The desk closes at 6 pm on Saturdays."), ("sun?", "On Sundays the desk closes at 4 pm.")),
        talk(("when?", "The desk opens at 9 am on Saturdays."), ("and?", "The desk closes at 6 pm on Saturdays.")),
        talk(("when?", "The desk closes at 6 pm on Saturdays."), ("so?", "On Saturdays the desk is open until 18:00.")),
        talk(("abre?", "El centro Norte abre los domingos de 9:00 a 14:00."),
             ("y Sur?", "El centro Sur cierra los domingos.")),
    ],
)  # fmt: skip
def test_another_day_place_or_end_of_the_hours_is_no_conflict(run: Trajectory) -> None:
    assert not list(changed_hours(spoken(_CASE, run)))


@table(
    "run",
    [
        talk(("payant ?", "Non, le vestiaire est gratuit."), ("ok", "Comptez 2 € par personne pour le vestiaire.")),
        talk(("fee?", "Your Blue fare can be changed for a fee of EUR 45."),
             ("so?", "The Blue fare has no change fee.")),
        talk(("kan dat?", "Langskomen kan alleen op afspraak."), ("oké", "U kunt zonder afspraak binnenlopen.")),
        talk(("можно?", "Приём только по записи."), ("ок", "Приходите завтра без записи.")),
    ],
)  # fmt: skip
def test_a_price_or_a_condition_that_is_dropped_is_found(run: Trajectory) -> None:
    assert len(list(changed_terms(spoken(_CASE, run)))) == 1


@pytest.mark.parametrize(
    "run",
    [
        talk(("payant ?", "Le vestiaire est gratuit."), ("et ?", "Le guide coûte 5 €; le vestiaire reste gratuit.")),
        talk(("fees?", "La livraison est gratuite."), ("vite ?", "La livraison express coûte 9 €.")),
        talk(("fee?", "Shirts are £12."), ("pick-up?", "Home pick-up is free of charge.")),
    ],
)  # fmt: skip
def test_the_price_of_another_thing_is_no_conflict(run: Trajectory) -> None:
    assert not list(changed_terms(spoken(_CASE, run)))


async def test_a_tool_that_speaks_of_the_thing_explains_another_price() -> None:
    first = ("payant ?", "Non, le vestiaire est gratuit.")
    said = "Comptez 2 € par personne pour le vestiaire."
    told = call("tarifs", {"jour": "samedi"}, {"vestiaire": 2})
    scorer = built(CrossTurn)
    assert (await scorer.score(_CASE, talk(first, ("samedi", said)))).value == 0.0
    assert (await scorer.score(_CASE, talk(first, ("samedi", told, said)))).value == 1.0


async def test_a_reading_of_the_network_alone_is_a_doubt_where_tools_were_called() -> None:
    one = "Refunds go back to your card, and never to a voucher."
    two = "The refund will be a voucher."
    plain = talk(("where?", one), ("so?", two))
    served = talk(("where?", call("get_order", {"id": "1"}, {"id": "1"}), one), ("so?", two))
    scorer = built(CrossTurn)
    if (await scorer.score(_CASE, plain)).value == 0.0:  # another network may not read it so
        score = await scorer.score(_CASE, served)
        assert score.value == 1.0
        assert "in doubt" in score.reason
