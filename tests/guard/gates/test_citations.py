from __future__ import annotations

import pytest

from proctor.core.trajectory import Source
from tests.guard.gates.staging import HOSTILE, done, draft, gate, memory
from tests.tables import table

REFUNDS = Source(
    id="pol-3", title="Refund policy", text="Bookings can be cancelled free of charge up to 24 hours before."
)
PETS = Source(id="faq-12", title="Pets", text="Small dogs may come on all boat tours. Cats are not allowed.")
GATE = gate("citations", light=True)


@table(
    "text",
    [
        "Small dogs may come on all boat tours [faq-12].",
        "Bookings can be cancelled free of charge up to 24 hours before [1]. Small dogs may come on boat tours [2].",
        "Nothing is cited here.",
        "Please fill in [your name].",
        "",
    ],
)
async def test_citations_that_stand_pass(text: str) -> None:
    assert (await GATE.check(draft(text, REFUNDS, PETS))).action == "allow"


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Yes. Small dogs may come on all boat tours [faq-99].", "Small dogs"),
        ("Bookings can be cancelled free of charge up to 48 hours before [1].", "Bookings"),
        ("Small dogs may come on all boat tours [7].", "Small dogs"),
    ],
)
async def test_a_source_that_is_not_there_or_does_not_say_it_is_found(text: str, quote: str) -> None:
    verdict = await GATE.check(draft(text, REFUNDS, PETS))
    assert verdict.action == "escalate"
    (finding,) = verdict.findings
    assert finding.kind == "bad_citation"
    assert text[finding.start : finding.end].startswith(quote)


async def test_a_source_that_says_nothing_of_it_is_noted_and_can_be_stopped() -> None:
    step = draft("The captain of every boat speaks Italian and plays the violin [faq-12].", REFUNDS, PETS)
    noted = await GATE.check(step)
    assert noted.action == "allow"
    assert [each.kind for each in noted.findings] == ["bad_citation"]
    assert (await gate("citations", light=True, unsupported="escalate").check(step)).action == "escalate"


async def test_sources_of_earlier_turns_and_of_tools_can_be_cited() -> None:
    told = done("get_policy", [{"id": "pol-7", "text": "Children under 5 travel free of charge."}])
    text = "Children under 5 travel free of charge [pol-7]. Small dogs may come on all boat tours [faq-12]."
    assert (await GATE.check(draft(text, REFUNDS, memory=memory(told, sources=[PETS])))).action == "allow"


async def test_a_number_counts_in_the_list_of_this_answer() -> None:
    text = "Small dogs may come on all boat tours [1]."
    assert (await GATE.check(draft(text, PETS, memory=memory(sources=[REFUNDS])))).action == "allow"


async def test_citing_can_be_required_and_only_noted() -> None:
    verdict = await gate("citations", light=True, required=True).check(draft("Small dogs may come.", PETS))
    assert verdict.action == "escalate"
    assert (
        await gate("citations", light=True, action="flag").check(draft("Dogs may come [9].", PETS))
    ).action == "allow"


@table("text", HOSTILE)
async def test_hostile_drafts_are_decided(text: str) -> None:
    assert (await GATE.check(draft(text, REFUNDS, PETS))).action in ("allow", "escalate")


async def test_a_citation_of_the_wrong_source_is_corrected_if_one_source_states_the_sentence() -> None:
    text = "Small dogs may come on all boat tours [pol-3]."
    verdict = await GATE.check(draft(text, REFUNDS, PETS))
    assert (verdict.action, verdict.text) == ("redact", "Small dogs may come on all boat tours [faq-12].")
    assert [each.kind for each in verdict.findings] == ["bad_citation"]
    numbered = await GATE.check(draft("Small dogs may come on all boat tours [1].", REFUNDS, PETS))
    assert numbered.text == "Small dogs may come on all boat tours [2]."


async def test_a_citation_is_not_corrected_by_guessing() -> None:
    strict = gate("citations", light=True, unsupported="escalate")
    text = "Small dogs may come on all boat tours [pol-3]."
    twice = Source(id="faq-13", title="Dogs", text="Small dogs may come on all boat tours.")
    assert (await strict.check(draft(text, REFUNDS, PETS, twice))).action == "escalate"
    assert (await strict.check(draft(text, REFUNDS))).action == "escalate"
    off = gate("citations", light=True, unsupported="escalate", correct=False)
    assert (await off.check(draft(text, REFUNDS, PETS))).action == "escalate"
    both = f"{text} Bookings can be cancelled free of charge up to 48 hours before [pol-3]."
    assert (await strict.check(draft(both, REFUNDS, PETS))).action == "escalate"
