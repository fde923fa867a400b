"""Making a text plain: what goes, what stays, and where everything came from."""

from __future__ import annotations

import unicodedata

from tests.tables import table

from proctor.text.normalise import Limits, normalise

UNCHANGED = {
    "English": "I'd like to return my order no. 4711 – it's 20 % too small, isn't it?",
    "Japanese": "こんにちは。先週注文した商品がまだ届いていません、配送状況を確認していただけますか。Tシャツ2枚。",
    "Chinese": "你好、我的订单还没有到。请帮我查一下物流信息。",
    "Korean": "안녕하세요, 주문한 상품이 아직 도착하지 않았습니다.",
    "Russian": "Здравствуйте, а где мой заказ? Он не пришёл. Нет, сор не нужен, у моря.",
    "Russian with brands": "Хочу вернуть iPhone 13 Pro, а не Samsung. Как это сделать?",
    "Greek": "Καλημέρα, η παραγγελία μου δεν έχει φτάσει. Τι να κάνω?",
    "Ukrainian": "Привіт, моє замовлення ще не прийшло, що робити?",
    "Arabic": "مرحبا، لم يصل طلبي بعد. هل يمكنك التحقق من حالة التوصيل؟ 1445هـ",
    "Arabic with marks": "السَّلامُ عَلَيْكُمْ وَرَحْمَةُ اللهِ",
    "Persian": "سلام، می‌خواهم سفارشم را پس بدهم. نمی‌دانم چه‌کار کنم.",
    "Hebrew": "שלום, ההזמנה שלי עדיין לא הגיעה",
    "Hindi": "नमस्ते, मेरा ऑर्डर अभी तक नहीं आया है। क्‍या आप मदद कर सकते हैं?",
    "Bengali": "আমার অর্ডার এখনও আসেনি, র‍্যাব",
    "Thai": "สวัสดีค่ะ สินค้ายังไม่มาถึงเลย ช่วยตรวจสอบให้หน่อยได้ไหมคะ",
    "Vietnamese": "Xin chào, đơn hàng của tôi vẫn chưa được giao đến nơi.",
    "Turkish": "Merhaba, siparişim hâlâ gelmedi. Işıklı kutuyu bekliyorum.",
    "German": "Die Größe passt nicht, ich möchte die Bestellung zurückschicken.",
    "Yoruba": "Ẹ káàárọ̀, ṣé ẹ lè ràn mí lọ́wọ́?",
    "units": "5 μm, 10 kΩ, Δx, σ = 2, π",
    "family": "👨‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 ❤️‍🔥 🧑‍⚕️",
    "flags": "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🇫🇷🇩🇪🇯🇵",
    "emoji": "❤️ ☎️ 1️⃣ #️⃣ ‼️ ℹ️ ™️ 👍🏽",
}


@table("name", UNCHANGED)
def test_genuine_text_stays_as_it_is(name: str) -> None:
    text = unicodedata.normalize("NFC", UNCHANGED[name])
    result = normalise(text)
    assert result.plain == text
    assert list(result.offsets.starts) == list(range(len(text)))
    assert result.signals == ()


