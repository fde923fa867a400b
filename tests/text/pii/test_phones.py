from __future__ import annotations

from tests.tables import table

from proctor.text.pii import find_pii, same_value
from proctor.text.pii.phone_plans import REGIONS, proven, proven_abroad, regions_for


def found(text: str) -> list[tuple[str, str]]:
    return [(each.text, each.extra.get("scheme", "")) for each in find_pii(text, kinds=["phone"])]


@table(
    ("text", "number", "region"),
    [
        ("call +44 20 7946 0958", "+44 20 7946 0958", "GB"),
        ("+81 90-1234-5678", "+81 90-1234-5678", "JP"),
        ("0049 30 901820", "0049 30 901820", "DE"),
        ("+44 (0)20 7946 0958", "+44 (0)20 7946 0958", "GB"),
        ("tel. 06 12 34 56 78", "06 12 34 56 78", "JP"),
        ("(212) 555-0142", "(212) 555-0142", "US"),
        ("(978)645-9740x11144", "(978)645-9740x11144", "US"),
        ("ring me on 07911 123456", "07911 123456", "GB"),
        ("my number is 9469 9966", "9469 9966", "DE"),
        ("090-1234-5678に電話してください", "090-1234-5678", "JP"),
        ("전화 010-1234-5678", "010-1234-5678", "KR"),
        ("手机 13812345678", "13812345678", "CN"),
        ("2026-11-15 212-555-0142", "212-555-0142", "US"),
        ("call 212-555-0142 3 times", "212-555-0142", "US"),
        ("+1-555-0100", "+1-555-0100", ""),  # nobody has it, and it is written as a telephone's all the same
    ],
)
def test_numbers(text: str, number: str, region: str) -> None:
    assert found(text) == [(number, region)]


@table(
    "text",
    [
        "order 9469 9966",
        "invoice 322 327 102",
        "01-02-2024 15-02-2024",
        "10.11.2025 12.00",
        "$1 234 567",
        "#2125550142",
        "3.14159265",
    ],
)
def test_other_rows_of_digits(text: str) -> None:
    assert found(text) == []


def test_countries_are_a_setting() -> None:
    text = "write or call, 0412 345 678 or 0412345678"
    assert "AU" in {
        region for _, region in [*map(lambda f: (f.text, f.extra.get("scheme")), find_pii(text, regions=["AU"]))]
    }
    assert find_pii("so 0412345678 it is", regions=["JP"]) == ()


def test_the_script_of_the_text_puts_its_countries_first() -> None:
    assert regions_for("電話です")[0] == "JP"
    assert regions_for("전화")[0] == "KR"
    assert regions_for("hello") == REGIONS


def test_plans_of_the_library() -> None:
    assert proven("2125550142", ["GB", "US"]) == "US"
    assert proven("0000000000", REGIONS) is None
    assert proven("2125550142", ["XX"]) is None
    assert proven_abroad("442079460958") == "GB"
    assert proven_abroad("999") is None
    assert proven_abroad("390612345678") == "IT"


def test_an_extension_is_part_of_the_number_and_not_of_its_identity() -> None:
    assert same_value("phone", "(978)645-9740x11144", ["978-645-9740"])


@table(
    "text",
    [
        "order number 4532 7788 1234",
        "my order no. 4532 7788 1234",
        "tracking number 4532 7788 1234",
        "Bestellnummer 4532 7788 1234",
        "numéro de commande 4532 7788 1234",
        "número de pedido 4532 7788 1234",
        "numero d'ordine 4532 7788 1234",
        "注文番号 4532 7788 1234",
        "订单号 4532 7788 1234",
        "주문번호 4532 7788 1234",
        "номер заказа 4532 7788 1234",
        "invoice 4532-7788-1234",
        "booking reference 4532 7788 1234",
        "bestelnummer 4532 7788 1234",
        "my invoice number is 4532 7788 1234",
        "Rechnungsnummer: 4532 7788 1234",
        "meine Kundennummer lautet 4532 7788 1234",
        "numéro de suivi : 4532 7788 1234",
        "mi número de seguimiento es 4532 7788 1234",
        "codice cliente 4532 7788 1234",
        "número da encomenda 4532 7788 1234",
        "予約番号は4532 7788 1234です",
        "运单号：4532 7788 1234",
        "운송장 번호 4532 7788 1234",
        "numer zamówienia 4532 7788 1234",
        "sipariş numaram 4532 7788 1234",
        "tilausnumero on 4532 7788 1234",
        "číslo objednávky 4532 7788 1234",
        "رقم الطلب 4532 7788 1234",
        "ऑर्डर नंबर 4532 7788 1234",
        "boekingsnummer: 4532 7788 1234",
        "my customer ID 4532 7788 1234",
        "call me about order number 4532 7788 1234",
    ],
)
def test_the_number_of_an_order_is_no_telephone(text: str) -> None:
    assert not [each for each in find_pii(text) if each.kind == "phone"]


@table(
    "text",
    [
        "call me at 4532 7788 1234",
        "my phone is 212-555-0142",
        "ring me on 0479 50 54 03 about my order number",
        "my order number is late, phone 212-555-0142",
        "order A-17; tel. 030 1234567",
        "电话 138 0013 8000 订单号 77",
        "+44 20 7946 0958 is in my order number field",
    ],
)
def test_a_telephone_beside_an_order_is_one(text: str) -> None:
    assert [each for each in find_pii(text) if each.kind == "phone"]
