from __future__ import annotations

from proctor.guard.session_values import SessionValues
from proctor.guard.step import Step
from proctor.guard.url_data import CarriedData, find_session_data
from proctor.text.web_address import parse_address
from tests.guard.gates.staging import done, memory
from tests.tables import table

CALLS = (
    done("get_customer", {"name": "Ingrid Berg", "city": "Oslo", "note": "She prefers a call in the early evening."}),
)
SESSION = SessionValues(Step(point="output", memory=memory(*CALLS, asked=["Booking ZL8830 for WPA3 on 2024-01-15"])))
SESSION.step.memory.placeholders.of("address", "Lale Sk. 4, Bursa. Turkey", source="customer")


def carried(written: str, *public: str) -> CarriedData | None:
    address = parse_address(written)
    assert address is not None
    return find_session_data(address, SESSION, public)


@table(
    ("written", "kind", "part", "coded"),
    [
        ("https://a.example/?b=zl-8830", "a value", "query", ""),
        ("https://zl8830.a.example", "a value", "host", ""),
        ("https://a.example/ZL8830.png", "a value", "path", ""),
        ("https://a.example/x#ZL8830", "a value", "fragment", ""),
        ("https://a.example/?b=WkwgODgzMA==", "a value", "query", "base64"),
        ("https://a.example/?b=ingrid_berg", "a name", "query", ""),
        ("https://a.example/?b=Lale+Sk.+4%2C+Bursa", "a name", "query", ""),
        ("https://a.example/?b=%5BADDRESS%5D", "personal data", "query", ""),
        ("https://a.example/?b=prefers-a-call-in-the-early-evening", "a passage", "query", ""),
    ],
)
def test_data_is_found_with_its_place(written: str, kind: str, part: str, coded: str) -> None:
    assert carried(written) == CarriedData(kind=kind, part=part, coded=coded)


@table(
    "written",
    [
        "https://a.example/how-to-set-up-wpa3",
        "https://a.example/2024/01/15/news",
        "https://a.example/?city=oslo",
        "https://a.example/people/ingrid_berg",
        "https://a.example/?lang=en&page=2",
        "https://a.example/the-zl8830-review",
    ],
)
def test_a_subject_is_no_data(written: str) -> None:
    assert carried(written) is None


def test_what_a_known_address_has_is_no_data() -> None:
    assert carried("https://a.example/?b=ZL8830", "zl8830") is None
