"""A figure is explained by known ones, or it is not."""

from __future__ import annotations

from tests.tables import table

from proctor.text.clock_times import find_times
from proctor.text.known_values import KnownValues
from proctor.text.quantities import find_quantities


def explained(said: str, told: str, heard: str = "") -> bool:
    known = KnownValues.of([told], [heard], said)
    figures = [one for one in (*find_quantities(said), *find_times(said)) if one.unit]
    assert figures, said
    return all(known.explains(one, [each for each in figures if each is not one]) for one in figures)


@table(
    ("said", "told", "heard"),
    [
        ("three days", "72 hours", ""),
        ("un año", "12 meses", ""),
        ("three to five working days", "3–5 business days", ""),
        ("1.500 €", "1500 EUR", ""),
        ("10 000 рублей", "до 10000 ₽", ""),
        ("the fabric has two years", "fabric months: 24", ""),
        ("109 € in all", "79 €, and 15 € for each floor", "two floors"),
        ("€53", "fee €35, fare €120, new fare €138: difference €18", ""),
        ("106,80 €", "12% of 890 €", ""),
        ("64,60 € for two", "34 € each, 5 % off", ""),
        ("600 km for three days", "200 km per day", "three days"),
        ("85 minutes", "1 h 25", ""),
        ("cinco días tarde", "gratis dentro de 15 días", "me salió hace 20 días"),
        ("at 13:50", "20 minutes before departure", "my flight is at 14:10"),
        ("at 8 pm", "10:00-20:00", ""),
        ("Friday", "Monday to Friday", ""),
        ("end of August 2025", "1 March 2024, 18 months", ""),
        ("fino al 28 maggio", '{"check_in": "2025-05-31", "free_until_hours_before": 72}', ""),
        ("avant le 20 mars", "demande reçue avant le 20 du mois", "on est le 12 mars"),
        ("le 30 avril", "à la fin du mois suivant", "on est le 12 mars"),
        ("$41.00 for the 2,050", "$0.02 per GB", ""),
        ("2 nights cost 24 euros", '{"price_per_night": 12, "nights": 2}', ""),
        ("Das macht 60 Euro", '{"price_per_night": 12}', "5 Nächte"),
        ("40%인 128,000원", '{"price": 320000}; 40%', ""),
        ("0,42 € je m², also 105 €", '{"qm": 250}; 0,42 € je m²', ""),
        ("7.4%", '{"rate": 0.074}', ""),
        ("of 450 answers 261 agree, which is 58 %", '{"agree": 261, "disagree": 144, "no opinion": 45}', ""),
        ("144 disagree, so 32 %", '{"agree": 261, "disagree": 144, "no opinion": 45}', ""),
        ("Остаток 2 140 000 ₽", '{"rest": 2140000}', ""),
        ("30일로 나누면 하루 1,100원", "월 33,000원, 30일", ""),
        ("£27 as credit", '{"paid": 30.0, "currency": "GBP"}; the value less 10 %', ""),
    ],
)
def test_a_figure_that_follows_is_explained(said: str, told: str, heard: str) -> None:
    assert explained(said, told, heard)


@table(
    ("said", "told"),
    [
        ("24 hours", "48 hours"),
        ("30 EUR", "20 EUR"),
        ("18元", "15米, 每米8元"),
        ("30 gün", "60 gün"),
        ("at 14:00", "20 minutes before 14:10"),
        ("Friday", "Thursday"),
        ("15 %", "10 %"),
        ("5000 EUR", "2000 EUR"),
        ("2 nights cost 30 euros", '{"price_per_night": 12, "nights": 2}'),
        ("24 euros", '{"price_per_night": 12, "room": 204}'),
        ("of 450 answers 261 agree, which is 62 %", '{"agree": 261, "disagree": 144, "no opinion": 45}'),
        ("40 %", '{"agree": 261, "disagree": 144, "no opinion": 45}'),
        ("am 14. Juli", "am 3. Juni; 5 Tage"),
        ("2 de septiembre", "2025-06-01"),
        ("60 days", "30 days' notice; export for 90 days"),  # a difference of two periods is no rule
    ],
)
def test_another_figure_is_not(said: str, told: str) -> None:
    assert not explained(said, told)


@table(
    ("said", "told", "heard"),
    [
        ("84,4 %", "frequência mínima de 85 %; 32 aulas", "se eu faltar 5 aulas de 32"),
        ("600 ml", "150 ml for each 10 m³", "my pool has 40 m³"),
        ("17.500 km", "15.000 km o 12 meses", "la cambiasteis con 61.000 km, ahora 78.500"),
        ("60 ₽", "5 ₽ за книгу в день", "3 книги, 4 дня"),
    ],
)
def test_a_figure_computed_with_the_customers_numbers_is_explained(said: str, told: str, heard: str) -> None:
    assert explained(said, told, heard)
    assert not explained(said, told, "")


@table(
    ("said", "told", "heard"),
    [
        ("86,1 %", "frequência mínima de 85 %; 32 aulas", "se eu faltar 5 aulas de 32"),
        ("700 ml", "150 ml for each 10 m³", "my pool has 40 m³"),
        ("48 hours", "24 hours", "I land at 00:00"),
        # the customer's numbers give any small round figure by chance
        ("3 €", "Limite de 2 m³ par jour", "j'en ai 6 dans le garage"),
        ("15 €", "24 € la nuit, chien 4 €, 10 A 5,50 €", "on sera là vers 21h30"),
        ("trois jours", "21 jours, une fois 14 jours", "2 livres en retard de 5 jours"),
    ],
)
def test_a_wrong_result_is_not(said: str, told: str, heard: str) -> None:
    assert not explained(said, told, heard)
