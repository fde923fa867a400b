from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.script import broken_characters, has_japanese, language_of, mixed_words, scripts


@table(
    ("text", "language"),
    [
        ("Your order ships tomorrow.", "en"),
        ("Demon Slayer (鬼滅の刃 / Kimetsu no Yaiba) is available in English.", "en"),
        ("返品は15日以内に承ります。", "ja"),
        ("『SPY×FAMILY』は全12巻で、英語版（English edition）もあります。", "ja"),
        ("您的订单明天发货，请注意查收。", "zh"),
        ("주문하신 상품이 내일 발송됩니다.", "ko"),
        ("Los libros se pueden devolver en un plazo de 15 días con el recibo.", "other"),
        ("الطلب جاهز", "other"),
        ("123 — 456!", "none"),
        ("", "none"),
    ],
)
def test_the_language_is_that_of_the_sentence_not_of_a_title_in_it(text: str, language: str) -> None:
    assert language_of(text) == language


def test_scripts_are_counted() -> None:
    assert scripts("ab あア 漢 ж") == {"latin": 2, "kana": 2, "han": 1, "cyrillic": 1}
    assert has_japanese("a 漢")
    assert not has_japanese("abc")


def test_a_foreign_letter_inside_a_word_is_found() -> None:
    (slip,) = mixed_words("Pay with pаypal today")  # the second letter is Cyrillic
    assert slip.quote == "pаypal"
    assert mixed_words("Москва and Tokyo, café, スパイ×Family") == ()


@table("text", ["donâ€™t", "cafÃ©", "a\ufffdb", "a\x07b", "Tom &amp; Jerry"])
def test_traces_of_a_wrong_encoding_are_found(text: str) -> None:
    assert broken_characters(text)


def test_right_characters_are_left_alone() -> None:
    assert broken_characters("Café “naïve” – ¥1,200, 鬼滅の刃 & more\n\tnext") == ()


@given(st.text(max_size=200))
def test_any_text_has_a_language_and_slips_inside_it(text: str) -> None:
    assert language_of(text) in {"en", "ja", "zh", "ko", "other", "none"}
    for slip in (*mixed_words(text), *broken_characters(text)):
        assert 0 <= slip.start < len(text)
        assert slip.quote in text
