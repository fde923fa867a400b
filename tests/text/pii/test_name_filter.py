"""Names in languages that the tagger was not taught: what is likely one, and what is an ordinary word."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.core.entity import Entity
from proctor.text.pii import likely_names
from proctor.wiring.local_models import local_model


def seen(text: str, name: str, score: float, kind: str = "PERSON") -> list[str]:
    start = text.index(name)
    entity = Entity(start=start, end=start + len(name), kind=kind, text=name, score=score)
    found = likely_names(text, [entity])
    assert all(text[each.start : each.end] == each.text for each in found)
    return [each.text for each in found]


@table(
    ("text", "name", "score"),
    [
        ("Cancella la sveglia di Marco Galli", "Cancella", 0.95),
        ("Prikaži mi raspored filmova", "Prikaži", 0.84),
        ("ferma la sveglia di oggi", "ferma la sveglia", 0.87),
        ("Tilaukseni on myöhässä, voitteko tarkistaa?", "Tilaukseni", 0.8),
        ("Puoi cambiare la prenotazione di Anna per favore", "la prenotazione", 0.99),
        ("भुगतान दो बार कट गया है", "भुगतान", 0.7),
        ("환불은 언제 되나요", "환불은", 0.65),
        ("我的订单还没到呢", "订单", 0.7),
    ],
)
def test_an_ordinary_word_is_no_name(text: str, name: str, score: float) -> None:
    assert seen(text, name, score) == []


@table(
    ("text", "name", "score", "left"),
    [
        ("Il pacco è per Lorenzo Galli.", "Lorenzo Galli", 0.75, "Lorenzo Galli"),
        ("Tilføj Nastya Kamenskih til min liste", "Tilføj Nastya Kamenskih", 0.84, "Nastya Kamenskih"),
        ("Vandaag belde Femke van Dyk mij weer", "Femke van Dyk mij", 0.8, "Femke van Dyk"),
        ("Je m'appelle mathilde et j'attends", "mathilde", 0.61, "mathilde"),
        ("Mevrouw Vries heeft niet geantwoord", "Vries", 0.61, "Vries"),
        ("제 이름은 김민수입니다", "김민수", 0.61, "김민수"),
        ("我叫王小明，在等我的包裹", "王小明", 0.61, "王小明"),
        ("Mi pedido no llega. Un saludo, Álvaro", "Álvaro", 0.72, "Álvaro"),
    ],
)
def test_a_name_stays(text: str, name: str, score: float, left: str) -> None:
    assert seen(text, name, score) == [left]


@table(
    ("text", "name", "left"),
    [
        ("Grüezi\nGerne möchte ich mein Abo anpassen", "Grüezi", []),
        ("Hejsan, soffan som vi köpte är trasig", "Hejsan", []),
        ("Góðan dag, ég flutti í gær", "Góðan", []),
        ("Katarína", "Katarína", ["Katarína"]),
        ("Je m'appelle Mathilde et j'attends", "Mathilde", ["Mathilde"]),
        ("Ciao! Sono Ottavia, dove siete?", "Ottavia", ["Ottavia"]),
    ],
)
def test_the_first_word_of_a_message_is_no_name(text: str, name: str, left: list[str]) -> None:
    assert seen(text, name, 0.99) == left


def test_english_and_japanese_are_left_as_they_are() -> None:
    assert seen("please tell the manager that ann is late today", "ann", 0.6) == ["ann"]
    assert seen("森で迷った場合はどうしますか", "森", 0.6) == ["森"]
    assert seen("Anna Berg", "Anna", 0.6) == ["Anna"]


def test_an_address_elsewhere_has_a_number() -> None:
    assert seen("Ποια είναι η διαδρομή για το λιμάνι", "διαδρομή", 0.9, "ADDRESS") == []
    text = "Das Paket geht an die Lindenallee 12 in Kassel"
    assert seen(text, "Lindenallee 12 in Kassel", 0.9, "ADDRESS") == ["Lindenallee 12 in Kassel"]


async def test_messages_without_a_name_are_marked_less_and_names_still_found() -> None:
    without = [
        "Maksoin laskun jo eilen.",
        "Paketti ei ole saapunut vielä.",
        "Rimborso non ancora arrivato.",
        "Ricevuta mancante, potete inviarla?",
        "मुझे रिफंड कब मिलेगा?",
        "डिलीवरी कब होगी?",
        "배송지를 변경하고 싶어요.",
        "결제가 두 번 되었습니다.",
        "Moje zamówienie nie dotarło.",
        "Min beställning har inte kommit.",
    ]
    named = [
        "Ich heiße Jürgen Hartwig und warte auf mein Paket.",
        "Me llamo Rocío Fuentes y espero mi pedido.",
        "Nimeni on Aino Virtanen ja odotan pakettia.",
        "Nazywam się Katarzyna Nowak i czekam na paczkę.",
        "Cordiali saluti, Matteo Ricci",
    ]
    rows = await local_model("tagger").entities([*without, *named])
    kept = [likely_names(text, row) for text, row in zip([*without, *named], rows, strict=True)]
    people = [any(each.kind == "PERSON" for each in row) for row in kept]
    assert sum(people[: len(without)]) <= 1
    assert sum(people[len(without) :]) >= 4


@given(st.text(min_size=1, max_size=120), st.data())
def test_nothing_is_added(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    entity = Entity(start=start, end=end, kind="PERSON", text=text[start:end], score=0.9)
    for each in likely_names(text, [entity]):
        assert start <= each.start < each.end <= end
        assert text[each.start : each.end] == each.text


_FIRST = ("Annegret", "Henning", "Torsten", "Liesel", "Ottilie", "Wiebke", "Jürgen", "Siegfried")
_LAST = ("Quistgaard", "Oltmanns", "Wiebrecht", "Hagedorn", "Brandstetter", "Przybylski", "Schäuffelin", "Rautenberg")
_LONG = " ".join(
    f"Außerdem schrieb {_FIRST[n % 8]} {_LAST[(3 * n + n // 8) % 8]} an Frauke {_LAST[(n + 1) % 8]} in Mönchengladbach."
    for n in range(24)
)
_FOOTER = "\nقسم خدمة العملاء Torsten Wiebrecht 客户服务部 विभाग सेवा Henning Oltmanns" * 4


@pytest.mark.parametrize("text", [_LONG, _LONG + _FOOTER], ids=["german", "footer in three scripts"])
async def test_what_there_was_no_room_to_read_stays_in_any_language(text: str) -> None:
    (found,) = await local_model("tagger").entities([text])
    suspected = [each for each in found if each.suspected]
    kept = likely_names(text, found)
    assert suspected
    assert [each for each in kept if each.suspected] == suspected
    masked = [(each.start, each.end) for each in kept]
    unread = [name for name in (*_FIRST, *_LAST) for each in suspected if each.text == name]
    assert len(unread) > 10
    assert all(any(start <= each.start and each.end <= end for start, end in masked) for each in suspected)


@table(
    ("text", "name", "kind"),
    [
        ("Hvala, to je sve", "Hvala", "PERSON"),
        ("Ja ja", "Ja ja", "PERSON"),
        ("Paldies", "Paldies", "PERSON"),
        ("my code XQZBTR please", "XQZBTR", "PERSON"),
        ("Siemens EQ6 broken", "Siemens", "PERSON"),
        ("Bitte Vorgang AB-4411 schließen", "Bitte Vorgang", "PERSON"),
        ("flight LO4471 today", "flight LO4471", "ADDRESS"),
        ("code RT8KWQ", "RT8KWQ", "ADDRESS"),
        ("see § 433 HGBX now", "433 HGBX", "ADDRESS"),
        ("under article 12 Code of Trade", "12 Code of Trade", "ADDRESS"),
    ],
)
def test_codes_citations_and_interjections_are_no_names(text: str, name: str, kind: str) -> None:
    assert seen(text, name, 0.95, kind) == []


@table(
    ("text", "name", "kind"),
    [
        ("my name is XQZBTR", "XQZBTR", "PERSON"),
        ("Ich heiße Tak", "Tak", "PERSON"),
        ("JOE VOGT IS HERE TODAY", "JOE VOGT", "PERSON"),
        ("meet Anna Berg T3 please", "Anna Berg", "PERSON"),
        ("tell Anna 3pm is fine", "Anna", "PERSON"),
        ("call Anna 555 0142", "Anna", "PERSON"),
        ("send it to flat 12b Elm Road", "12b Elm Road", "ADDRESS"),
        ("bring it to Flat B2, 14 Elm Road", "Flat B2, 14 Elm Road", "ADDRESS"),
        ("ich wohne in C4, 12 Mannheim", "C4, 12 Mannheim", "ADDRESS"),
        ("we are in Block C12, Lotus Towers", "Block C12, Lotus Towers", "ADDRESS"),
        ("we moved to London SW1A 2AA", "London SW1A 2AA", "ADDRESS"),
        ("12 MAIN STREET please", "12 MAIN STREET", "ADDRESS"),
    ],
)
def test_names_and_addresses_beside_codes_stay(text: str, name: str, kind: str) -> None:
    assert seen(text, name, 0.95, kind) == [name]


@table(
    ("text", "name", "left"),
    [
        ("Termin? Patient P-11, erreichbar unter 0171 2345678", "P-11, erreichbar unter", []),
        ("Termin verschieben? Patient P-11, Raum 2", "P-11, Raum 2", []),
        ("Welcher Arzt? Fall T-302, Brandt", "Fall T-302, Brandt", []),
        ("Quand est mon rendez-vous ? Patient P-11, joignable au 06", "P-11, joignable", []),
        ("Kiedy wizyta? Pacjent P-11, pokój 2", "Pacjent P-11, pokój 2", []),
        ("환자 P-11, 방 2호", "P-11, 방 2호", []),
        ("which gate? order PED-118 please", "118", []),
        ("Wann? Best BEST-22, Linde 4, 10115 Berlin", "22, Linde 4, 10115 Berlin", ["Linde 4, 10115 Berlin"]),
        ("Ich wohne Berg 5, 10115 Ulm. Kunde K-17", "Berg 5, 10115 Ulm. Kunde K-17", ["Berg 5, 10115 Ulm"]),
        ("Ich wohne Berg 5, 10115 Ulm, K-17", "Berg 5, 10115 Ulm, K-17", ["Berg 5, 10115 Ulm"]),
        ("Ich wohne Berg 5, D-10115 Ulm", "Berg 5, D-10115 Ulm", ["Berg 5, D-10115 Ulm"]),
        ("Ich wohne in D-10115 Ulm", "D-10115 Ulm", ["D-10115 Ulm"]),
        ("bring it to Flat B-12, 14 Elm Road", "Flat B-12, 14 Elm Road", ["Flat B-12, 14 Elm Road"]),
        ("bring it to 14 Elm Road, Flat B-12", "14 Elm Road, Flat B-12", ["14 Elm Road, Flat B-12"]),
        ("it is A-14 Lajpat Nagar, Delhi 11002", "A-14 Lajpat Nagar, Delhi 11002", ["A-14 Lajpat Nagar, Delhi 11002"]),
    ],
)  # fmt: skip
def test_the_code_of_a_record_is_no_address(text: str, name: str, left: list[str]) -> None:
    assert seen(text, name, 0.95, "ADDRESS") == left


def test_the_code_of_a_record_is_no_person() -> None:
    assert seen("Ich bin PAT-11, wann ist mein Termin?", "PAT-11", 0.95) == []
    assert seen("Ich bin Anna-Lena, Patient P-11", "Anna-Lena", 0.95) == ["Anna-Lena"]


def test_many_names_in_a_long_text_take_linear_time() -> None:
    line = "please ask Anna Berg KLMNOP and others about it\n"
    text = line * 4_000
    names = [
        Entity(start=at + 11, end=at + 20, kind="PERSON", text="Anna Berg", score=0.9)
        for at in range(0, len(text), len(line))
    ]
    started = process_time()
    assert len(likely_names(text, names)) == 4_000
    assert process_time() - started < 2.0
