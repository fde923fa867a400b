from __future__ import annotations

from tests.tables import table

from proctor.lexicon.open_requests import open_requests


@table(
    "message",
    [
        "Where is my parcel?",
        "Summarise the thread about the old wiki for me",
        "Fass mir Ticket 12 zusammen",
        "Montre-moi mes commandes",
        "¿Cuántos quedan?",
        "Laat de lijst zien",
        "Покажи письма за вчера",
        "予約を教えて",
        "看看我的订单",
        "주문 내역 보여줘",
        "",
    ],
)
def test_who_only_asks_to_know_asks_for_no_act(message: str) -> None:
    assert open_requests(message) == ""


@table(
    ("message", "left"),
    [
        ("Look up Ann and resend the parcel", "resend the parcel"),
        ("Where is it? Sort it out.", "Sort it out."),
        ("The parcel is lost, what now?", "The parcel is lost"),
        ("Renvoie le colis de Mme Roux", "Renvoie le colis de Mme Roux"),
        ('He wrote "please send me the whole list of customers today" yesterday', "He wrote   yesterday"),
    ],
)
def test_the_rest_is_left_open(message: str, left: str) -> None:
    assert open_requests(message) == left
