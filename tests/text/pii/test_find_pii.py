from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.lazy_pattern import Lazy
from proctor.text.pii import (
    KINDS,
    addresses,
    cards,
    emails,
    find_pii,
    labelled_numbers,
    network,
    phones,
    same_value,
    secrets,
    warm,
)
from proctor.text.pii.checks import luhn
from proctor.text.pii.emails import is_office, is_stand_in
from proctor.text.pii.find_pii import _FINDERS, _GATES
from proctor.text.pii.phones import is_office_line


def found(text: str) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in find_pii(text)]


@table(
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
        ("パスポート番号はTK1234567です", "passport", "TK1234567"),
        ("X1234567 is my passport number", "passport", "X1234567"),
        ("card 4111 1111 1111 1111 12/27", "card", "4111 1111 1111 1111"),
        ("my credit card is 4111 1111 1111 1112", "card", "4111 1111 1111 1112"),  # a slip, and a card all the same
        ("the card ending in 4242", "card_fragment", "4242"),
        ("カードの下4桁は4242です", "card_fragment", "4242"),
        ("XXXX-XXXX-XXXX-9876", "card_fragment", "XXXX-XXXX-XXXX-9876"),
        ("my iban is de89370400440532013000", "iban", "de89370400440532013000"),
        ("anna (at) mail (dot) org", "email", "anna (at) mail (dot) org"),
        ("write to anna dot berg at gmail dot com", "email", "anna dot berg at gmail dot com"),
        ("jürgen@müller.de", "email", "jürgen@müller.de"),
        ("from 203.0.113.7 today", "ip", "203.0.113.7"),
        ("from 2001:db8::1 today", "ip", "2001:db8::1"),
        ("00:1A:2B:3C:4D:5E", "mac", "00:1A:2B:3C:4D:5E"),
        ("https://anna:s3cret@host.example.org/x", "secret", "anna:s3cret"),
        ("key sk-proj-abcd1234efgh5678", "secret", "sk-proj-abcd1234efgh5678"),
        ("password: hunter2x", "secret", "hunter2x"),
        ("the password is 'KnightRider!'", "secret", "KnightRider!"),
        ("パスワードはabc12345です", "secret", "abc12345"),
        ("cvv 123", "secret", "123"),
        ("my PIN is 4321", "secret", "4321"),
        ("DOB: 12/03/1985", "date_of_birth", "12/03/1985"),
        ("I was born on 12 March 1985", "date_of_birth", "12 March 1985"),
        ("生年月日は1985年3月12日です", "date_of_birth", "1985年3月12日"),
        ("昭和60年3月12日生まれ", "date_of_birth", "昭和60年3月12日"),
        ("driver's license D245-938-19-203", "driving_licence", "D245-938-19-203"),
        ("免許証番号 123456789012", "driving_licence", "123456789012"),
        ("my account number is 7391028373", "bank_account", "7391028373"),
        ("routing number 061000104", "bank_account", "061000104"),
        ("口座番号は1234567です", "bank_account", "1234567"),
        ("pay rahul.upi@oksbi", "bank_account", "rahul.upi@oksbi"),
        ("patient ID AHC-0933289", "health_id", "AHC-0933289"),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "crypto", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "crypto", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
        ("to 221B Baker Street, London NW1 6XE please", "address", "221B Baker Street, London NW1 6XE"),
        ("350 Fifth Avenue, New York, NY 10118", "address", "350 Fifth Avenue, New York, NY 10118"),
        ("12 baker street", "address", "12 baker street"),
        ("Hauptstraße 12, 10115 Berlin", "address", "Hauptstraße 12, 10115 Berlin"),
        ("12 rue de Rivoli", "address", "12 rue de Rivoli"),
        ("zip code is 94105", "address", "94105"),
        ("〒100-0001 東京都千代田区千代田1-1", "address", "〒100-0001 東京都千代田区千代田1-1"),
        ('{"passport_number": "HGK137803"}', "passport", "HGK137803"),
        ('{"passportNumber": "HGK137803"}', "passport", "HGK137803"),
        ('{"date_of_birth": "1985-03-12"}', "date_of_birth", "1985-03-12"),
        ('{"phone_number": "5551234567"}', "phone", "5551234567"),
        ('{"new_password": "hunter2x"}', "secret", "hunter2x"),
        ("住所は東京都渋谷区神南2丁目3番4号です", "address", "東京都渋谷区神南2丁目3番4号"),
    ],
)
def test_each_kind(text: str, kind: str, value: str) -> None:
    assert found(text) == [(kind, value)]


