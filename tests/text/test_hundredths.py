from __future__ import annotations

from tests.tables import table

from proctor.text.quantities import find_quantities


@table(
    ("text", "value", "unit"),
    [
        ("dezesseis reais e cinquenta, com a sua presença", "16.50", "BRL"),
        ("das macht sechzehn Euro fünfzig", "16.50", "EUR"),
        ("seize euros cinquante par jour", "16.50", "EUR"),
        ("dieciséis euros con cincuenta", "16.50", "EUR"),
        ("sixteen pounds fifty per person", "16.50", "GBP"),
        ("on altı lira elli", "16.50", "TRY"),
        ("418 рублей 20 копеек", "418.20", "RUB"),
        ("3 euros and 20 cents", "3.20", "EUR"),
    ],
)
def test_hundredths_belong_to_their_amount(text: str, value: str, unit: str) -> None:
    assert [(str(each.value), each.unit) for each in find_quantities(text)] == [(value, unit)]


@table(
    ("text", "value"),
    [
        ("three euros and two coffees", "3"),
        ("tres euros y dos cafés", "3"),
        ("I paid sixteen euros twenty minutes later", "16"),
        ("ten euros and five percent", "10"),
        ("two dollars fifty people", "2"),
        ("two dollars. Fifty came.", "2"),
    ],
)
def test_what_counts_something_else_does_not(text: str, value: str) -> None:
    assert str(find_quantities(text)[0].value) == value
