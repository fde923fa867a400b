from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from proctor.core.errors import MalformedError, ProctorError, TimedOutError
from proctor.core.trajectory import Source
from proctor.guard.gates.grounding import Grounding
from proctor.scorers.answer.grounded import Grounded
from tests.guard.gates.staging import HOSTILE, done, draft, gate, memory
from tests.tables import table

CANCEL = Source(
    id="cancellation",
    title="Cancelling a day tour",
    text="Day tours can be cancelled with a full refund up to 48 hours before the start. Later there is no refund.",
)
PETS = Source(id="pets", text="Small dogs may come on all boat tours. Cats are not allowed.")
JAPANESE = Source(id="jp", text="日帰りツアーは開始の48時間前まで無料でキャンセルできます。それ以降は返金できません。")
BOOKING = done(
    "get_booking",
    {"id": "LT-3", "customer": "C-1", "date": "2026-11-20", "time": "06:15", "status": "confirmed", "total_eur": 61.0},
)
GATE = gate("grounding")


@dataclass
class Unasked:
    """Networks that must not be asked: what comes here was not settled by rules."""

    error: Exception = field(default_factory=lambda: AssertionError("a network was asked"))

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        raise self.error

    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        raise self.error


def ruled(**settings: Any) -> Grounding:
    """The gate with networks that may not be asked."""
    return Grounding(grounded=Grounded(entailer=Unasked(), grounder=Unasked()), **settings)


@table(
    "text",
    [
        "Day tours can be cancelled with a full refund up to 48 hours before the start. [cancellation]",
        "Day tours can be cancelled with a full refund up to 48 hours before the start.\n\nIs there anything else?",
        "Thank you for asking! You can tell me more about your plans.",
        "I cannot find that in our records. You can ask me about our rules and about your booking.",
        "If you want me to look at the booking, please tell me its number.",
        "Cats are not allowed. [pets]",
        "Booking LT-3 is on 2026-11-20 at 06:15. Its status is confirmed.",
        "The total is 61.00 EUR.",
        "",
        "  \n ",
    ],
)
async def test_what_rules_settle_costs_no_network(text: str) -> None:
    verdict = await ruled().check(draft(text, CANCEL, PETS, memory=memory(BOOKING)))
    assert verdict.action == "allow"
    assert [each for each in verdict.findings if each.severity == "high"] == []


@pytest.mark.parametrize(
    "text",
    [
        "Day tours can be cancelled with a full refund up to 24 hours before the start.",
        "Sure! **Day tours** can be cancelled  with a full refund up to 72 hours before the start. [cancellation]",
        "Booking LT-3 costs 75.00 EUR in all.",
    ],
)
async def test_another_value_than_the_sources_goes_to_a_person_without_a_network(text: str) -> None:
    verdict = await ruled().check(draft(text, CANCEL, PETS, memory=memory(BOOKING)))
    assert verdict.action == "escalate"
    finding = verdict.findings[0]
    assert finding.kind == "contradicted_claim"
    assert finding.severity == "high"
    assert finding.start is not None
    assert finding.end is not None
    assert 0 <= finding.start < finding.end <= len(text)
    assert verdict.reason


@pytest.mark.parametrize("text", ["A refund takes 10 business days.", "The cancellation fee is 25 EUR."])
async def test_a_figure_that_nothing_confirms_is_noted_and_can_be_stopped(text: str) -> None:
    step = draft(text, CANCEL, PETS, memory=memory(BOOKING))
    noted = await ruled().check(step)
    assert noted.action == "allow"
    assert [each.kind for each in noted.findings] == ["unsupported_claim"]
    assert (await ruled(unsupported="escalate").check(step)).action == "escalate"


