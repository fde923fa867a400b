"""Denials and charges are compared in many languages."""

from __future__ import annotations

from tests.tables import table

from proctor.text.polarity import find_opposite, is_denied, is_free
from proctor.text.price_rates import rate_of
from proctor.text.quantities import find_quantities


@table(
    "text",
    [
        "Dogs are not allowed",
        "Hunde sind nicht erlaubt",
        "собаки не допускаются",
        "犬は同伴できません",
        "不可退款",
        "لا يمكن",
    ],
)
def test_a_denial_is_found(text: str) -> None:
    assert is_denied(text)


@table("text", ["Dogs are allowed", "no later than Monday", "without any charge", "Hunde sind erlaubt"])
def test_what_denies_nothing_is_no_denial(text: str) -> None:
    assert not is_denied(text)


@table("text", ["free of charge", "kostenlos", "gratuit", "бесплатно", "无料 無料", "at no extra cost", "senza costi"])
def test_no_charge_is_found(text: str) -> None:
    assert is_free(text)


def test_the_opposite_in_the_same_words_is_found() -> None:
    found = find_opposite(
        "Small dogs may not travel in the cabin.", ["Small dogs may travel in the cabin. Cats may not."]
    )
    assert found is not None
    assert found.source == "Small dogs may travel in the cabin"
    assert find_opposite("Small dogs may travel in the cabin.", ["Small dogs may travel in the cabin."]) is None


@table(
    ("text", "rate"),
    [
        ("25 EUR per person", "person"),
        ("25 EUR pro Buchung", "booking"),
        ("5 € per maand", "month 1"),
        ("11 € por día", "hour 24"),
        ("25 EUR", None),
    ],
)
def test_a_rate_is_read(text: str, rate: str | None) -> None:
    (one,) = (each for each in find_quantities(text) if each.unit == "EUR")
    assert rate_of(text, one) == rate


@table(
    "text",
    ["यह नहीं हो सकता", "Det går inte", "Det er ikke muligt", "To nelze změnit", "місць немає", "non è mai aperto"],
)
def test_denials_of_more_languages(text: str) -> None:
    assert is_denied(text)


@table(
    "text",
    [
        "आपका दिन शुभ हो",
        "Am 5. Mai geht es",
        "le 5 mai",
        "uw nieuwe pas is klaar",
        "Herr Gómez kommt",
        "ni kan komma nu",
    ],
)
def test_words_that_deny_only_in_another_language(text: str) -> None:
    assert not is_denied(text)
