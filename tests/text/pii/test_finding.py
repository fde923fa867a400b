from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.text.pii import KINDS, find_pii, same_value
from proctor.text.pii.cards import luhn
from proctor.text.pii.emails import is_office, is_stand_in
from proctor.text.pii.phones import is_office_line


def found(text: str) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in find_pii(text)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Write to ana.diaz+trip@mail.example.org.", "email", "ana.diaz+trip@mail.example.org"),
        ("メールはtaro@home.jpです", "email", "taro@home.jp"),
        ("<mailto:bo@x.io>", "email", "bo@x.io"),
        ("Call +44 20 7946 0958 now", "phone", "+44 20 7946 0958"),
        ("(212) 555-0142", "phone", "(212) 555-0142"),
        ("212-555-0142", "phone", "212-555-0142"),
        ("電話は090-1234-5678です", "phone", "090-1234-5678"),
        ("０９０－１２３４－５６７８", "phone", "０９０－１２３４－５６７８"),
        ("mobile 09012345678", "phone", "09012345678"),
        ("phone: 5551234567", "phone", "5551234567"),
        ("card 4111 1111 1111 1111.", "card", "4111 1111 1111 1111"),
        ("5500-0000-0000-0004", "card", "5500-0000-0000-0004"),
        ("amex 378282246310005", "card", "378282246310005"),
        ("IBAN DE89 3704 0044 0532 0130 00 please", "iban", "DE89 3704 0044 0532 0130 00"),
        ("GB29NWBK60161331926819", "iban", "GB29NWBK60161331926819"),
        ("My passport number is X1234567.", "passport", "X1234567"),
        ("パスポート番号：TK1234567", "passport", "TK1234567"),
        ("SSN 123-45-6789", "national_id", "123-45-6789"),
        ("マイナンバー 1234 5678 9018", "national_id", "1234 5678 9018"),
    ],
)
def test_each_kind(text: str, kind: str, value: str) -> None:
    assert found(text) == [(kind, value)]


@pytest.mark.parametrize(
    "text",
    [
        "The price is $1,234,567.89 for 12 nights.",
        "On 2026-11-15 at 10:30:00",
        "2026-11-15 to 2026-12-01",
        "order 1234567890123456",  # no check digit
        "tracking 9400 1000 0000 0000 0000 00",
        "flight HAT136, gate B12, seat 14C",
        "ISBN 978-3-16-148410-0",
        "4111 1111 1111 1112",
        "DE88 3704 0044 0532 0130 00",
        "booking X1234567",  # the shape alone is no passport
        "j***@mail.test and **** 4242",
        "see @anna and me@home",
        "version 1.2.3.4 of 10.0.0.1",
        "000-12-3456 and 123-00-4567",
        "0000 0000 0000 0000",
        "https://x.test/a/1234567890",
        "3-5 days, 24-48 hours, 100-200 people",
        "マイナンバー 1234 5678 9012",
    ],
)
def test_what_is_none(text: str) -> None:
    assert found(text) == []


def test_further_kinds_by_pattern_come_first() -> None:
    text = "booking 212-555-0142 of bo@x.io"
    kinds = [each.kind for each in find_pii(text, codes={"booking": re.compile(r"\d{3}-\d{3}-\d{4}")})]
    assert kinds == ["booking", "email"]
    assert [each.kind for each in find_pii(text, kinds=["email"])] == ["email"]


def test_places_are_those_of_the_text() -> None:
    text = "電話 ０９０－１２３４－５６７８、mail bo@x.io"
    for each in find_pii(text):
        assert text[each.start : each.end] == each.text


@pytest.mark.parametrize(
    ("kind", "one", "other", "same"),
    [
        ("email", "Ana@X.io", "ana@x.io", True),
        ("phone", "+81 90 1234 5678", "090-1234-5678", True),
        ("card", "4111 1111 1111 1111", "4111-1111-1111-1111", True),
        ("iban", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000", True),
        ("phone", "090-1234-5678", "090-1234-5679", False),
        ("email", "ana@x.io", "anna@x.io", False),
    ],
)
def test_the_same_however_written(kind: str, one: str, other: str, same: bool) -> None:
    assert same_value(kind, one, [other]) is same


@pytest.mark.parametrize(
    "address", ["support@x.io", "no-reply@x.io", "customer.service@x.io", "bookings@x.io", "info@x.io"]
)
def test_offices(address: str) -> None:
    assert is_office(address)


@pytest.mark.parametrize("address", ["ana@x.io", "ana.support@x.io", "infante@x.io", "helpman@x.io"])
def test_people(address: str) -> None:
    assert not is_office(address)


def test_stand_ins() -> None:
    assert is_stand_in("you@example.com")
    assert not is_stand_in("ana@example.com")


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("Call us at 212-555-0142", True),
        ("1-800-555-0100", True),
        ("お問い合わせは03-1234-5678", True),
        ("His number is 212-555-0142", False),
        ("Call us.\nHis number is 212-555-0142", False),
    ],
)
def test_lines_of_offices(text: str, ours: bool) -> None:
    phone = find_pii(text, kinds=["phone"])[0]
    assert is_office_line(text, phone.start or 0, phone.end or 0) is ours


@given(st.text(alphabet="+-. ()0123456789@abAB〒電話メール", max_size=200))
def test_findings_never_overlap_and_point_into_the_text(text: str) -> None:
    last = 0
    for each in find_pii(text):
        assert each.start is not None
        assert each.end is not None
        assert last <= each.start < each.end <= len(text)
        assert text[each.start : each.end] == each.text
        assert each.kind in KINDS
        last = each.end


@given(st.text(alphabet="0123456789", min_size=12, max_size=18))
def test_exactly_one_check_digit_fits(digits: str) -> None:
    assert sum(luhn(digits + last) for last in "0123456789") == 1


@given(st.text(alphabet="ab. ,\n", max_size=60), st.text(alphabet="ab. ,\n", max_size=60))
def test_an_address_is_found_wherever_it_stands(before: str, after: str) -> None:
    text = f"{before} carla@mail.test {after}"
    assert ("email", "carla@mail.test") in found(text)
