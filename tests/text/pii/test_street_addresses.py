from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.core.entity import Entity
from proctor.text.pii.street_addresses import address_parts


def parts(text: str, tagged: str, score: float = 0.95) -> list[tuple[str, str]]:
    start = text.index(tagged)
    entity = Entity(start=start, end=start + len(tagged), kind="ADDRESS", text=tagged, score=score)
    found = list(address_parts(text, entity))
    assert all(text[each.start : each.end] == each.text for each in found)
    return [(each.kind, each.text) for each in found]


@table(
    ("text", "tagged", "address"),
    [
        ("Liefern Sie an Lindenallee 14, 50667 Köln, bitte", "14, 50667 Köln", "Lindenallee 14, 50667 Köln"),
        ("Váci utca 10, 1052 Budapest", "10, 1052 Budapest", "Váci utca 10, 1052 Budapest"),
        ("abito in via Garibaldi 7, 20121 Milano", "Garibaldi 7", "via Garibaldi 7, 20121 Milano"),
        ("J'habite 12 rue Victor Hugo, 69002 Lyon", "12 rue Victor", "12 rue Victor Hugo, 69002 Lyon"),
        ("na ul. Długa 5/7, 00-238 Warszawa proszę", "Długa 5/7", "ul. Długa 5/7, 00-238 Warszawa"),
        ("Knez Mihailova 14, Beograd", "14, Beograd", "Knez Mihailova 14, Beograd"),
        ("har flytta til fjellsvingen 3, 5152 bønes, hilsen", "3, 5152", "fjellsvingen 3, 5152 bønes"),
        ("Jl. Sudirman No. 25, Jakarta", "25, Jakarta", "Jl. Sudirman No. 25, Jakarta"),
        ("住所は北京市朝阳区建国路88号です", "北京市朝阳区建国路88号", "住所は北京市朝阳区建国路88号です"),
        ("Bergstr. 5, 10115 Ulm. Kunde K-17", "5, 10115 Ulm. Kunde K-17", "Bergstr. 5, 10115 Ulm"),
    ],
)
def test_an_address_begins_with_its_street_and_ends_with_its_town(text: str, tagged: str, address: str) -> None:
    assert parts(text, tagged) == [("ADDRESS", address)]


@table(
    ("text", "tagged", "people"),
    [
        ("ordine 6628 Gavino Piras", "ordine 6628 Gavino Piras", ["Gavino Piras"]),
        ("аб. № 4402, Красимир Тодев", "4402, Красимир Тодев", ["Красимир Тодев"]),
        ("Rekening 88201734, Sjoerd Wiersma", "88201734, Sjoerd Wiersma", ["Sjoerd Wiersma"]),
        ("klant 5530 dank u", "klant 5530", []),
        ("ჯავშანი 118", "118", []),
        ("Leitor 3316.", "Leitor 3316", []),
        ("posto 5A, carrozza 12", "posto 5A, carrozza 12", []),
    ],
)
def test_a_number_with_a_label_is_none_and_the_people_beside_it_are_found(
    text: str, tagged: str, people: list[str]
) -> None:
    assert parts(text, tagged) == [("PERSON", each) for each in people]


@given(st.text(max_size=200), st.integers(0, 200), st.integers(0, 200), st.sampled_from([0.6, 0.95]))
def test_any_text_is_read(text: str, one: int, other: int, score: float) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    entity = Entity(start=start, end=end, kind="ADDRESS", text=text[start:end], score=score)
    for each in address_parts(text, entity):
        assert text[each.start : each.end] == each.text


@table("text", ["ул. 1 " * 3_000, "a. " * 8_000, "1" * 20_000, "rue " * 5_000, "A1, 1 A " * 3_000])
def test_hostile_texts_end(text: str) -> None:
    for at in range(0, len(text), max(1, len(text) // 20)):
        list(address_parts(text, Entity(start=at, end=min(len(text), at + 20), kind="ADDRESS", text="", score=0.95)))
