# ruff: noqa: E501 - a row of words in nineteen languages reads better than a wrapped one
"""Units of measure in nineteen languages: how a unit is written after a number, and its size in a base unit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from proctor.text.first_letters import UNUSUAL_LETTERS, first_letters

__all__ = ["MeasureUnit", "find_unit"]

# Base unit, size, and the words by language. "" are signs and words that mean the same everywhere.
_Row = tuple[str, str, Mapping[str, str]]
_ROWS: Final[tuple[_Row, ...]] = (
    ("business day", "1", {
        "en": r"(?:business|working|work)[ -]days?", "de": r"(?:werk|arbeits)tag(?:e[ns]?|s)?", "nl": r"werkdag(?:en)?",
        "fr": r"jours? (?:ouvr[ée]s?|ouvrables?)", "es": r"d[ií]as? (?:h[aá]bil(?:es)?|laborables?)",
        "it": r"giorn[oi] lavorativ[oi]", "pt": r"dias? út(?:il|eis)", "sv": r"arbetsdag(?:ar)?|vardagar?", "da": r"arbejdsdage?|hverdage?|virkedager?", "cs": r"pracovní(?:ch|m)? d\w+",
        "uk": r"робоч\w+ (?:дн\w+|день)", "pl": r"d(?:zień|ni|nia) robocz\w+",
        "ru": r"рабоч\w+ (?:дн\w+|день)", "tr": r"iş gün\w*", "ar": r"(?:يوم|أيام|ايام) عمل", "hi": r"कार्य ?दिवस\w*",
        "ko": r"영업일", "ja": r"営業日", "zh": r"个?工作日"}),
    ("hour", "24", {
        "en": r"days?", "de": r"tag(?:e[ns]?|s)?", "nl": r"dag(?:en)?|etmalen|etmaal", "fr": r"jours?|journées?",
        "es": r"d[ií]as?", "it": r"giorn[oi]", "sv": r"dag(?:ar|ars)?|dygn", "da": r"dage?r?s?|døgn", "cs": r"d(?:en|ne|ny|ní|nů|nech)",
        "uk": r"дн(?:ів|і|я|ям|ях)|день|діб|доб[аиу]", "pt": r"dias?|diárias?", "pl": r"dzień|dni(?:a|ach|om)?|dob[yęa]|dób",
        "ru": r"дн(?:я|ей|ям|ях|и)|день|сут(?:ки|ок)", "tr": r"gün\w*", "ar": r"يوم(?:ا|ً)*|أيام|ايام", "hi": r"दिन\w*",
        "ko": r"일(?!부터|까지 ?부터|월|정|반)", "ja": r"日間|日(?!曜|本)", "zh": r"天|日(?!元|本|圆)"}),
    ("hour", "168", {
        "en": r"weeks?", "de": r"wochen?", "nl": r"we(?:ek|ken)", "fr": r"semaines?", "es": r"semanas?",
        "it": r"settiman[ae]", "sv": r"veck(?:a|or|ors)", "da": r"uger?s?|uker?s?", "cs": r"týd(?:en|ny|nů|ne|nech)", "uk": r"тиж(?:день|ні|нів|ня)", "pt": r"semanas?", "pl": r"tydzień|tygodni[ea]?", "ru": r"недел\w+", "tr": r"hafta\w*",
        "ar": r"أسبوع(?:ا|ً)*|أسابيع", "hi": r"हफ़्त\w*|हफ्त\w*|सप्ताह\w*", "ko": r"주(?:일|간)?(?!년|말|문|소|차|의)",
        "ja": r"週間", "zh": r"个?星期|周(?!年|日|末|[一二三四五六])|个?礼拜"}),
    ("hour", "1", {
        "": r"h(?![a-z0-9])", "en": r"hours?|hrs?", "de": r"stunden?|std", "nl": r"uren|uur", "fr": r"heures?",
        "es": r"horas?", "it": r"or[ae]", "sv": r"timm(?:e|ar|ars)", "da": r"timer?s?", "cs": r"hodin(?:a|y|u|ách)?", "uk": r"годин(?:а|и|у)?", "pt": r"horas?", "pl": r"godzin[ayę]?", "ru": r"час(?:а|ов|у|ам)?|ч(?![а-яё])",
        "tr": r"saat\w*", "ar": r"ساعة|ساعات", "hi": r"घंट\w*|घण्ट\w*", "ko": r"시간", "ja": r"時間", "zh": r"个?小时|個?小時"}),
    ("minute", "1", {
        "": r"min(?![a-z])", "en": r"min(?:ute)?s?", "de": r"minuten?", "nl": r"minut(?:en|uut)|minuut", "fr": r"minutes?",
        "es": r"minutos?", "it": r"minut[oi]", "sv": r"minut(?:er)?", "da": r"minut(?:ter)?", "cs": r"minut(?:a|y|u)?", "uk": r"хвилин(?:а|и|у)?|хв", "pt": r"minutos?", "pl": r"minut[ayę]?", "ru": r"минут[аыу]?|мин(?![а-яё])",
        "tr": r"dakika\w*|dk", "ar": r"دقيقة|دقائق", "hi": r"मिनट\w*", "ko": r"분(?!의|류|기)", "ja": r"分(?!の|か)",
        "zh": r"分钟|分鐘"}),
    ("month", "1", {
        "en": r"months?", "de": r"monat(?:e[ns]?|s)?", "nl": r"maand(?:en)?", "fr": r"mois", "es": r"mes(?:es)?",
        "it": r"mes[ei]", "sv": r"månad(?:er|ers)?", "da": r"måned(?:er|ers)?", "cs": r"měsíc(?:e|ů|ích)?", "uk": r"місяц\w*", "pt": r"m[eê]s(?:es)?", "pl": r"miesi(?:ąc|ące|ęcy|ąca|ącu)", "ru": r"месяц\w*|мес",
        "tr": r"ay(?![a-zçğıöşü])|ay(?:lık|dır|da|dan|a|ı)\w*", "ar": r"شهر(?:ا|ً)*|أشهر|شهور", "hi": r"महीन\w*|माह\w*",
        "ko": r"개월|달(?!러)", "ja": r"か月|ヶ月|カ月|ケ月|ヵ月|箇月", "zh": r"个月|個月"}),
    ("month", "12", {
        "en": r"years?|yrs?", "de": r"jahr(?:e[ns]?|s)?", "nl": r"ja(?:ar|ren)", "fr": r"ans?|années?", "es": r"años?",
        "it": r"ann[oi]", "sv": r"års?", "da": r"års?", "cs": r"ro(?:k|ky|ku|ků)", "uk": r"р(?:ік|оки|оків|оку)", "pt": r"anos?", "pl": r"lat(?:a|ach)?|rok(?:u|iem)?", "ru": r"год(?:а|у|ов)?|лет", "tr": r"yıl\w*|sene\w*|yaş\w*",
        "ar": r"سنة|سنوات|سنين|عام(?:ا|ً)*|أعوام", "hi": r"साल\w*|वर्ष\w*", "ko": r"년(?!\d|월)|살|세(?![가-힣])|세 ?(?:이상|이하|미만|부터)",
        "ja": r"年間|年(?!\d|\s?[0-9０-９]+\s?月)|歳|才", "zh": r"年(?!\d|\s?[0-9]+\s?月)|岁"}),
    ("gram", "1000", {
        "": r"kg|kilo?s?", "en": r"kilograms?", "de": r"kilogramm", "fr": r"kilogrammes?", "es": r"kilogramos?",
        "it": r"chil[oi]|chilogramm[oi]", "pt": r"quilos?|quilogramas?", "pl": r"kilogram\w*|kilo\w*", "ru": r"кг|кило\w*",
        "tr": r"kilo\w*", "ar": r"كيلوغرام\w*|كيلو(?:جرام\w*)?|كغ|كجم", "hi": r"किलो\w*|किग्रा", "ko": r"킬로(?:그램)?(?!미터)",
        "ja": r"キロ(?!メ)(?:グラム)?", "zh": r"公斤|千克"}),
    ("gram", "1", {
        "": r"g(?![a-z0-9])", "en": r"grams?|grammes?", "de": r"gramm", "fr": r"grammes?", "es": r"gramos?", "it": r"gramm[oi]",
        "pt": r"gramas?", "pl": r"gram(?:ów|y)?", "ru": r"грамм\w*|г(?![а-яё])", "tr": r"gram\w*", "ar": r"غرام\w*|جرام\w*",
        "hi": r"ग्राम\w*", "ko": r"그램", "ja": r"グラム", "zh": r"克(?!拉)"}),
    ("millimetre", "1000000", {
        "": r"km(?![a-z/²])", "en": r"kilomet(?:er|re)s?", "de": r"kilometern?", "fr": r"kilomètres?", "es": r"kilómetros?",
        "it": r"chilometr[oi]", "pt": r"quil[oó]metros?", "pl": r"kilometr\w*", "ru": r"км|километр\w*", "tr": r"kilometre\w*",
        "ar": r"كيلومتر\w*|كم(?!\w)", "hi": r"किलोमीटर|किमी", "ko": r"킬로미터", "ja": r"キロメートル", "zh": r"公里|千米"}),
    ("millimetre", "1000", {
        "": r"m(?![a-z0-9²³])", "en": r"met(?:er|re)s?", "de": r"metern?", "nl": r"meters?", "fr": r"mètres?", "es": r"metros?", "it": r"metr[oi]",
        "pt": r"metros?", "pl": r"metr(?:y|ów|a)?", "ru": r"метр(?:а|ов|ах)?|м(?![а-яё²])", "tr": r"metre\w*", "ar": r"متر\w*|أمتار",
        "hi": r"मीटर", "ko": r"미터", "ja": r"メートル", "zh": r"米(?!饭)"}),
    ("millimetre", "10", {
        "": r"cm(?![a-z])", "en": r"centimet(?:er|re)s?", "de": r"zentimetern?", "nl": r"centimeters?", "fr": r"centimètres?",
        "es": r"centímetros?", "it": r"centimetr[oi]", "pt": r"cent[ií]metros?", "pl": r"centymetr\w*", "ru": r"см|сантиметр\w*",
        "tr": r"santim\w*", "ar": r"سنتيمتر\w*|سم(?!\w)", "hi": r"सेंटीमीटर|सेमी", "ko": r"센티(?:미터)?", "ja": r"センチ(?:メートル)?", "zh": r"厘米|公分"}),
    ("megabyte", "1000", {"": r"gb(?![a-z])|gigabytes?|gigas?(?![a-z])", "fr": r"go(?![a-z])|gigaoctets?", "ru": r"гб|гигабайт\w*", "zh": r"G(?![a-z])"}),
    ("megabyte", "1", {"": r"mb(?![a-z])|megabytes?", "fr": r"mo(?![a-z])", "ru": r"мб|мегабайт\w*"}),
    ("millilitre", "1000", {
        "": r"l(?![a-z0-9])", "en": r"lit(?:er|re)s?", "de": r"litern?", "fr": r"litres?", "es": r"litros?", "it": r"litr[oi]",
        "pt": r"litros?", "pl": r"litr\w*", "ru": r"литр\w*|л(?![а-яё])", "tr": r"litre\w*", "ar": r"لتر\w*", "hi": r"लीटर", "ko": r"리터",
        "ja": r"リットル", "zh": r"升(?!级)"}),
    ("millilitre", "1", {"": r"ml(?![a-z])", "en": r"millilit(?:er|re)s?", "ru": r"мл", "zh": r"毫升", "ja": r"ミリリットル", "ko": r"밀리리터"}),
    ("volume", "1", {"en": r"vol(?:ume)?s?", "ja": r"巻"}),
    ("copy", "1", {"en": r"copies|copy", "ja": r"冊|部(?!分)"}),
    ("item", "1", {"en": r"items?|pieces?", "ja": r"点|個|つ(?!い|ま)"}),
    ("chapter", "1", {"en": r"chapters?", "ja": r"話"}),
    ("page", "1", {"en": r"pages?", "ja": r"ページ|頁"}),
    ("point", "1", {"en": r"points?", "ja": r"ポイント"}),
    ("star", "1", {"en": r"stars?"}),
    ("person", "1", {"en": r"people|persons?", "ja": r"人|名"}),
    ("time", "1", {"en": r"times", "ja": r"回|度"}),
    ("percent", "1", {
        "en": r"per ?cent", "de": r"prozent", "nl": r"procent", "fr": r"pour ?cent", "es": r"por ciento", "it": r"per cento", "sv": r"procent", "da": r"procent|prosent", "cs": r"procent\w*", "uk": r"відсотк\w+", "pt": r"por cento",
        "pl": r"procent\w*", "ru": r"процент\w*", "ar": r"(?:بالمئة|بالمائة|في المئة)", "hi": r"प्रतिशत|फ़ीसदी|फीसदी", "ko": r"퍼센트|프로(?!그|모)"}),
)  # fmt: skip
_Unit = tuple[str, Decimal, str]  # its base, its size, and the language of its word
_Word = tuple[re.Pattern[str], _Unit]
_MOST_GAP: Final = 2  # blanks and hyphens between a number and its unit
_UNSPACED: Final = frozenset({"ja", "zh", "ko", "hi", "ar", "ru", "uk"})  # their words never continue in Latin letters


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """A unit after a number: its base unit, its size, its end in the text, and the language of its word."""

    base: str
    size: Decimal
    end: int
    language: str


def find_unit(text: str, end: int, languages: frozenset[str] | None = None) -> MeasureUnit | None:
    """Return the unit right after a number that ends at ``end``; ``languages`` limits the languages of its word."""
    for _ in range(_MOST_GAP):
        gap = text[end : end + 1]
        if gap != "-" and not gap.isspace():
            break
        end += 1
    letter = text[end : end + 1]
    for pattern, (base, size, language) in _beginning(letter if letter in UNUSUAL_LETTERS else letter.lower()):
        if languages is not None and language and language not in languages:
            continue
        if (match := pattern.match(text, end)) is not None:
            return MeasureUnit(base, size, match.end(), language)
    return None


def _beginning(letter: str) -> Sequence[_Word]:
    """Return the words that may begin with a letter; trying all of them takes a tenth of a millisecond a number."""
    if letter in UNUSUAL_LETTERS:
        return _compiled("")
    return _compiled(letter) if letter in _by_letter() else ()


@cache
def _compiled(letter: str) -> list[_Word]:
    words = _by_letter()[letter] if letter else _words()
    return [(re.compile(written, re.IGNORECASE), unit) for written, unit in words]


@cache
def _by_letter() -> dict[str, list[tuple[str, _Unit]]]:
    found: dict[str, list[tuple[str, _Unit]]] = {}
    for written, unit in _words():
        letters = first_letters(written)
        if letters is None:
            raise ValueError(f"every unit begins with known letters, but {written!r} does not")
        for letter in letters:
            found.setdefault(letter, []).append((written, unit))
    return found


def _words() -> list[tuple[str, _Unit]]:
    """Return each word of a unit as a pattern, with the unit, in the order in which they are tried."""
    return [
        (_bounded(language, written), (base, Decimal(size), language))
        for base, size, words in _ROWS
        for language, written in words.items()
    ]


def _bounded(language: str, written: str) -> str:
    return f"(?:{written})" if language in _UNSPACED else rf"(?:{written})(?![^\W\d_])"