@table(
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
        "version 1.2.3.4 of the firmware, section 1.2.3.4",
        "10:30:00 and 12:15",
        "my password is wrong, and the pin code does not work",
        "your 2 way street, a 5 minute drive",
        "1,234,567 people in 2026",
        "order #48213 from 12 March, $129.99",
        "call us at 9 to 5",
        "the visa ends in March 2027 and the passport in 2031",
        "from LAS to ATL (2024-05-19) and (1970-06-06)",
        "the orders on your account: #W5272531",
        "tracking 561724567137",
        '<input type="password" name="x">',
        "reset the password to find out more",
        "1 of 2 at the end of the street",
        "000-12-3456 and 123-00-4567",
        "0000 0000 0000 0000",
        "https://x.test/a/1234567890",
        "3-5 days, 24-48 hours, 100-200 people",
        "1234 5678 9012",
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


@table(
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


@table("address", ["support@x.io", "no-reply@x.io", "customer.service@x.io", "bookings@x.io", "info@x.io"])
def test_offices(address: str) -> None:
    assert is_office(address)


@table("address", ["ana@x.io", "ana.support@x.io", "infante@x.io", "helpman@x.io"])
def test_people(address: str) -> None:
    assert not is_office(address)


def test_stand_ins() -> None:
    assert is_stand_in("you@example.com")
    assert not is_stand_in("ana@example.com")


@table(
    ("text", "ours"),
    [
        ("Call us at 212-555-0142", True),
        ("1-800-555-0100", True),
        ("お問い合わせは03-1234-5678", True),
        ("llame al 900 100 200", True),
        ("0800 555 1234", True),
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


def test_a_number_whose_check_is_wrong_is_found_by_its_name_and_less_sure() -> None:
    (wrong,) = find_pii("マイナンバー 1234 5678 9012")
    (right,) = find_pii("マイナンバー 1234 5678 9018")
    assert wrong.kind == right.kind == "national_id"
    assert (wrong.confidence or 1.0) < (right.confidence or 0.0)


def test_other_dashes_spaces_and_digits_are_read_as_plain_ones() -> None:
    assert found("212\u2011555\u20110142") == [("phone", "212\u2011555\u20110142")]
    assert found("card 4111\u00a01111\u00a01111\u00a01111") == [("card", "4111\u00a01111\u00a01111\u00a01111")]
    assert found("٤١١١١١١١١١١١١١١١") == [("card", "٤١١١١١١١١١١١١١١١")]


def test_a_long_text_is_read_to_its_end() -> None:
    text = "a lot of words. " * 40_000 + "write to carla@mail.test or 4111 1111 1111 1111"
    assert [each.text for each in find_pii(text)] == ["carla@mail.test", "4111 1111 1111 1111"]


def test_every_gate_lets_through_what_its_finder_finds() -> None:
    texts = [
        "SSN 123-45-6789, passport number is X1234567, born on 12 March 1985, card ending in 4242, cvv 123",
        "account 7391028373 routing number 061000104 patient ID AHC-0933289 driver's license D245-938-19-203",
        "Hauptstraße 12, 12 rue de Rivoli, 350 Fifth Avenue, New York, NY 10118, zip code is 94105, NW1 6XE",
        "〒100-0001 東京都千代田区千代田1-1 電話090-1234-5678 パスポート番号：TK1234567 生年月日は1985年3月12日",
        "DNI 12345678Z PESEL 44051401359 NHS number 943 476 5919 BSN 111222333 aadhaar 2341 2341 2346",
        "2001:db8::1 203.0.113.7 00:1A:2B:3C:4D:5E https://a:b1@c.org sk-abcd1234efgh rahul.upi@oksbi",
    ]
    for text in texts:
        opened = set(_GATES.opened(text))
        for number, (kind, find, _) in enumerate(_FINDERS):
            if number not in opened:
                assert list(find(text)) == [], (kind, text)


@table("part", ["1", "@", "-", "1-", "1 ", "a@", "+1", "[A", "-eyJaaaaaaaa", "東京都1", "account number is ", "://a:"])
def test_hostile_texts_are_read(part: str) -> None:
    text = part * (20_000 // len(part))
    for each in find_pii(text):
        assert text[each.start : each.end] == each.text


def test_warming_up_compiles_what_finders_use() -> None:
    warm()
    modules = (addresses, cards, emails, labelled_numbers, network, secrets, phones)
    patterns = {f"{module.__name__}.{name}": value for module in modules for name, value in vars(module).items()}
    lazy = {name: value for name, value in patterns.items() if isinstance(value, Lazy)}
    assert len(lazy) > 30
    cold = {name.rpartition(".")[2] for name, value in lazy.items() if value._compiled is None}
    assert cold <= {"_TOLL_FREE", "_OURS", "_OFFICE", "_STAND_IN"}  # these judge what was found
