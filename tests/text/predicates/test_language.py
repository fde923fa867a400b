"""Languages told by letters and frequent words, and silence where those do not tell; scripts; cases."""

from __future__ import annotations

from tests.tables import table

from proctor.text.predicates import parse
from proctor.text.predicates.language_guess import LANGUAGES, language

SAMPLES = {
    "en": "The parcel was sent on Monday and should be with you by the end of the week.",
    "de": "Das Paket wurde am Montag verschickt und sollte bis Ende der Woche bei Ihnen sein.",
    "fr": "Le colis a été envoyé lundi et devrait être chez vous avant la fin de la semaine.",
    "es": "El paquete se envió el lunes y debería estar con usted antes de que termine la semana.",
    "it": "Il pacco è stato spedito lunedì e dovrebbe essere da voi entro la fine della settimana.",
    "pt": "O pacote foi enviado na segunda-feira e deve estar com você até o fim da semana, não antes.",
    "nl": "Het pakket is maandag verzonden en zou voor het einde van de week bij je moeten zijn.",
    "sv": "Paketet skickades på måndagen och det ska vara hos dig innan veckan är slut, inte senare.",
    "pl": "Paczka została wysłana w poniedziałek i nie wiem, czy to jest dobrze, ale może tak.",
    "tr": "Paket pazartesi günü gönderildi ve bu hafta sonuna kadar sizde olacak, daha sonra değil.",
    "id": "Paket itu dikirim pada hari Senin dan akan tiba di tempat anda dalam minggu ini.",
    "vi": "Gói hàng đã được gửi vào thứ hai và sẽ đến với bạn trong tuần này.",
    "el": "Το δέμα στάλθηκε τη Δευτέρα.",
    "he": "החבילה נשלחה ביום שני.",
    "th": "พัสดุถูกส่งเมื่อวันจันทร์",
    "ko": "소포는 월요일에 발송되었습니다.",
    "hi": "पार्सल सोमवार को भेजा गया था।",
    "ja": "荷物は月曜日に発送されました。",
    "zh": "包裹已于星期一寄出，本周内送达。",
    "ru": "Посылка была отправлена в понедельник, и мы ждём её.",
    "uk": "Посилку відправили в понеділок, і її вже чекають.",
    "ar": "تم إرسال الطرد يوم الاثنين.",
    "fa": "بسته روز دوشنبه فرستاده شد و به زودی می‌رسد، چه خوب.",
}


def test_every_language_has_a_sample() -> None:
    assert set(SAMPLES) == set(LANGUAGES)


@table("code", SAMPLES)
def test_languages(code: str) -> None:
    assert language(SAMPLES[code]) == code
    assert parse(f"language is {code}").check(SAMPLES[code]).ok is True
    other = "de" if code == "en" else "en"
    assert parse(f"language is {other}").check(SAMPLES[code]).ok is False


@table("text", ["NN", "Sci/Tech", "Apple, Microsoft, Tim Cook", "getBookAuthors", "OK"])
def test_too_few_words_leave_it_open(text: str) -> None:
    found = parse("language is en").check(text)
    assert (found.ok, found.known) == (None, False)


def test_letters_alone_can_rule_a_language_out() -> None:
    assert parse("language is ja").check("NN").ok is False
    assert parse("language is en").check("本").ok is False


def test_without_letters_the_question_does_not_arise() -> None:
    found = parse("language is en").check("12.5 %")
    assert (found.ok, found.known) == (None, True)


def test_tags_are_no_words() -> None:
    assert parse("language is en").check("<p><em>Hm</em></p><p><em>Oh</em></p>").ok is None


@table(
    ("predicate", "text", "ok"),
    [
        ("language is French", SAMPLES["fr"], True),
        ("is in german", SAMPLES["de"], True),
        ("language is en-GB", SAMPLES["en"], True),
        ("script is latin", "abc, é 12", True),
        ("script is latin", "abc д", False),
        ("script is japanese", "漢字かな", True),
        ("script is latin", "12", None),
        ("case is camel", "getBookAuthors", True),
        ("case is camel", "GetBook", False),
        ("case is camel", "get book", False),
        ("case is pascal", "GetBook", True),
        ("case is snake", "get_book_2", True),
        ("case is snake", "getBook", False),
        ("case is kebab", "get-book", True),
        ("case is constant", "MAX_SIZE", True),
        ("case is constant", "Max", False),
        ("case is upper", "HELLO, WORLD 2!", True),
        ("case is upper", "HELLO World", False),
        ("case is upper", "12", None),
        ("case is lower", "hello é", True),
        ("case is lower", "Hello", False),
        ("case is title", "The Lord of the Rings", True),
        ("case is title", "The lord of the Rings", False),
        ("case is sentence", "The lord of the rings", True),
        ("case is sentence", "the lord", False),
        ("case is sentence", "The Lord Of Rings", False),
    ],
)
def test_scripts_and_cases(predicate: str, text: str, ok: bool | None) -> None:
    found = parse(predicate).check(text)
    assert found.ok is ok, found.reason