@table(
    ("right", "wrong", "source"),
    [
        (
            "Date changes cost 25 EUR per booking.",
            "Date changes are free of charge.",
            "Date changes: 25 EUR per booking, until 3 days before the start.",
        ),
        (
            "You can change the date until 3 days before.",
            "You can change the date until the day before.",
            "The date can be changed until 3 days before the start, for 25 EUR per booking.",
        ),
        (
            "A change of date costs 25 EUR per booking.",
            "A change of date costs 25 EUR per person.",
            "A change of date costs 25 EUR per booking.",
        ),
        ("Für fünf Tage sind es 55 €.", "Für fünf Tage sind es 99 €.", "Gebühr: 11 € pro Tag, höchstens 99 €."),
        ("Hay permanencia de un año.", "Hay permanencia de 18 meses.", "Permanencia de 12 meses."),
        ("Доставка занимает три-пять дней.", "Доставка занимает восемь дней.", "Доставка: 3–5 дней."),
        ("El total es de 24,80 €.", "El total es de 31,50 €.", "Total de envíos: 12,40 €, 9,40 € y recogida 3 €."),
        ("Bestellen bis Donnerstag.", "Bestellen bis Freitag.", "Bestellungen bis Donnerstag für Samstag."),
        (
            "The gate closes at 1:50 pm.",
            "The gate closes at 2:05 pm.",
            "Departure 14:10. The gate closes 20 minutes before.",
        ),
    ],
)
async def test_values_are_compared_in_other_words(right: str, wrong: str, source: str) -> None:
    told = Source(id="rule", text=source)
    light = gate("grounding", light=True)
    assert (await light.check(draft(right, told))).action == "allow"
    assert (await light.check(draft(wrong, told))).action == "escalate"


async def test_a_figure_of_the_customer_is_not_invented() -> None:
    step = draft(
        "The 18 GBP are the cost of a new copy.",
        Source(id="lost", text="Lost items cost the price of a new copy, 12 GBP at least."),
    )
    assert (await gate("grounding", light=True).check(step)).action == "escalate"
    step.memory.asked.append("Do I really owe 18 GBP?")
    assert (await gate("grounding", light=True).check(step)).action == "allow"


async def test_japanese_windows_are_read_by_rules_too() -> None:
    right = "日帰りツアーは開始の48時間前まで無料でキャンセルできます。"
    assert (await ruled().check(draft(right, JAPANESE))).action == "allow"
    assert (await ruled().check(draft(right.replace("48", "24"), JAPANESE))).action == "escalate"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("If you cancel at least 48 hours ahead, you get all of your money back.", "allow"),
        ("Your booking has been cancelled and the full price will be refunded to your card.", "escalate"),
        ("A refund is possible at any time, even after the tour has started.", "escalate"),
    ],
)
async def test_other_words_are_read_by_the_networks_that_ship(text: str, action: str) -> None:
    strict = gate("grounding", unsupported="escalate")
    assert (await strict.check(draft(text, CANCEL, PETS, memory=memory(BOOKING)))).action == action
    assert (await GATE.check(draft(text, CANCEL, PETS, memory=memory(BOOKING)))).action == "allow"


