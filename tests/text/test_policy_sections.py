from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.policy_sections import SECTIONS, about_the_talk, section_key, sections_of


@table(
    ("sentence", "section"),
    [
        ("Day tours can be cancelled with a full refund up to 48 hours before the start.", "policy"),
        ("After that there is no refund, because the policy does not allow it.", "policy"),
        ("Returns are accepted within 30 days.", "policy"),
        ("You must be at least 12 years old, and a passport is required.", "policy"),
        ("返品は30日以内に限ります。", "policy"),
        ("開始の48時間前まで無料でキャンセルできます。", "policy"),
        ("出発後のキャンセルは返金の対象外です。", "policy"),
        ("The tour costs 89 EUR per person.", "price"),
        ("Groups get 10 percent off the price.", "price"),
        ("Children under five travel free of charge.", "price"),
        ("大人は1人3,000円です。", "price"),
        ("キャンセル手数料は無料です。", "price"),
        ("Your booking LT-3 is confirmed for 2026-11-20.", "booking_terms"),
        ("The reservation includes two seats.", "booking_terms"),
        ("ご予約の変更は前日まで可能です。", "booking_terms"),
        ("Ihre Buchung 17 beginnt um 9 Uhr, storniert wird bis 24 Stunden vorher.", "booking_terms"),
    ],
)
def test_sentences_in_which_a_mistake_costs_are_critical(sentence: str, section: str) -> None:
    assert section in sections_of(sentence)


@table(
    "sentence",
    [
        "The guide speaks English and German.",
        "Bring comfortable shoes, water and a rain jacket.",
        "Temple Gardens is lovely at dawn.",
        "A colleague will answer you here within 10 minutes.",
        "ガイドは英語を話します。",
        "歩きやすい靴をお持ちください。",
        "",
    ],
)
def test_other_sentences_are_not(sentence: str) -> None:
    assert sections_of(sentence) == frozenset()


@table(
    "sentence",
    [
        "I cannot find that in our records.",
        "I'm sorry, but I could not see an approved refund.",
        "You can ask me about our rules, about your booking or about a tour.",
        "If you want me to look at the booking, please tell me its number.",
        "To speak about LT-4 I need the email address.",
        "The rule is the same as I said before.",
        "予約番号をお知らせください。",
    ],
)
def test_words_about_the_talk_are_told_from_claims(sentence: str) -> None:
    assert about_the_talk(sentence)


@table(
    "sentence",
    [
        "I cannot refund it, because our policy does not allow refunds.",
        "I do not see a fee, since refunds are not permitted.",
        "You can cancel until the day before.",
        "If you cancel today, half of the price is refunded.",
        "I cannot cancel it later than 48 hours before the start.",
        "A refund is not possible for this booking.",
    ],
)
def test_a_reason_or_a_figure_makes_it_a_claim(sentence: str) -> None:
    assert not about_the_talk(sentence)


def test_sections_have_one_key_however_they_are_written() -> None:
    assert {section_key(name) for name in ("Booking terms", "booking-terms", "BOOKING_TERMS")} == {"booking_terms"}


@given(st.text(max_size=200))
def test_any_text_has_known_sections(text: str) -> None:
    assert sections_of(text) <= set(SECTIONS)
    assert about_the_talk(text) in (True, False)
