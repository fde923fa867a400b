"""Split text into words, sentences and tokens, in scripts with and without spaces."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from proctor.text.month_names import MONTH_NAMES
from proctor.text.script_ranges import UNSPACED

__all__ = ["characters", "lines", "sentences", "spread", "tokens", "words"]

# Separators of words; a hyphen or an apostrophe does not end a word.
_GAP = re.compile(r"[\s\u2014\u2026]+")
_YEAR = 4  # digits
_DIGITS = " \t0123456789"
_ASCII_TOKEN = re.compile(r"[a-z0-9]+")

_CLOSING = "\"'”’»)\\]）」』】〉》"
_SENTENCE_END = (
    r"[。！？｡.!?؟।…\n](?:"  # one class begins every match, which is found faster than alternatives
    rf"(?<=[。！？｡])[。！？｡]*[{_CLOSING}]*"  # needs no space after it
    # needs one, so that 3.14 and example.com are not split
    rf"|(?<=[.!?؟।…])(?<![.!?؟।…].)[.!?؟।…]*+[{_CLOSING}]*(?=\s|$)"
    r"|(?<=\n)\s*\n"
    r"|(?<=\n)(?=\s*(?:[-*•・]|\d{1,3}[.)])\s)"  # the next list item
    r")"
)
_ABBREVIATION = (
    r"(?:^|[\s(\"'“])"
    r"(?:mr|mrs|ms|dr|prof|sr|jr|st|vs|etc|no|fig|vol|approx|dept|inc|ltd|co|corp|e\.g|i\.e|cf|al|[a-z])\.$"
)
# An ordinal or a part of a date: ``3. Dezember``, ``3. joulukuuta``, ``3. 12. 2026``, ``2026. december``, ``kl. 10``.
_ORDINAL = r"(?:^|[^\w.,:])(?:\d{1,2}|(?P<year>\d{4})|(?P<short>kl|godz|nr|ca|tel))\.$"
_AFTER_ORDINAL = r"[ \u00a0\u202f]+(?:(?P<word>[^\W\d_]+)|(?P<number>\d+)(?P<dot>\.?))"
_AFTER_DAY = re.compile(r"(?<!\d)\d{1,2}\.[ \u00a0\u202f]+\d{1,2}\.$")  # the month of ``3. 12. 2026``


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")


@cache
def _sentence_end() -> re.Pattern[str]:
    return re.compile(_SENTENCE_END)


@cache
def _abbreviation() -> re.Pattern[str]:
    return re.compile(_ABBREVIATION, re.IGNORECASE)


@cache
def _ordinal() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_ORDINAL, re.IGNORECASE), re.compile(_AFTER_ORDINAL)


def spread(text: str) -> str:
    """Put spaces around each character of an unspaced script."""
    return text if text.isascii() else _unspaced().sub(r" \g<0> ", text)


def words(text: str) -> list[str]:
    """Return the words of a text; in unspaced scripts each character is one.

    A word is separated by spaces and has a letter or a digit, so ``don't`` and ``well-known`` are one word each, and a
    lone dash or emoji is none.
    """
    return [piece for piece in _GAP.split(spread(text)) if piece.isalnum() or any(map(str.isalnum, piece))]


def characters(text: str) -> int:
    """Return the number of characters after composing accents; spaces count."""
    return len(text if text.isascii() else unicodedata.normalize("NFC", text))


def lines(text: str) -> list[str]:
    """Return the lines that are not blank."""
    return [line for line in text.splitlines() if line.strip()]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, stripped; a blank line or a list item also ends one."""
    found: list[str] = []
    start = 0
    abbreviation = _abbreviation()
    for end in _sentence_end().finditer(text):
        if end.group() == "." and (
            abbreviation.search(text, max(start, end.start() - 12), end.end()) or _ends_ordinal(text, end.end())
        ):
            continue
        _keep(found, text[start : end.end()])
        start = end.end()
    _keep(found, text[start:])
    return found


def _ends_ordinal(text: str, end: int) -> bool:
    """Whether the full stop before ``end`` belongs to a number or an abbreviation that goes on with what follows."""
    ordinal, after = _ordinal()
    number = ordinal.search(text, max(0, end - 6), end)
    if (
        number is not None
        and number["short"] is None
        and text[end : end + 1] not in ("\n", "\r")
        and _is_alone(text, end - 1)
    ):
        return True  # the number of a list item
    ahead = after.match(text, end) if number else None
    if number is None or ahead is None:
        return False
    if number["short"]:
        return ahead["number"] is not None
    if ahead["number"] is not None:  # ``3. 12. 2026``
        is_month = len(ahead["number"]) == _YEAR and _AFTER_DAY.search(text, max(0, end - 10), end) is not None
        return number["year"] is None and (bool(ahead["dot"]) or is_month)
    return ahead["word"].casefold() in MONTH_NAMES or (number["year"] is None and ahead["word"][0].islower())


def _is_alone(text: str, end: int) -> bool:
    """Return whether only digits and blanks precede a place in its line."""
    while end and text[end - 1] in _DIGITS:
        end -= 1
    return not end or text[end - 1] == "\n"


def _keep(found: list[str], piece: str) -> None:
    piece = piece.strip()
    if any(character.isalnum() for character in piece):
        found.append(piece)
    elif piece and found:  # a lone ``…`` or emoji belongs to what precedes it
        found[-1] = f"{found[-1]} {piece}"


def tokens(text: str) -> list[str]:
    """Return lowercase words without punctuation; symbols and characters of unspaced scripts are separate.

    On ASCII text these are the tokens of ROUGE.
    """
    text = text.lower()
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    found: list[str] = []
    word: list[str] = []
    for character in unicodedata.normalize("NFC", text):
        kind = _kind(character)
        if kind == "word":
            word.append(character)
            continue
        if word:
            found.append("".join(word))
            word = []
        if kind == "alone":
            found.append(character)
    if word:
        found.append("".join(word))
    return found


@lru_cache(maxsize=8192)
def _kind(character: str) -> str:
    """Return ``word``, ``alone`` or ``gap``."""
    if _unspaced().match(character):
        return "alone"
    category = unicodedata.category(character)
    if category[0] in "LMN":
        return "word"
    return "alone" if category == "So" else "gap"
