"""Whether a sentence includes something in a price or charges it on top, in several languages."""

from __future__ import annotations

import pytest
from tests.tables import table

from proctor.text.charges import is_charged_extra, is_part_of_price


@table(
    "text",
    [
        "Breakfast is included.",
        "Dogs are welcome, no extra charge.",
        "No need, fuel is part of the price.",
        "Leihschuhe sind in den 29 € enthalten.",
        "Pierwsza kontrola jest wliczona w cenę.",
        "朝食は料金に含まれております。",
    ],
)
def test_what_is_part_of_a_price(text: str) -> None:
    assert is_part_of_price(text)
    assert not is_charged_extra(text)


@table(
    "text",
    [
        "Breakfast is not included.",
        "The towels cost extra.",
        "Die Schuhe sind im Kurspreis nicht drin.",
        "Kontrola jest płatna osobno.",
        "Le petit-déjeuner est en supplément.",
        "朝食は別料金です。",
    ],
)
def test_what_is_charged_on_top(text: str) -> None:
    assert is_charged_extra(text)
    assert not is_part_of_price(text)


@pytest.mark.parametrize("text", ["The order includes a shelf.", "All fares, including the cheapest, can be changed."])
def test_what_is_listed_is_no_price(text: str) -> None:
    assert not is_part_of_price(text)
    assert not is_charged_extra(text)
