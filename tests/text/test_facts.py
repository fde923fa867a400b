from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.facts import Piece, compare, prepare

WINDOW = "15 days return window for opened manga"


@table(
    ("fact", "text"),
    [
        (WINDOW, "You can return opened manga within 15 days of delivery."),
        (WINDOW, "Opened volumes: 15 days. Unopened manga: 30 days."),
        ("14 days", "You have about two weeks."),
        ("Opened manga can be returned", "Sure! Opened manga can be returned within 15 days."),
        ("開封済みの漫画は15日以内に返品できます", "開封された漫画は、到着後１５日以内に返品できます。"),
        ("written by Sayo Kurobane", "It was written by Sayo Kurobane."),
        ("Release on May 3, 2024", "It will be released on 2024-05-03."),
        ("in stock", "Yes, in stock!"),
        ("Order #1234 shipped", "Your order #1234 has shipped."),
        ("ships in 3 to 5 days", "It ships within 3-5 days"),
    ],
)
def test_stated(fact: str, text: str) -> None:
    assert compare(fact, text).verdict == "stated"


@table(
    ("fact", "text"),
    [
        (WINDOW, "You can return opened manga within 30 days of delivery."),
        (WINDOW, "Opened manga can be returned within 30 days, unopened manga within 15 days."),
        ("15 days", "It is 115 days."),
        ("15 days", "It is 15 weeks."),
        ("Opened manga cannot be returned", "Opened manga can be returned."),
        ("free shipping over ¥3,000", "Shipping is free for orders over ¥5,000."),
        ("開封済みの漫画は15日以内に返品できます", "開封済みの漫画は30日以内であれば返品できます。"),
        ("Release on May 3, 2024", "It will be released on May 4, 2024."),
        ("in stock", "It is currently out of stock."),
        ("in stock", "It is not in stock."),
    ],
)
def test_something_else_in_its_place(fact: str, text: str) -> None:
    found = compare(fact, text)
    assert found.verdict == "conflict"
    assert found.quote
    assert found.reason


def test_a_conflict_names_both_numbers() -> None:
    found = compare(WINDOW, "You can return opened manga within 30 days of delivery.")
    assert found.reason == "says '30 days' where '15 days' is expected"


@table(
    ("fact", "text"), [("23 volumes", "Volume 23 is out now."), (WINDOW, "You can return it."), (WINDOW, ""), ("", "x")]
)
def test_not_there(fact: str, text: str) -> None:
    assert compare(fact, text).verdict == "absent"


def test_other_words_stay_open() -> None:
    found = compare("The shop is closed on Mondays", "We do not open at the beginning of the week.")
    assert found.verdict == "open"


@given(st.integers(min_value=1, max_value=10_000), st.integers(min_value=1, max_value=10_000))
def test_a_number_is_satisfied_by_itself_alone(wanted: int, given: int) -> None:
    text = f"You can return opened manga within {given} days of delivery."
    verdict = compare(f"{wanted} days return window for opened manga", text).verdict
    assert verdict == ("stated" if wanted == given else "conflict")


@given(st.text(max_size=80), st.text(max_size=300))
def test_any_two_texts_are_compared(fact: str, text: str) -> None:
    found = compare(fact, text)
    assert 0 <= found.share <= 1


def test_a_text_that_has_one_of_the_numbers_of_a_statement_is_no_rival_of_it() -> None:
    claim = "Shipping within Japan costs 480 yen and is free for orders of 5000 yen or more."
    assert compare(claim, "Shipping within Japan costs 480 yen.").verdict != "conflict"
    assert (
        compare(claim, "Shipping within Japan costs 380 yen and is free for orders of 3000 yen.").verdict == "conflict"
    )
    returned = "It was delivered on 7 November 2026, so please send it back by 22 November 2026."
    assert compare(returned, "send it back by 22 November 2026").verdict != "conflict"


def test_what_is_read_ahead_is_what_comparing_would_read() -> None:
    text = "Tours last 3 hours. Cancel up to 48 hours before, for free. Vol. 5 is sold out. Prices are 61 EUR"
    made = prepare(text)
    pieces = [piece for level in made.levels for piece in level]
    assert len(list(made.reading())) == len(pieces) >= 10
    for piece in pieces:
        fresh = Piece(piece.text)
        assert piece.words == fresh.words
        assert [each.quote for each in piece.quantities] == [each.quote for each in fresh.quantities]


@given(
    st.sampled_from(["Tours cost 61 EUR", "Cancel up to 48 hours before", "It opens on 3 May 2024", "Dogs may come"]),
    st.lists(
        st.sampled_from(
            [
                "Tours cost 61 EUR.",
                "Tours cost 70 EUR.",
                "Cancel 48 hours before.",
                "It opens on 4 May.",
                "Dogs may not come.",
                "Ask.",
            ]
        ),
        max_size=4,
    ).map(" ".join),
)
def test_without_the_nearest_piece_what_is_decided_is_the_same(fact: str, text: str) -> None:
    one, other = compare(fact, text), compare(fact, text, nearest=False)
    assert one == other or {one.verdict, other.verdict} <= {"absent", "open"}
