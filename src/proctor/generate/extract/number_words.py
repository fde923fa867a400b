"""Numbers as prompts write them: digits, Chinese numerals, and words, which are read as digits of the same length."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from proctor.generate.extract.vocabulary import worded
from proctor.text.number_words import find_number_words
from proctor.text.predicates.language_guess import FUNCTION_WORDS

__all__ = ["COUNT", "ONE", "count_of", "in_digits"]

# One is an article, too, so it stays a word.
ONE: Final = worded(
    """
    one single ein eine einen einem einer eines eins un une uno una um uma een één jeden jedna jedno jednego jednym
    numa num duma dum один одна одно одного одной одну одним 하나 한 1 一 １
    """
)
_HAN: Final = "〇零一二两兩三四五六七八九十百"
_HAN_DIGITS: Final = {
    sign: value for value, signs in enumerate(("〇零", "一", "二两兩", *"三四五六七八九")) for sign in signs
}
COUNT: Final = (
    r"(?:[0-9０-９]{1,3}(?:[.,\u00a0\u202f' ][0-9]{3})+(?![0-9])|[0-9０-９]{1,6}|["
    + _HAN
    + r"]{1,5}|(?<!\w)(?:"
    + "|".join(sorted(ONE, key=len, reverse=True))
    + r")(?!\w))"
)


@lru_cache(maxsize=4096)
def in_digits(text: str, code: str = "") -> str:
    """Return the text with its number words as digits and blanks, so that every other character keeps its place.

    ``code`` is the language of the text. Where it cannot be told, a word means what it does in English, else the same
    number in every language that has it.
    """
    code = "" if code == "und" else code
    found: dict[tuple[int, int], set[int]] = {}
    for each in find_number_words(text):
        word = text[each.start : each.end].lower()
        english = not code and "en" in each.languages
        known = code in each.languages if code else english or word not in FUNCTION_WORDS
        if known and each.value > 1 and each.value == int(each.value):
            found.setdefault((each.start, each.end), set()).add(int(each.value))
    kept = list(text)
    for (start, end), values in found.items():
        digits = str(next(iter(values)))
        if len(values) == 1 and len(digits) <= end - start:
            kept[start:end] = digits.ljust(end - start)
    return "".join(kept)


def count_of(text: str) -> int:
    """Return the whole number that digits, Chinese numerals or a word for one stand for."""
    said = unicodedata.normalize("NFKC", text).strip().lower()
    if said in ONE:
        return 1
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