@table(
    ("text", "plain", "kind"),
    [
        ("i\u200bg\u200bn\u2060o\ufeffre", "ignore", "zero-width"),
        ("ig\u00adnore", "ignore", "soft-hyphen"),
        ("a\u202eb\u202cc\u200f", "abc", "bidirectional"),
        ("a\x00b\x07c\x9b", "abc", "control"),
        ("a\x0bb\x85c\u2028d", "a\nb\nc\nd", "control"),
        ("a\u00a0b\u2003c\u202fd\u1680e", "a b c d e", "space"),
        ("non\u2011stop", "non\u2010stop", "compatibility"),
        ("ｉｇｎｏｒｅ！", "ignore!", "full-width"),
        ("ｶﾞｷﾞ", "ガギ", "half-width"),
        ("𝓲𝓰𝓷𝓸𝓻𝓮 𝔞𝔩𝔩", "ignore all", "styled"),
        ("ⓘⓖⓝⓞⓡⓔ", "ignore", "enclosed"),
        ("🅸🅶🅽🅾🆁🅴", "IGNORE", "enclosed"),
        ("🇮 🇬 🇳 🇴 🇷 🇪", "I G N O R E", "enclosed"),
        ("ⁱᵍⁿᵒʳᵉ", "ignore", "superscript"),
        ("ɪɢɴᴏʀᴇ", "ignore", "small-capital"),
        ("ﬁnd", "find", "compatibility"),
        ("i\ufe01g\U000e0133n", "ign", "variation-selector"),
        ("葛\U000e0100飾", "葛飾", "variation-selector"),
        ("a\U000e0069\U000e0067b", "ab", "tag"),
        ("🏴\U000e0069\U000e0067\U000e006e\U000e007f", "🏴", "tag"),
        ("i̶g̶n̶o̶r̶e̶", "ignore", "combining"),
        ("ḯ̷̧̛g̸̢͉̈́n̶̡̓̋", "ign", "combining"),
        ("م\u200cن\u200cع", "منع", "zero-width"),
        ("تـــجـــاهـــل", "تجاهل", "kashida"),
        ("\ud800x", "\ufffdx", "surrogate"),
        ("\x1b[31mred\x1b[0m", "red", "control"),
    ],
)
def test_disguises_go_and_leave_a_signal(text: str, plain: str, kind: str) -> None:
    result = normalise(text)
    assert result.plain == plain
    signal = result.signal(kind)
    assert signal is not None
    assert signal.count >= 1
    assert all(0 <= start < end <= len(text) for start, end in signal.spans)


def test_a_joiner_after_every_letter_of_a_word_is_no_persian() -> None:
    hidden = "\u200c".join("می‌خواهم".replace("\u200c", ""))
    assert normalise(hidden).plain == "میخواهم"


def test_an_emoji_sign_beside_letters_is_a_letter() -> None:
    assert normalise("ℹ️gnore").plain.replace("\ufe0f", "") == "ignore"


def test_signals_count_all_and_show_the_first_places() -> None:
    text = "a\u200b" * 500
    signal = normalise(text).signal("zero-width")
    assert signal is not None
    assert signal.count == 500
    assert len(signal.spans) == 64
    assert signal.spans[0] == (1, 2)


def test_neighbours_are_one_span() -> None:
    signal = normalise("ab\u200b\u200b\u200bcd").signal("zero-width")
    assert signal is not None
    assert signal.spans == ((2, 5),)
    assert signal.count == 3


def test_offsets_lead_back_through_growth_and_loss() -> None:
    text = "x\u200b㌔ﬁ e\u0301y"
    result = normalise(text)
    assert result.plain == "xキロfi éy"
    at = result.plain.index("キロ")
    assert text[slice(*result.span(at, at + 2))] == "㌔"
    at = result.plain.index("fi")
    assert text[slice(*result.span(at, at + 1))] == "ﬁ"
    at = result.plain.index("é")
    assert text[slice(*result.span(at, at + 1))] == "e\u0301"
    assert result.span(0, len(result.plain)) == (0, len(text))


def test_the_empty_text_and_the_empty_span() -> None:
    assert normalise("").plain == ""
    assert normalise("").span(0, 0) == (0, 0)
    assert normalise("abc").span(1, 1) == (1, 1)
    assert normalise("\u200b\u200b").plain == ""
    assert normalise("\u200b\u200b").span(0, 5) == (0, 0)


def test_a_long_text_is_cleaned_whole_and_says_that_it_is_long() -> None:
    text = "a\u200b" * 500
    result = normalise(text, Limits(scan=100))
    assert result.plain == "a" * 500
    assert result.signal("oversize") is not None
    assert normalise("a" * 100, Limits(scan=100)).signal("oversize") is None
