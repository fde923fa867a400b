"""Numbers as prompts write them, in digits or in words of many languages."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from proctor.generate.extract.vocabulary import worded

__all__ = ["COUNT", "ONE", "count_of"]

# One line a language, from one on; a slash separates the forms of one number.
_COUNTED: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
    "ein/eine/einen/einem/einer/eines/eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn",
    "un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze",
    "uno/una/un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    "um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze quinze",
    "uno/una/un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici",
    "een/één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien",
    "jeden/jedna/jedno/jednego/jednym dwa/dwie/dwóch trzy/trzech cztery/czterech pięć/pięciu sześć/sześciu siedem "
    "osiem/ośmiu dziewięć dziesięć/dziesięciu jedenaście dwanaście trzynaście czternaście piętnaście",
    "один/одна/одно/одного/одной/одну/одним два/две/двух три/трёх/трех четыре/четырёх/четырех пять/пяти шесть/шести "
    "семь/семи восемь/восьми девять/девяти десять/десяти одиннадцать двенадцать тринадцать четырнадцать пятнадцать",
    "하나/한 둘/두 셋/세 넷/네 다섯 여섯 일곱 여덟 아홉 열",
)
_TENS: Final = (
    "twenty thirty forty fifty sixty seventy eighty ninety hundred",
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert",
    "vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix cent",
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien",
    "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem",
    "venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento",
    "twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd",
)
_WORDS: Final = (
    {form: number for line in _COUNTED for number, forms in enumerate(line.split(), 1) for form in forms.split("/")}
    | {form: 10 * number for line in _TENS for number, form in enumerate(line.split(), 2)}
    | {"single": 1}
)
ONE: Final = frozenset(word for word, number in _WORDS.items() if number == 1) | worded("1 一 １")
_HAN: Final = "〇零一二两兩三四五六七八九十百"
_HAN_DIGITS: Final = {
    "〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
}  # fmt: skip
COUNT: Final = (
    r"(?:[0-9０-９]{1,3}(?:[.,\u00a0\u202f' ][0-9]{3})+(?![0-9])|[0-9０-９]{1,6}|["
    + _HAN
    + r"]{1,5}|(?<!\w)(?:"
    + "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True))
    + r")(?!\w))"
)


def count_of(text: str) -> int:
    """Return the whole number that digits or words stand for."""
    said = unicodedata.normalize("NFKC", text).strip().lower()
    if said in _WORDS:
        return _WORDS[said]
    if said and said[0] in _HAN:
        return _han(said)
    return int(re.sub(r"[^0-9]", "", said))


def _han(said: str) -> int:
    """Return the value of Chinese numerals below a thousand."""
    total, digit = 0, 0
    for sign in said:
        if sign in "十百":
            total += (digit or 1) * (10 if sign == "十" else 100)
            digit = 0
        else:
            digit = _HAN_DIGITS[sign]
    return total + digit
