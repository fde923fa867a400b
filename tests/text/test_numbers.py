from __future__ import annotations

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.text import numbers
from proctor.text.numbers import DecimalMark, find_numbers


def values(text: str, decimal: DecimalMark = "auto") -> list[str]:
    return [f"{number.value:f}" for number in find_numbers(text, decimal=decimal)]


@table(
    ("text", "expected"),
    [
        ("", []),
        ("no number", []),
        ("42", ["42"]),
        ("It is 1,234,567.89 in all.", ["1234567.89"]),
        ("1.234.567,89 €", ["1234567.89"]),
        ("1'234'567", ["1234567"]),
        ("1\u00a0234 and 5\u202f678", ["1234", "5678"]),
        ("12,34,567 rupees", ["1234567"]),
        ("3,14", ["3.14"]),
        ("1,2,3", ["1", "2", "3"]),
        ("1.5,2.5", ["1.5", "2.5"]),
        ("0,123", ["0.123"]),
        ("1234,567", ["1234.567"]),
        ("costs .5 or -.5", ["0.5", "-0.5"]),
        ("No.5 of 10.", ["5", "10"]),
        ("-5, +7, −8 and -$9", ["-5", "7", "-8", "-9"]),
        ("10 - 5, 10-5, 3–4", ["10", "5", "10", "5", "3", "4"]),
        ("気温は-5度、損失は▲1,200円", ["-5", "-1200"]),
        ("１，２３４円", ["1234"]),
        ("٣٫١٤ و ١٬٢٣٤", ["3.14", "1234"]),
        ("1万2千円", ["12000"]),
        ("3億5000万人", ["350000000"]),
        ("2万5000と5百万", ["25000", "5000000"]),
        ("1.5万", ["15000.0"]),
        ("5万 300", ["50000", "300"]),
        ("2 million and 1.5 billion", ["2000000", "1500000000"]),
        ("1.5e3, 2E-2", ["1500", "0.02"]),
        ("5e", ["5"]),
        ("A4 paper, v2, gpt4, COVID-19, UTF-8", []),
        ("version 1.2.3 at 192.168.0.1", []),
        ("2024-05-01", ["2024", "05", "01"]),
        ("$5.00", ["5.00"]),
        ("5kg", ["5"]),
    ],
)
def test_numbers_are_found_as_people_write_them(text: str, expected: list[str]) -> None:
    assert [Decimal(value) for value in values(text)] == [Decimal(value) for value in expected]


@table(
    ("text", "decimal", "expected"),
    [
        ("1.234", "auto", ["1.234"]),
        ("1.234", "comma", ["1234"]),
        ("1,234", "auto", ["1234"]),
        ("1,234", "comma", ["1.234"]),
        ("3,14", "point", ["3", "14"]),
        ("1,234.5", "point", ["1234.5"]),
        ("1.234,5", "comma", ["1234.5"]),
    ],
)
def test_the_decimal_mark_can_be_set(text: str, decimal: DecimalMark, expected: list[str]) -> None:
    assert values(text, decimal) == expected


@table("text", ["12%", "12 %", "１２％", "12 percent", "12パーセント"])
def test_a_percentage_has_two_readings(text: str) -> None:
    (number,) = find_numbers(text)
    assert number.percent
    assert number.readings == (Decimal(12), Decimal("0.12"))


def test_places_point_into_the_text() -> None:
    text = "合計は１，２３４円、残り -5.5 %です"
    found = find_numbers(text)
    assert [text[number.start : number.end] for number in found] == ["１，２３４", "-5.5 %"]


def test_absurd_numbers_are_passed_over() -> None:
    assert find_numbers("9" * 100_000) == ()
    assert find_numbers("1e999999999999") == ()
    assert find_numbers("1e999") == ()
    assert len(find_numbers("1," * 5000)) == 5000


def test_long_exact_numbers_stay_exact() -> None:
    digits = "1234567890" * 20
    assert find_numbers(digits)[0].value == Decimal(digits)
    assert find_numbers(digits + "万")[0].value == Decimal(digits + "0000")


@settings(deadline=None)
@given(st.integers(-(10**15), 10**15), st.sampled_from(["{}", "{:,}", "about {:,} yen", "（{:,}）", "{:_}"]))
def test_whole_numbers_come_back(value: int, form: str) -> None:
    text = form.format(value).replace("_", "\u202f")
    assert [number.value for number in find_numbers(text)] == [value]


@settings(deadline=None)
@given(st.decimals(-1_000_000, 1_000_000, places=2))
def test_decimals_come_back(value: Decimal) -> None:
    assert [number.value for number in find_numbers(f"It is {value:,}.")] == [value]


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("0123456789.,'-+e %$万億千百A٣１ \u00a0"), max_size=40))
def test_any_text_is_read_and_places_are_in_order(text: str) -> None:
    end = 0
    for number in find_numbers(text):
        assert end <= number.start < number.end <= len(text)
        assert number.value.is_finite()
        end = number.end


@given(st.text(alphabet="0123456789.,-+△$€¥ %'e_)]aZ\u00a0", max_size=40))
def test_a_number_begins_only_where_it_is_looked_for(text: str) -> None:
    assert [token.span() for token in numbers._tokens(text)] == [
        token.span() for token in numbers._TOKEN.finditer(text)
    ]
