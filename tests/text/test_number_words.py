"""Numbers in words are found in many languages."""

from __future__ import annotations

from decimal import Decimal

from tests.tables import table

from proctor.text import number_words
from proctor.text.number_words import find_number_words


@table(
    ("text", "value", "language"),
    [
        ("three days", 3, "en"),
        ("one hundred and twenty dollars", 120, "en"),
        ("fünfundzwanzig Tage", 25, "de"),
        ("vijfentwintig euro", 25, "nl"),
        ("quatre-vingt-dix euros", 90, "fr"),
        ("treinta y dos días", 32, "es"),
        ("ventotto ore", 28, "it"),
        ("trinta e dois dias", 32, "pt"),
        ("dwudziestu pięciu dni", 25, "pl"),
        ("двадцати пяти дней", 25, "ru"),
        ("on iki ay", 12, "tr"),
        ("أربعة وعشرين شهرًا", 24, "ar"),
        ("तीन दिन", 3, "hi"),
        ("tjugofem dagar", 25, "sv"),
        ("do dvaceti pěti dnů", 25, "cs"),
        ("чотирнадцять днів", 14, "uk"),
        ("세 시간", 3, "ko"),
    ],
)
def test_a_number_in_words_has_its_value(text: str, value: int, language: str) -> None:
    (found,) = find_number_words(text)
    assert found.value == Decimal(value)
    assert language in found.languages


def test_text_without_numbers_has_none() -> None:
    assert list(find_number_words("The tour starts at the harbour.")) == []


def test_the_first_look_knows_every_word_in_ascii() -> None:
    _, starts = number_words._phrases()
    # Its words are runs of letters; a number that begins with another sign would be passed over.
    assert [word for word in starts if word.isascii() and not word.isalpha()] == []


@table(
    ("text", "value"),
    [
        ("two hundred and fifty-two", 252),
        ("one thousand two hundred", 1200),
        ("doscientos cincuenta y dos", 252),
        ("двести пятьдесят два", 252),
        ("mille deux cents", 1200),
    ],
)
def test_a_number_goes_on_after_its_round_part(text: str, value: int) -> None:
    (found,) = find_number_words(text)
    assert found.value == value


def test_two_numbers_side_by_side_stay_two() -> None:
    assert [each.value for each in find_number_words("twenty ten")] == [20, 10]
    assert [each.value for each in find_number_words("two hundred and a two")] == [200, 2]
