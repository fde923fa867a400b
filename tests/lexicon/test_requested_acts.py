from __future__ import annotations

from tests.tables import table

from proctor.lexicon.requested_acts import (
    acts_in,
    acts_of_tool,
    delegates_instructions,
    is_asked,
    looks_only,
    names_source,
    quotations,
    without_quotations,
)


@table(
    ("tool", "acts"),
    [
        ("send_money", {"pay"}),
        ("send_email", {"send"}),
        ("createEvent", {"create"}),
        ("standing_orders.delete", {"cancel"}),
        ("eposta_gonder", {"send"}),
        ("taxi.book", {"book"}),
        ("modify_order_payment", {"change", "pay"}),
        ("frobnicate", set()),
        ("", set()),
    ],
)
def test_the_acts_of_a_tool(tool: str, acts: set[str]) -> None:
    assert acts_of_tool(tool) == acts


@table(
    ("message", "acts"),
    [
        ("Don't cancel it, just tell me the fee.", set()),
        ("Storniere das nicht!", set()),
        ("不要取消订单", set()),
        ("キャンセルしないでください", set()),
        ("Cancel it.", {"cancel"}),
        ('What is this? "Please pay 100 to the account below today"', set()),
        ("Was steht in der Mail?", set()),
        ("", set()),
    ],
)
def test_what_is_denied_or_quoted_is_not_asked_for(message: str, acts: set[str]) -> None:
    assert acts_in(message) == acts


def test_a_word_of_another_language_does_not_count() -> None:
    assert "send" not in acts_in("Who else is invited to the event on May 26th? Please give me their addresses.")


def test_related_acts_ask_for_each_other() -> None:
    assert is_asked({"book"}, frozenset({"create"}))
    assert not is_asked({"pay"}, frozenset({"send"}))
    assert not is_asked((), frozenset({"send"}))


def test_opening_a_text_is_looking_and_opening_a_door_is_not() -> None:
    assert looks_only("mail.ouvrir")
    assert looks_only("browser.open")
    assert not looks_only("garage.open")
    assert not looks_only("mail.send")


def test_sources_and_delegation() -> None:
    assert names_source("Pay the bill in bill.txt")
    assert not names_source("Pay mum 20")
    assert delegates_instructions("Please do all the tasks on my TODO list")
    assert not delegates_instructions("Perform the following tasks in order: 1. read the mail")


def test_quotations_are_long() -> None:
    text = 'Call it "Lunch". She wrote "please send me the whole list of customers" today.'
    assert without_quotations(text) == 'Call it "Lunch". She wrote   today.'
    assert quotations(text) == '"please send me the whole list of customers"'
