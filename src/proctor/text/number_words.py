# ruff: noqa: E501 - rows of number words
"""Find numbers written in words, in eighteen languages: three, drei, trente-deux, iki, 十五, तीन, ثلاثة."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import pairwise, product
from typing import Final

__all__ = ["SpelledNumber", "find_number_words"]

_MOST_WORDS: Final = 5  # of one number: "quatre vingt dix neuf"
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’\u064b-\u0652\u093c-\u094d][^\W\d_]*)*")
_LETTERS_ALONE: Final = bytes(code if chr(code).isascii() and chr(code).isalpha() else 32 for code in range(256))
_PUNCTUATION: Final = dict.fromkeys(map(ord, "\u00a0‘’“”–—…€£"), " ")  # what English text has beside ASCII
_BETWEEN: Final = re.compile(r"[ \u00a0-]{1,2}|['’]")

_LINKS: Final[Mapping[str, str]] = {"en": "and", "es": "y", "pt": "e", "fr": "et"}  # between the parts of a number

# 0 to 19 (or 20), then the tens from 20 (or 30); forms of one number are joined by "|".
_SMALL: Final[Mapping[str, str]] = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen",
    "de": "null ein|eine|einen|einem|einer|eines|eins zwei|zweier drei|dreier vier fünf sechs sieben acht neun zehn elf"
    " zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "nl": "nul een|één|eén twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien"
    " zeventien achttien negentien",
    "fr": "zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept"
    " dix-huit dix-neuf",
    "es": "cero un|uno|una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis"
    " diecisiete dieciocho diecinueve",
    "it": "zero un|uno|una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici"
    " sedici diciassette diciotto diciannove",
    "pt": "zero um|uma dois|duas três quatro cinco seis sete oito nove dez onze doze treze quatorze|catorze quinze"
    " dezesseis|dezasseis dezessete|dezassete dezoito dezenove|dezanove",
    "pl": "zero jeden|jedna|jedno|jednego|jednej|jedną|jednym dwa|dwie|dwóch|dwu|dwoma|dwóm trzy|trzech|trzema"
    " cztery|czterech pięć|pięciu sześć|sześciu siedem|siedmiu osiem|ośmiu dziewięć|dziewięciu dziesięć|dziesięciu"
    " jedenaście|jedenastu dwanaście|dwunastu trzynaście|trzynastu czternaście|czternastu piętnaście|piętnastu"
    " szesnaście|szesnastu siedemnaście|siedemnastu osiemnaście|osiemnastu dziewiętnaście|dziewiętnastu",
    "ru": "ноль один|одна|одно|одного|одной|одну два|две|двух|двумя три|трёх|трех|тремя четыре|четырёх|четырех"
    " пять|пяти шесть|шести семь|семи восемь|восьми девять|девяти десять|десяти одиннадцать|одиннадцати"
    " двенадцать|двенадцати тринадцать|тринадцати четырнадцать|четырнадцати пятнадцать|пятнадцати"
    " шестнадцать|шестнадцати семнадцать|семнадцати восемнадцать|восемнадцати девятнадцать|девятнадцати",
    "tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz on on-bir on-iki on-üç on-dört on-beş on-altı on-yedi"
    " on-sekiz on-dokuz",
    "ar": "صفر واحد|واحدة اثنان|اثنين|اثنتين|اثنتان ثلاثة|ثلاث أربعة|أربع|اربعة|اربع خمسة|خمس ستة|ست سبعة|سبع"
    " ثمانية|ثماني|ثمان تسعة|تسع عشرة|عشر أحد-عشر|إحدى-عشرة اثني-عشر|اثنا-عشر|اثنتي-عشرة|اثنتا-عشرة"
    " ثلاثة-عشر|ثلاث-عشرة أربعة-عشر|أربع-عشرة خمسة-عشر|خمس-عشرة ستة-عشر|ست-عشرة سبعة-عشر|سبع-عشرة"
    " ثمانية-عشر|ثماني-عشرة تسعة-عشر|تسع-عشرة",
    "sv": "noll en|ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton"
    " nitton",
    "cs": "nula jeden|jedna|jedno|jednoho|jedné|jednu dva|dvě|dvou|dvěma tři|tří|třem čtyři|čtyř pět|pěti šest|šesti"
    " sedm|sedmi osm|osmi devět|devíti deset|deseti jedenáct|jedenácti dvanáct|dvanácti třináct|třinácti"
    " čtrnáct|čtrnácti patnáct|patnácti šestnáct|šestnácti sedmnáct|sedmnácti osmnáct|osmnácti devatenáct|devatenácti",
    "uk": "нуль один|одна|одне|одного|однієї|одну два|дві|двох|двома три|трьох|трьома чотири|чотирьох п’ять|п'ять|п’яти|п'яти"
    " шість|шести сім|семи вісім|восьми дев’ять|дев'ять|дев’яти|дев'яти десять|десяти одинадцять|одинадцяти"
    " дванадцять|дванадцяти тринадцять|тринадцяти чотирнадцять|чотирнадцяти п’ятнадцять|п'ятнадцять шістнадцять"
    " сімнадцять вісімнадцять дев’ятнадцять|дев'ятнадцять",
    "hi": "शून्य एक दो तीन चार पाँच|पांच छह|छः|छे सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह|पन्द्रह सोलह सत्रह अठारह उन्नीस",
    "ko": "영 한|하나 두|둘 세|셋|석 네|넷|넉 다섯 여섯 일곱 여덟 아홉 열 열한|열하나 열두|열둘 열세|열셋 열네|열넷 열다섯 열여섯 열일곱 열여덟 열아홉",
}
_TENS: Final[Mapping[str, str]] = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig|dreissig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingt|quatre-vingts quatre-vingt-dix",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "pl": "dwadzieścia|dwudziestu trzydzieści|trzydziestu czterdzieści|czterdziestu pięćdziesiąt|pięćdziesięciu"
    " sześćdziesiąt|sześćdziesięciu siedemdziesiąt|siedemdziesięciu osiemdziesiąt|osiemdziesięciu"
    " dziewięćdziesiąt|dziewięćdziesięciu",
    "ru": "двадцать|двадцати тридцать|тридцати сорок|сорока пятьдесят|пятидесяти шестьдесят|шестидесяти"
    " семьдесят|семидесяти восемьдесят|восьмидесяти девяносто|девяноста",
    "tr": "yirmi otuz kırk elli altmış yetmiş seksen doksan",
    "ar": "عشرون|عشرين ثلاثون|ثلاثين أربعون|أربعين خمسون|خمسين ستون|ستين سبعون|سبعين ثمانون|ثمانين تسعون|تسعين",
    "sv": "tjugo trettio fyrtio femtio sextio sjuttio åttio nittio",
    "cs": "dvacet|dvaceti třicet|třiceti čtyřicet|čtyřiceti padesát|padesáti šedesát|šedesáti sedmdesát osmdesát devadesát",
    "uk": "двадцять|двадцяти тридцять|тридцяти сорок|сорока п’ятдесят|п'ятдесят шістдесят сімдесят вісімдесят"
    " дев’яносто|дев'яносто",
    "hi": "बीस तीस चालीस पचास साठ सत्तर अस्सी नब्बे",
    "ko": "스무|스물 서른 마흔 쉰 예순 일흔 여든 아흔",
}
_HINDI: Final[Mapping[str, Decimal | int]] = {"इक्कीस": 21, "बाईस": 22, "तेईस": 23, "चौबीस": 24, "पच्चीस": 25, "छब्बीस": 26, "सत्ताईस": 27, "अट्ठाईस": 28,
                 "पैंतीस": 35, "छत्तीस": 36, "पैंतालीस": 45, "अड़तालीस": 48, "साढ़े": 0, "पचपन": 55, "पैंसठ": 65, "बहत्तर": 72,
                 "पचहत्तर": 75, "पचासी": 85, "पंचानवे": 95, "डेढ़": Decimal("1.5"), "ढाई": Decimal("2.5")}  # fmt: skip
_SPANISH: Final = "veintiuno|veintiún veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho"
_HUNDREDS: Final[Mapping[str, str]] = {
    "en": "hundred|a-hundred|one-hundred",
    "de": "hundert|einhundert",
    "nl": "honderd",
    "fr": "cent",
    "es": "cien|ciento",
    "it": "cento",
    "pt": "cem|cento",
    "pl": "sto|stu",
    "ru": "сто|ста",
    "tr": "yüz",
    "ar": "مئة|مائة",
    "sv": "hundra",
    "cs": "sto|sta",
    "uk": "сто|ста",
    "hi": "सौ",
}
_MANY_HUNDREDS: Final[Mapping[str, str]] = {
    "es": "doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos",
    "pt": "duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos",
    "pl": "dwieście trzysta czterysta pięćset sześćset siedemset osiemset dziewięćset",
    "ru": "двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот",
    "ar": "مئتان|مائتان|مئتين|مائتين ثلاثمئة|ثلاثمائة أربعمئة|أربعمائة خمسمئة|خمسمائة ستمئة|ستمائة سبعمئة|سبعمائة"
    " ثمانمئة|ثمانمائة تسعمئة|تسعمائة",
}
_THOUSANDS: Final[Mapping[str, str]] = {
    "en": "thousand|a-thousand|one-thousand",
    "de": "tausend|eintausend",
    "nl": "duizend",
    "fr": "mille",
    "es": "mil",
    "it": "mille|mila",
    "pt": "mil",
    "pl": "tysiąc|tysiące|tysięcy",
    "ru": "тысяча|тысячи|тысяч|тысячу",
    "tr": "bin",
    "ar": "ألف|آلاف|الف",
    "hi": "हज़ार|हजार",
}
_JOINED: Final = frozenset({"de", "nl", "it", "sv"})  # compounds are one word: dreihundert, vijfentwintig, tjugofem


@dataclass(frozen=True, slots=True)
class SpelledNumber:
    """A number in words, with the languages in which it is one."""

    value: Decimal
    start: int
    end: int
    languages: frozenset[str]


def find_number_words(text: str) -> Iterator[SpelledNumber]:
    """Yield the longest numbers in words, in order. A word may be a number in one language and none in another."""
    phrases, starts = _phrases()
    ascii_text = text if text.isascii() else text.translate(_PUNCTUATION)
    if ascii_text.isascii() and not _may_have_numbers(ascii_text):
        return
    keys = [word.lower() for word in _WORD.findall(text)]
    if starts.isdisjoint(keys):
        return
    words = list(_WORD.finditer(text))
    at = 0
    while at < len(words):
        taken = 0
        key = keys[at]
        if key in starts:
            last = min(at + _MOST_WORDS, len(words))
            known = key
            best: tuple[int, Mapping[str, Decimal]] | None = (at, phrases[key]) if key in phrases else None
            for more in range(at + 1, last):
                if not _BETWEEN.fullmatch(text[words[more - 1].end() : words[more].start()]):
                    break
                known = f"{known} {keys[more]}"
                if known in phrases:
                    best = more, phrases[known]
            if best is not None:
                more, values = best
                while (longer := _continued(text, words, keys, more, values, phrases)) is not None:
                    more, values = longer
                for value in sorted(set(values.values())):
                    languages = frozenset(code for code, each in values.items() if each == value)
                    yield SpelledNumber(value, words[at].start(), words[more].end(), languages)
                taken = more - at
        at += taken + 1


def _continued(
    text: str,
    words: Sequence[re.Match[str]],
    keys: Sequence[str],
    last: int,
    values: Mapping[str, Decimal],
    phrases: Mapping[str, Mapping[str, Decimal]],
) -> tuple[int, Mapping[str, Decimal]] | None:
    """Return where a number goes on after its last word, and its values then: "two hundred and fifty" and "two"."""
    for first in (last + 1, last + 2):  # a linking word may stand between
        for end in range(min(first + 2, len(keys) - 1), first - 1, -1):
            if not all(
                _BETWEEN.fullmatch(text[words[place].end() : words[place + 1].start()]) for place in range(last, end)
            ):
                continue
            rest = phrases.get(" ".join(keys[first : end + 1]), {})
            sums = {
                code: value + rest[code]
                for code, value in values.items()
                if code in rest
                and (first == last + 1 or keys[last + 1] == _LINKS.get(code))
                and _leaves_room(value, rest[code])
            }
            if sums:
                return end, sums
    return None


def _leaves_room(value: Decimal, rest: Decimal) -> bool:
    """Whether a number ends with as many zeros as another one has digits: 250 and 2, 1000 and 200, but not 20 and 10."""
    return 0 < rest < 1000 and rest % 1 == 0 and value >= 20 and value % 10 ** len(str(int(rest))) == 0


def _may_have_numbers(text: str) -> bool:
    """Return whether an ASCII text has a number of one word, or the first two words of a longer one."""
    # Bytes are translated ten times as fast as text.
    words = text.lower().encode().translate(_LETTERS_ALONE).decode().split()
    single, pairs = _beginnings()
    return not single.isdisjoint(words) or not pairs.isdisjoint(pairwise(words))


@cache
def _beginnings() -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """Return the phrases of one word, and the first two words of the others."""
    split = [phrase.split(" ") for phrase in _phrases()[0]]
    return (
        frozenset(words[0] for words in split if len(words) == 1),
        frozenset((words[0], words[1]) for words in split if len(words) > 1),
    )


@cache
def _phrases() -> tuple[dict[str, dict[str, Decimal]], frozenset[str]]:
    """Return the values of each phrase by language, and the first words of all phrases."""
    made: dict[str, dict[str, Decimal]] = {}
    for code in _SMALL:
        for phrase, value in _numbers(code):
            made.setdefault(phrase.replace("-", " "), {}).setdefault(code, Decimal(value))
    for word, number in _HINDI.items():
        made.setdefault(word, {})["hi"] = Decimal(number)
    return made, frozenset(phrase.split(" ", 1)[0] for phrase in made)


def _numbers(code: str) -> Iterator[tuple[str, int]]:
    """Yield the phrases of one language: 0 to 99, hundreds, and thousands up to 99,000."""
    low = _below_hundred(code)
    yield from ((phrase, value) for value, forms in low.items() for phrase in forms)
    hundreds: dict[int, list[str]] = {}
    if code in _HUNDREDS:
        one = _HUNDREDS[code].split("|")
        hundreds[100] = one
        for count in range(2, 10):
            hundreds[100 * count] = _times(code, low[count], [one[0]]) + (
                [f"{low[count][0]} cents"] if code == "fr" else []
            )
        for place, written in enumerate(_MANY_HUNDREDS.get(code, "").split(), 2):
            hundreds[100 * place] = written.split("|")
    yield from ((phrase, value) for value, forms in hundreds.items() for phrase in forms)
    for base, forms in hundreds.items():
        for rest in (*range(1, 21), *range(25, 100, 5)):
            yield from ((phrase, base + rest) for phrase in _added(code, forms, low[rest]))
    if code in _THOUSANDS:
        one = _THOUSANDS[code].split("|")
        yield from ((phrase, 1000) for phrase in one)
        for count in (*range(2, 21), 25, 30, 40, 50, 60, 70, 80, 90, 100):
            forms = hundreds[100] if count == 100 else low[count]
            yield from ((phrase, 1000 * count) for phrase in _times(code, forms, one))


def _below_hundred(code: str) -> dict[int, list[str]]:
    found = {place: forms.split("|") for place, forms in enumerate(_SMALL[code].split())}
    tens = {10 * place: forms.split("|") for place, forms in enumerate(_TENS[code].split(), 2)}
    found |= tens
    for ten, forms in tens.items():
        for unit in range(1, 10):
            value = ten + unit
            if code == "fr" and ten in (70, 90):
                found[value] = [
                    f"{f} {u}" for f in found[ten - 10] for u in (*found[10 + unit], *(f"et {w}" for w in found[11]))
                ][:6]
            elif code in ("de", "nl"):
                link = "und" if code == "de" else "en"
                ones = ["ein"] if code == "de" and unit == 1 else found[unit][:1]
                found[value] = [
                    f"{u}{'ën' if code == 'nl' and u.endswith('e') else link}{f}" for u in ones for f in forms
                ]
            elif code == "it":
                found[value] = [
                    f"{f[:-1] if unit in (1, 8) else f}{u.replace('tre', 'tré') if unit == 3 else u}"
                    for f in forms
                    for u in found[unit][-1 if unit == 1 else 0 :][:2]
                ]
                found[value] += [phrase.replace("tré", "tre") for phrase in found[value]]
            else:
                found[value] = _added(code, forms, found[unit])
    if code == "es":
        found |= {21 + place: forms.split("|") for place, forms in enumerate(_SPANISH.split())}
        found[29] = ["veintinueve"]
    return found


def _added(code: str, left: list[str], right: list[str]) -> list[str]:
    """Return the phrases for a sum: twenty one, treinta y uno, خمسة وعشرين."""
    if code == "ar":
        return [f"{small} و{big}" for big, small in product(left, right)] + [
            f"{big} و{small}" for big, small in product(left, right)
        ]
    link = {"es": " y ", "pt": " e ", "en": " and "}.get(code, " et " if code == "fr" else "")
    plain = "" if code in _JOINED or code == "ko" else " "
    return [f"{big}{plain}{small}" for big, small in product(left, right)] + (
        [f"{big}{link}{small}" for big, small in product(left, right)] if link else []
    )


def _times(code: str, left: list[str], right: list[str]) -> list[str]:
    """Return the phrases for a product: drei tausend, tres mil, dreihundert."""
    glue = ("", " ") if code in _JOINED else (" ",)
    return [f"{count}{each}{unit}" for count, unit, each in product(left, right, glue)]
