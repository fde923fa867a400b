"""Figures of an answer follow from what tools, sources and the customer said."""

from __future__ import annotations

import pytest

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.turn_facts import TurnFacts
from tests.scorers.conversation.short_talks import call, talk
from tests.tables import table

_CASE = Case(id="one", input="talk")
_RULES = "Returns: 30 days from delivery, also if opened. Cats are not accepted in the cabin. The label costs 6.90 EUR."
_BOOKING = call("get_booking", {"ref": "HB-1"}, {"ref": "HB-1", "fee_hours": 72, "total": 264.0, "seat": "14C"})


@table(
    "run",
    [
        talk(("fee?", _BOOKING, "It costs 25 EUR.")),
        talk(("fee?", _BOOKING, "It costs 25 EUR."), ("thanks",)),
        talk(("repairs?", "Any repair up to 300 euros is refunded without approval."), sources=(_RULES,)),
    ],
)  # fmt: skip
async def test_what_nothing_gave_fails_at_its_turn(run: Trajectory) -> None:
    score = await TurnFacts().score(_CASE, run)
    assert score.value == 0.0, score.reason
    assert score.evidence[0].turn == 0


@table(
    "run",
    [
        talk(("Kann ich absagen?", _BOOKING, "Ja, bis 72 Stunden vorher.")),
        talk(("when?", call("today", {}, {"date": "2024-05-19"}), "Today is 2024-05-19, so tomorrow is 2024-05-20.")),
        talk(("swap?", call("prices", {}, {"old": 40, "new": 40}), "Price difference: $0 (no additional charge)")),
        talk(("hours?", "It is not 300 euros, it is free."), sources=("It is free.",)),
        talk(("cost for two?", call("price", {}, {"per_night": 18, "currency": "EUR"}), "€18, so €36 for two nights.")),
        talk(("et 15 % ?", "Vous avez 30 jours, et l'étiquette coûte 6,90 €."), sources=(_RULES,)),
        talk(("when?", call("track", {}, {"at": "2025-11-04T13:22"}), "Gisteren om 13.22 uur gebracht.")),
        talk(("改期", call("get", {}, {"in": "2025-07-12", "out": "2025-07-14"}), "7月12日到14日。")),
        talk(("price?", call("shop", {}, [{"price": 10.5}, {"price": 20.0}]), "You paid $30.50 in total.")),
        talk(("refund?", _BOOKING, "The money arrives within 5 to 7 business days.")),  # may stand in the instructions
    ],
)
async def test_what_follows_passes(run: Trajectory) -> None:
    score = await TurnFacts().score(_CASE, run)
    assert score.value == 1.0, score.reason


async def test_a_period_counts_only_where_a_source_has_another_one() -> None:
    run = talk(("delivery?", "Delivery takes 3 days."), sources=("Delivery takes 9 days.",))
    assert (await TurnFacts().score(_CASE, run)).evidence[0].check == "period_conflict"
    assert (await TurnFacts().score(_CASE, talk(("où ?", "Vous avez 14 jours."), sources=(_RULES,)))).value == 1.0


async def test_without_anything_read_there_is_nothing_to_compare() -> None:
    assert (await TurnFacts().score(_CASE, talk(("hi", "It costs 25 EUR.")))).status == "skipped"


async def test_instructions_are_a_source() -> None:
    told = "Refunds take 5 to 7 business days."
    assert (await TurnFacts().score(_CASE, talk(("when?", "In 5-7 business days."), system=told))).value == 1.0
    assert (await TurnFacts().score(_CASE, talk(("when?", "In 10 business days."), system=told))).value == 0.0


@table(
    "run",
    [
        talk(("wann?", "Montag bis Samstag von 7 bis 20 Uhr."), sources=("Telefon: Mo–Sa 7–20 Uhr.",)),
        talk(("ready?", call("get", {"id": "RX-6"}, {"qty": "28st", "hold_until": "2025-11-21"}), "Until the 21st.")),
        talk(("I leave on 20 August 2025", call("get", {"id": "A-7"}, {"end_date": "2025-09-30"}),
              "20 August is 41 days before your end date.")),
        talk(("combien ?", "Quatre semaines, renouvelables une fois, donc huit semaines."),
             sources=("Prêt : 4 semaines, renouvelable une fois.",)),
        talk(("balance?", call("get", {"id": "A-7"}, {"balance": -18.42}), "You are £18.42 in credit.")),
    ],
)  # fmt: skip
async def test_ranges_of_days_ordinals_and_computed_periods_are_known(run: Trajectory) -> None:
    assert (await TurnFacts().score(_CASE, run)).value == 1.0


_HOURS = "Kurs: Mo und Mi 19:00 Uhr. Menù 88 € sab, dom; 79 € lun–ven. A night 19 €, a pet 3 €. Export: 90 days."


@table(
    "run",
    [
        talk(("quando?", "Costa 88 € di sabato e la domenica."), sources=(_HOURS,)),
        talk(("3 nuits, un chat", "Pour trois nuits, cela fait 66 €."), sources=(_HOURS,)),
        talk(("export?", "You have about three months (90 days)."), sources=(_HOURS,)),
        talk(("iki saat?", "Hafta içi iki saat 8.200 TL."), sources=("2 saat 9.500 TL (hafta içi 8.200 TL).",)),
    ],
)  # fmt: skip
async def test_rounded_months_and_totals_follow(run: Trajectory) -> None:
    score = await TurnFacts().score(_CASE, run)
    assert score.value == 1.0, score.reason


@pytest.mark.parametrize(
    ("run", "check"),
    [
        (talk(("wann?", "Am 5. April 2025."), sources=("Kurs: ab 3. März 2025.",)), "date"),
        (talk(("prix?", "Pour trois nuits, cela fait 71 €."), sources=("La nuit 19 €, un animal 3 €.",)), "amount"),
    ],
)  # fmt: skip
async def test_a_finding_names_its_check(run: Trajectory, check: str) -> None:
    score = await TurnFacts().score(_CASE, run)
    assert score.value == 0.0
    assert score.evidence[0].check.removesuffix("_conflict") == check
