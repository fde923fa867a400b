"""Content words of a text in comparable form, and detection of negation."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from proctor.text.filtered_pattern import FilteredPattern
from proctor.text.script_ranges import EAST_ASIAN, HAN, HAN_COMPATIBILITY, HANGUL, KATAKANA, THAI_LETTERS

__all__ = ["clauses", "content", "negated", "overlap_share"]

_STOP: Final = frozenset(
    """
    a an the this that these those it its it's i i'm i'll i've me my we our us you your yours he she they them
    their his her is am are was were be been being do does did doing done have has had having will would shall
    should can could may might must to of in on at by for from with about into over under up down out off as
    and or if then than so because while when where which who whom whose what how why there here please just
    also very really more most some any all each every other another such only own same too s t re ve ll d m
    get got go going make made let want need like know tell say said see yes no not nor never none without
    cannot can't don't doesn't didn't isn't aren't wasn't won't n't but however within up per via okay ok well
    now today currently
    """.split()  # noqa: SIM905 - a page of words reads better than a page of quotation marks
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LETTERS_AND_DIGITS: Final = bytes(
    code if code == ord("'") or (code < 128 and chr(code).isalnum()) else ord(" ") for code in range(256)
)
_CJK = re.compile(f"[{HAN}{HAN_COMPATIBILITY}々]+|[{KATAKANA}]+|[{HANGUL}]+|[{THAI_LETTERS}]+")
_UNSPACED = re.compile(f"[{EAST_ASIAN}{HAN_COMPATIBILITY}{THAI_LETTERS}]+")
_SUFFIX = re.compile(r"(?<=[a-z]{3})(?:ies|ied)$|(?<=[a-z]{3})(?:ings?|ed|es|s|e|ly)$")
_POSSESSIVE = re.compile(r"['’]s?$")
_NUMBER = re.compile(r"[0-9]")
_NEGATION = FilteredPattern(
    r"\b(?:not|no|never|none|neither|nor|cannot|can ?not|without|unable|unavailable|unfortunately|out of stock|sold out"
    r"|non-?(?:refundable|returnable)|nothing|fails? to|ineligible|prohibited|forbidden|excluded|impossible"
    r"|refuse[sd]?)\b"
    r"|n['’]t\b"
    r"|ません|ない(?!と)|なく(?:な|、)|なかった|できかね|かねます|不可|不要|無効|対象外|在庫切れ|品切れ|売り切れ|切らして|禁止|ず(?:に|、)",
    re.IGNORECASE,
)
# "Not only" is no negation; "no later than" and "no charge" are limits and offers.
_NO_DENIAL = FilteredPattern(
    r"\b(?:not only|no later than|no more than|no less than|not later than|no problem|no worries|if not|whether or not"
    r"|(?:at )?no (?:extra |additional )?(?:charge|cost|fee)s?|unfortunately,? (?=yes))\b"
    r"|かもしれません|なければなりません|ないといけ",
    re.IGNORECASE,
)
# The particle of a romanised title: "Akagane no Kujira" is no negation.
_PARTICLE = FilteredPattern(r"\b[A-ZĀ-Ō][\w'’-]* no (?=[A-ZĀ-Ō])")
_CLAUSE = re.compile(
    r"(?<![0-9０-９])[,，](?![0-9])|(?<=[0-9])[,，](?=\s(?![12]\d{3}\b))|[;；]|、(?=.{4})|\s[–—]\s"
    r"|(?:^|\s)(?:but|while|whereas|although|though|however)\s"
    r"|(?:ですが|ますが|一方)[、,]?",
    re.IGNORECASE,
)
# The same in ASCII, where one class of characters begins every match, which is found ten times as fast.
_CONJUNCTION: Final = r"(?:but|while|whereas|although|though|however)\s"
_ASCII_OPENING: Final = re.compile(_CONJUNCTION, re.IGNORECASE)
_ASCII_CLAUSE: Final = re.compile(
    r"[,;\s](?:(?<=;)|(?<=,)(?<![0-9],)(?![0-9])|(?<=[0-9],)(?=\s(?![12]\d{3}\b))"
    rf"|(?<=\s){_CONJUNCTION})",
    re.IGNORECASE,
)


def content(text: str) -> frozenset[str]:
    """Return the content words: stems without numbers and function words; character bigrams in unspaced scripts."""
    return _remembered(text) if len(text) <= _SHORT else _content(text)


_SHORT: Final = 600  # characters of a text that is cached: a sentence is compared with many others


@lru_cache(maxsize=2048)
def _remembered(text: str) -> frozenset[str]:
    return _content(text)


def _content(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKC", text).lower() if not text.isascii() else text.lower()
    found: set[str] = set()
    if not plain.isascii():
        for run in _CJK.findall(plain):
            found.update([run] if len(run) == 1 else (run[at : at + 2] for at in range(len(run) - 1)))
        plain = _UNSPACED.sub(" ", plain)
    for word in set(_words(plain)) - _STOP:
        # In ASCII, a word of letters and digits that is not of letters alone has a digit.
        if len(word) > 1 and (word.isalpha() or not ((word.isascii() and word.isalnum()) or _NUMBER.search(word))):
            found.add(_stem(word))
    return frozenset(found)


def _words(plain: str) -> list[str]:
    """Return the words of a text; in ASCII they are runs of letters and digits, joined by apostrophes."""
    if not plain.isascii():
        return _WORD.findall(plain)
    words = plain.encode().translate(_LETTERS_AND_DIGITS).decode().split()  # a fifth of the time of the pattern
    if "'" in plain:
        words = [part for word in words for part in ([word] if "'" not in word else _WORD.findall(word))]
    return words


def overlap_share(wanted: frozenset[str], given: frozenset[str]) -> float:
    """Return the share of the wanted words that are given; 1 if none are wanted."""
    return len(wanted & given) / len(wanted) if wanted else 1.0


def negated(text: str) -> bool:
    """Whether the text contains a negation."""
    return _NEGATION.search(_NO_DENIAL.sub(" ", _PARTICLE.sub(" ", text))) is not None


def clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence."""
    if sentence.isascii():
        begin = _ASCII_OPENING.match(sentence)
        sentence = sentence[begin.end() :] if begin is not None else sentence
        return [part.strip() for part in _ASCII_CLAUSE.split(sentence) if part and part.strip()]
    return [part.strip() for part in _CLAUSE.split(sentence) if part and part.strip()]


@lru_cache(maxsize=16384)
def _stem(word: str) -> str:
    """Return a rough stem: opened, opening and opens are equal, and so are movies and movie."""
    word = _POSSESSIVE.sub("", word)
    stem = _SUFFIX.sub("", word)
    if stem != word and len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiouls":
        stem = stem[:-1]  # shipped, shipping: ship
    return stem[:-1] if len(stem) > 4 and stem[-1] in "iy" else stem