@table(
    ("right", "wrong"),
    [
        ("Your visit T-301 is on 3 December 2026 at 9:30 am.", "Your visit T-301 is on 3 December at 11:15."),
        ("You have 3 December 2026, 09:30 with Dr. Yilmaz.", "You have 3 December 2026, 11:15 with Dr. Yilmaz."),
        ("Ihr Termin ist am 3. Dezember 2026 um 9.30 Uhr.", "Ihr Termin ist am 3. Dezember 2026 um 11:15 Uhr."),
        ("Ihr Termin T-301 ist am 3. Dezember um 09:30 Uhr.", "Ihr Termin T-301 ist am 17. Dezember um 09:30 Uhr."),
        ("Ihr Termin T-301 ist am 3. Dezember.", "Ihr Termin T-301 ist am 17. Dezember."),
        ("Votre rendez-vous est le 3 décembre 2026 à 9h30.", "Votre rendez-vous est le 3 décembre 2026 à 11h15."),
        ("Randevunuz 3 Aralık 2026 saat 09:30.", "Randevunuz 17 Aralık 2026 saat 09:30."),
        ("Termín máte 3. prosince 2026 v 9:30.", "Termín máte 17. prosince 2026 v 9:30."),
        ("Din tid er 3. december 2026 kl. 9:30.", "Din tid er 3. december 2026 kl. 11:15."),
        ("ご予約は2026年12月3日9時30分です。", "ご予約は2026年12月17日9時30分です。"),
        ("Please come on 3 December at 09:15, 15 minutes before.", "Please come on 3 December at 10:20."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("source", ["", "Appointment T-301 is on 3 December 2026 at 09:30 with Dr. Yilmaz."])
async def test_a_right_value_hides_no_wrong_one(right: str, wrong: str, source: str) -> None:
    record = {
        "id": "T-301",
        "patient": "P-11",
        "when": "2026-12-03 09:30",
        "early": "15 minutes",
        "doctor": "Dr. Yilmaz",
    }
    calls = memory(done("find_appointment", [record], patient="P-11"))
    sources = [Source(id="s", text=source)] if source else []
    assert (await ruled().check(draft(right, *sources, memory=calls))).action == "allow"
    found = await ruled().check(draft(wrong, *sources, memory=calls))
    assert (found.action, found.findings[0].kind) == ("escalate", "contradicted_claim")


async def test_a_record_of_something_else_contradicts_nothing() -> None:
    other = memory(done("find_appointment", [{"id": "T-301", "when": "2026-12-03 09:30"}]))
    assert (await ruled().check(draft("Die Praxis öffnet um 8:15 Uhr.", memory=other))).action == "allow"


async def test_what_a_tool_did_may_be_told() -> None:
    did = done(
        "modify_booking", {"booking": "LT-3", "action": "cancel", "done": True}, booking_id="LT-3", action="cancel"
    )
    text = "Your booking LT-3 has been cancelled."
    assert (await ruled().check(draft(text, CANCEL, memory=memory(BOOKING, did)))).action == "allow"


async def test_the_caller_can_name_the_section() -> None:
    wrong = "Day tours can be cancelled with a full refund up to 24 hours before the start."
    assert (await ruled().check(draft(wrong, CANCEL, section="Booking terms"))).action == "escalate"
    # Another value than a source stops an answer in any section, unless the settings name the sections that count.
    assert (await ruled().check(draft(wrong, CANCEL, section="small talk"))).action == "escalate"
    verdict = await gate("grounding", critical=["policy", "price"]).check(draft(wrong, CANCEL, section="small talk"))
    assert verdict.action == "allow"
    assert verdict.findings[0].severity == "low"


REFUND = Source(id="refund", text="Refunds are paid within 5 days.")


@table(
    ("question", "source", "text"),
    [
        ("I read that it takes 3 days. Is that right?", REFUND.text, "Yes, refunds are paid within 3 days."),
        ("Is the trip 3 days?", "The trip takes 5 days.", "Yes, the trip takes 3 days."),
        ("In 3 Tagen?", "Rückgaben sind in 5 Tagen möglich.", "Ja, Rückgaben sind in 3 Tagen möglich."),
        ("返金は3日以内ですか?", "返金は5日以内に行われます。", "はい、返金は3日以内に行われます。"),
    ],
)
async def test_a_wrong_value_of_the_customer_is_no_source(question: str, source: str, text: str) -> None:
    step = draft(text, Source(id="rules", text=source), memory=memory(asked=[question]))
    verdict = await ruled().check(step)
    assert verdict.action == "escalate"
    assert "other value" in verdict.reason


@table(
    ("question", "source", "text"),
    [
        ("It takes three to five days?", "Delivery takes 3–5 days.", "Yes, delivery takes three to five days."),
        ("Is it 120 hours?", REFUND.text, "Yes, refunds are paid within 120 hours."),
        ("Is it 3 days?", REFUND.text, "No, refunds are paid within 5 days, not 3 days."),
        ("Is it 3 days?", REFUND.text, "Refunds are not paid within 3 days."),
        ("Mine has 20 kg.", "Bags up to 23 kg are free.", "Your bag of 20 kg is free."),
        ("My order is 60 EUR.", "Orders over 50 EUR ship free.", "Your order of 60 EUR ships free."),
        (
            "I leave in 3 days. Can I cancel?",
            CANCEL.text,
            "Day tours can be cancelled with a full refund 3 days ahead.",
        ),
        ("Standard is 3 days?", "Standard takes 3 days. Express takes 1.", "Standard takes 3 days."),
    ],
)
async def test_a_value_of_the_customer_that_fits_the_source_is_repeated(question: str, source: str, text: str) -> None:
    step = draft(text, Source(id="rules", text=source), memory=memory(asked=[question]))
    assert (await gate("grounding").check(step)).action == "allow"


async def test_sections_are_set_by_name() -> None:
    only_prices = gate("grounding", critical=["price"])
    wrong = "Day tours can be cancelled with a full refund up to 24 hours before the start."
    assert (await only_prices.check(draft(wrong, CANCEL))).action == "allow"
    priced = Source(id="price", text="A day tour costs 70 EUR.")
    assert (await only_prices.check(draft("A day tour costs 90 EUR.", priced))).action == "escalate"


@pytest.mark.parametrize(
    ("setting", "action", "noted"), [("flag", "allow", 1), ("escalate", "escalate", 1), ("block", "block", 1)]
)
async def test_without_any_source_the_setting_decides(setting: str, action: str, noted: int) -> None:
    verdict = await ruled(no_sources=setting).check(draft("The refund takes 5 working days. Bring good shoes."))
    assert verdict.action == action
    assert [each.kind for each in verdict.findings] == ["unsourced_claim"] * noted


async def test_what_is_known_needs_no_source() -> None:
    known = gate("grounding", known=["The refunds team decides within 5 working days."])
    text = "I cannot approve it myself: the refunds team decides within 5 working days."
    assert (await known.check(draft(text, memory=memory(BOOKING)))).action == "allow"
    assert (await ruled(unsupported="escalate").check(draft(text, memory=memory(BOOKING)))).action == "escalate"


async def test_sources_of_earlier_turns_still_count() -> None:
    text = "Day tours can be cancelled with a full refund up to 48 hours before the start."
    assert (await ruled().check(draft(text, PETS, memory=memory(sources=[CANCEL])))).action == "allow"


async def test_documents_in_tool_results_are_sources() -> None:
    read = done("get_policy", [{"id": "c", "title": "Cancelling", "text": CANCEL.text, "date": "2026-09-01"}])
    assert (await ruled().check(draft(CANCEL.text, memory=memory(read)))).action == "allow"


async def test_a_network_that_fails_is_the_gates_failure() -> None:
    broken = Unasked(error=TimedOutError("no answer in time"))
    checks = Grounding(grounded=Grounded(entailer=broken, grounder=broken))
    with pytest.raises(ProctorError, match="no answer in time"):
        await checks.check(draft("You may cancel whenever you like and get a refund.", CANCEL))


@pytest.mark.parametrize(("action", "decided"), [("flag", "allow"), ("block", "block")])
async def test_what_is_done_about_it_is_set(action: Any, decided: str) -> None:
    fee = Source(id="fee", text="The refund fee is 20 EUR.")
    verdict = await ruled(action=action).check(draft("The refund fee is 30 EUR.", fee))
    assert verdict.action == decided
    assert verdict.findings


@table("text", HOSTILE)
async def test_hostile_drafts_and_sources_are_decided(text: str) -> None:
    verdict = await gate("grounding", light=True).check(
        draft(text, Source(id="x", text=text), memory=memory(done("t", text)))
    )
    assert verdict.action in ("allow", "escalate")


async def test_a_draft_of_a_megabyte_is_read_at_its_beginning() -> None:
    long = "Day tours can be cancelled up to 24 hours before the start for 5 EUR. " * 15_000
    assert (await ruled().check(draft(long, CANCEL))).action == "escalate"


async def test_what_is_too_long_to_be_read_does_not_pass() -> None:
    long = "The guide speaks English. " * 100
    verdict = await ruled().check(draft(long, CANCEL))
    assert (verdict.action, verdict.findings[-1].kind) == ("escalate", "unread")
    assert (await ruled(long="flag").check(draft(long, CANCEL))).action == "allow"


@pytest.mark.parametrize("settings", [{"doubt": 1.5}, {"critical": 5}, {"nonsense": 1}])
def test_wrong_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises((ValueError, MalformedError)):
        gate("grounding", **settings)


async def test_noise_is_held_against_nothing_and_told() -> None:
    noise = "(48+9-6.2+816- 0151)++)-1)056(-88214+9." * 8
    verdict = await ruled().check(draft(noise, CANCEL))
    assert verdict.action == "escalate"
    assert [each.kind for each in verdict.findings] == ["unread"]
    assert (await ruled(long="flag").check(draft(noise, CANCEL))).action == "allow"


async def test_a_sentence_without_an_end_is_not_held_against_anything_and_does_not_pass() -> None:
    text = "A refund " + "of the fare and the fee and the seat " * 12 + "is paid"
    verdict = await ruled().check(draft(text, CANCEL))
    assert (verdict.action, verdict.findings[0].kind) == ("escalate", "unread")
    assert (await ruled(long="flag").check(draft(text, CANCEL))).action == "allow"
