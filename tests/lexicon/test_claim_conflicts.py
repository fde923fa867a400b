from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.lexicon.claim_conflicts import apart, conflict, kinship
from proctor.lexicon.comparable_claims import Saying, sayings


def one(text: str, about: str = "") -> Saying:
    (made,) = sayings(text, about=about)
    return made


@table(
    ("left", "right"),
    [
        ("Returns are accepted within 15 days of delivery.", "Returns are accepted within 30 days of delivery."),
        ("返品は到着から15日以内に承ります。", "本の返品は到着から30日以内に承ります。"),
        ("Spy×Family — $9.99, in stock", "Spy×Family costs $12.99 per volume."),
        ("Chainsaw Man volume 1 is in stock.", "Chainsaw Man volume 1 is out of stock."),
        ("この商品は在庫があります。", "この商品は在庫がありません。"),
        ("We ship to Canada.", "We do not ship to Canada."),
    ],
)
def test_what_cannot_both_be_true_is_found(left: str, right: str) -> None:
    assert conflict(one(left), one(right))
    assert conflict(one(right), one(left))


@table(
    ("left", "right"),
    [
        ("Standard delivery takes 5 days.", "Express delivery takes 1 day."),
        ("通常配送は5日かかります。", "速達配送は1日かかります。"),
        ("Volume 1 costs $9.99.", "Volume 2 costs $10.99."),
        ("Chainsaw Man is in stock.", "Jujutsu Kaisen is out of stock."),
        ("Delivery takes 3 to 5 days.", "Delivery takes 4 days."),
        ("You can return it within 15 days.", "You can return it within two weeks and one day, that is 15 days."),
        ("Your order B-1001 is pending.", "Your order B-1001 has been cancelled."),
        ("Members pay $5 if they order today.", "Members pay $8."),
        ("Spy×Family costs $9.99.", "The Spy×Family box set costs $59.99."),
    ],
)
def test_what_can_both_be_true_is_left_alone(left: str, right: str) -> None:
    assert conflict(one(left), one(right)) is None
    assert conflict(one(right), one(left)) is None


def test_pronouns_are_about_what_was_asked() -> None:
    here, there = one("It has 18 volumes.", "Tell me about Monster"), one("It has 41 volumes.", "And Vinland Saga?")
    assert apart(here, there)
    same = one("It has 20 volumes.", "How long is Monster?")
    assert conflict(here, same)


@given(st.text(alphabet=st.sampled_from("ab Man 15days本日。.$"), max_size=60), st.text(max_size=60))
def test_nothing_contradicts_itself_and_order_does_not_matter(left: str, right: str) -> None:
    for saying in sayings(left):
        assert conflict(saying, saying) is None
        assert kinship(saying, saying) in (0.0, 1.0)
        for other in sayings(right):
            assert bool(conflict(saying, other)) == bool(conflict(other, saying))


def test_two_orders_are_two_things_although_one_carrier_brings_both() -> None:
    first = sayings("Your order H-2055 is on its way with Yamabiko Express. It should arrive on 16 November 2026.")
    second = sayings("Your order H-2056 is on its way with Yamabiko Express. It should arrive on 20 November 2026.")
    assert all(apart(here, there) for here in first for there in second)
