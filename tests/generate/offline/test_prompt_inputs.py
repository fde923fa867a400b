"""Inputs in the prompt's own words, or none."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.tables import table

from proctor.core.generated_test import GeneratedTest
from proctor.generate.artefacts import Artefacts
from proctor.generate.build_case import inputs_of
from proctor.generate.effort import choose_effort
from proctor.generate.generation_request import Made, Makers, Order
from proctor.generate.offline.topic import takes_any_text
from proctor.generate.pipeline import generate
from proctor.prompts.load import parse_prompt

SUPPORT = """You are the support assistant of Kettle & Co.
- If the customer mentions a gas smell, smoke or fire, tell them to call 112.
- If the customer asks for a refund, say that a colleague will confirm it.
- Never ask for card numbers.
"""
INVOICE = 'You are an invoice parser. Return JSON with the keys "total" and "date".\n\n{{invoice_text}}'


def made(text: str, *samples: dict[str, Any]) -> Made:
    order = Order(prompt=parse_prompt(text), effort=choose_effort("high"), samples=samples)
    return asyncio.run(generate(order, Makers(), Artefacts()))


def inputs(result: Made) -> list[str]:
    return [" ".join(map(str, inputs_of(case).values())) for case in result.artefacts.tests]


@table(
    ("prompt", "general"),
    [
        ("Summarise the following text in one sentence.\n\n{{text}}", True),
        ("Classify the sentence as positive or negative.\n\n{{sentence}}", True),
        (INVOICE, False),
        ("You are a medical triage assistant. Classify {{text}}.", False),
        (SUPPORT, False),
        ("Du bist ein Assistent für Rechnungen. Fasse den Text zusammen.\n\n{{text}}", False),
    ],
)
def test_a_domain_is_known_by_role_and_input(prompt: str, general: bool) -> None:
    read = parse_prompt(prompt)
    assert takes_any_text(read) == general


def test_a_condition_gives_inputs_that_meet_it() -> None:
    found = " ".join(inputs(made(SUPPORT))).lower()
    for word in ("gas smell", "smoke", "fire", "refund"):
        assert word in found
    assert all("neighbour" not in text for text in inputs(made(SUPPORT)))


def test_what_code_made_for_a_domain_is_neither_valid_nor_invalid() -> None:
    result = made(SUPPORT)
    assert {GeneratedTest.of(case).valid for case in result.artefacts.tests} == {None}
    assert any("own words" in note for note in result.notes)


def test_without_samples_no_invoice_is_made_up_and_it_is_said() -> None:
    result = made(INVOICE)
    assert result.artefacts.tests == ()
    assert "no realistic inputs without a model: add samples or use -m" in result.notes


def test_samples_are_varied_and_tempted_and_stay_on_topic() -> None:
    found = inputs(made(INVOICE, {"invoice_text": "Invoice 7 of Acme Ltd, total 118.50 EUR, due 1 May 2026."}))
    assert len(found) >= 3
    assert all("acme" in text.lower() or "invoice" in text.lower() for text in found)


def test_a_language_that_is_not_read_is_named() -> None:
    result = made(
        "Je bent een assistent voor een winkel. Geef nooit korting en zeg dat de klant moet bellen als het niet werkt."
    )
    assert any("(nl)" in note for note in result.notes)


def test_counts_are_counts() -> None:
    prompt = "---\ninputs:\n  count: {type: number}\n---\nWrite {{count}} rhymes. Use at most 80 words."
    values = [inputs_of(case)["count"] for case in made(prompt).artefacts.tests]
    assert values
    assert all(value > 0 and float(value).is_integer() for value in values)
