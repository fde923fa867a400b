"""Find titles of works and products in running text, in any script and spelling."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

__all__ = ["Mention", "candidates", "mentions", "same_title", "texts_of", "title_key"]

_LONGEST: Final = 200
_READ: Final = 100_000

_SAME = {
    "×": "x",
    "✕": "x",
    "✖": "x",
    "&": "and",
    "＆": "and",
    "ß": "ss",
    "ø": "o",
    "æ": "ae",
    "œ": "oe",
    "ł": "l",
    "ー": "",
}
_ROMAJI_LONG = re.compile(r"(?<=[a-z])(?:ou|oo|uu)")
_QUOTED = re.compile(
    r"『([^』\n]{1,120})』|「([^」\n]{1,120})」|《([^》\n]{1,120})》|“([^”\n]{2,120})”|\"([^\"\n]{2,120})\""
    r"|\*\*([^*\n]{2,120})\*\*|(?<![*\w])\*([^*\n]{2,120})\*(?![*\w])|(?<![_\w])_([^_\n]{2,120})_(?![_\w])"
)
_ITEM = re.compile(r"(?m)^\s*(?:[-*•・▪●]|\(?\d{1,3}[.)．、]|[①-⑳])\s*(.{2,200}?)\s*$")
_ITEM_END = re.compile(r"\s[-–—]\s|\s*[:：(（\[【,、。]|\s+by\s|\sは|は、|\s*[¥￥$]")
_WORK = re.compile(
    r"(?:[A-Z][\w'’×-]*|\d+(?:st|nd|rd|th)\b)"
    r"(?:[ :]+(?:(?:of|the|a|an|no|to|in|on|and|&|wa|ni|ga|x|×|de|la) +)*(?:[A-Z][\w'’×-]*|\d+))*"
)
_TRAIL = re.compile(r"[,，]?\s*(?:\b(?:vol(?:ume)?s?\.?|box set)\b.*|第?\d+巻.*|#\d+)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A place in a text where a title occurs."""

    start: int
    end: int
    quote: str


def title_key(title: str) -> str:
    """Return a key that is equal for all spellings of one title.

    Case, width, accents, punctuation, spaces and long-vowel marks are ignored; katakana equals hiragana.
    """
    return "".join(_key_character(character) for character in title[:_LONGEST])


@lru_cache(maxsize=16384)
def _key_character(character: str) -> str:
    if (same := _SAME.get(character)) is not None:
        return same
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", character).casefold())
    kept = []
    for each in plain:
        # The marks of が and ぱ are part of the character; accents and macrons of Latin letters are not.
        if unicodedata.category(each)[0] in "LN" or each in "\u3099\u309a":
            kept.append(chr(ord(each) - 0x60) if "ァ" <= each <= "ヶ" else _SAME.get(each, each))
    return "".join(kept)


def same_title(one: str, other: str) -> bool:
    """Whether two spellings name the same title; long vowels may be written out (Toukyou, Tokyo)."""
    first, second = title_key(one), title_key(other)
    return bool(first) and (first == second or _short(first) == _short(second))


def mentions(title: str, text: str, *, most: int = 20) -> list[Mention]:
    """Return where the title occurs in any spelling; at most ``most`` places.

    In scripts with spaces it must be a whole word: ``Monster`` is not in ``Monsters``.
    """
    wanted = title_key(title)
    if not wanted or (len(wanted) < 2 and wanted.isascii()):
        return []
    text = text[:_READ]
    keyed, places = _keyed(text)
    found: list[Mention] = []
    for needle in dict.fromkeys((wanted, _short(wanted))):
        hay, at = (keyed, places) if needle == wanted else _keyed_short(keyed, places)
        start = hay.find(needle)
        while start >= 0 and len(found) < most:
            first, last = at[start], at[start + len(needle) - 1] + 1
            if not _cuts_word(text, first) and not _cuts_word(text, last):
                found.append(Mention(start=first, end=last, quote=text[first:last]))
            start = hay.find(needle, start + 1)
        if found:
            break
    return found


def candidates(text: str, *, most: int = 40) -> list[Mention]:
    """Return possible titles: in quotation marks or bold, at the start of a list item, capitalised.

    They are guesses for a catalogue lookup; in order, without overlaps.
    """
    text = text[:_READ]
    found = [*_marked(text), *_items(text), *_capitals(text)]
    chosen: list[Mention] = []
    for one in found:  # marked titles take precedence over those that only look like one
        if len(chosen) >= most:
            break
        if title_key(one.quote) and all(one.end <= other.start or one.start >= other.end for other in chosen):
            chosen.append(one)
    return sorted(chosen, key=lambda one: one.start)


def _marked(text: str) -> Iterator[Mention]:
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        yield from _trimmed(text, match.start(group), match.end(group))


def _items(text: str) -> Iterator[Mention]:
    for item in _ITEM.finditer(text):
        end = _ITEM_END.search(text, item.start(1), item.end(1))
        yield from _trimmed(text, item.start(1), end.start() if end else item.end(1))


def _capitals(text: str) -> Iterator[Mention]:
    for match in _WORK.finditer(text):
        if len(match.group()) > 2:
            yield from _trimmed(text, match.start(), match.end())


def _trimmed(text: str, start: int, end: int) -> Iterator[Mention]:
    """Yield the span without marks and spaces at its ends, and without a volume number."""
    piece = text[start:end]
    if trail := _TRAIL.search(piece):
        piece = piece[: trail.start()]
    body = piece.strip(" \t*_“”\"'「」『』.,:;!?。、")
    if body:
        lead = piece.find(body)
        yield Mention(start=start + lead, end=start + lead + len(body), quote=body)


def _short(key: str) -> str:
    return _ROMAJI_LONG.sub(lambda match: match.group()[0], key)


@lru_cache(maxsize=16)
def _keyed(text: str) -> tuple[str, Sequence[int]]:
    """Return the text's key, and the offset of each of its characters; cached, to search many titles."""
    pieces: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        key = _key_character(character)
        pieces.append(key)
        places.extend([at] * len(key))
    return "".join(pieces), places


def _keyed_short(keyed: str, places: Sequence[int]) -> tuple[str, Sequence[int]]:
    dropped = {match.start() + 1 for match in _ROMAJI_LONG.finditer(keyed)}
    kept = [at for at in range(len(keyed)) if at not in dropped]
    return "".join(keyed[at] for at in kept), [places[at] for at in kept]


def _cuts_word(text: str, at: int) -> bool:
    """Whether the offset is inside a word of a script with spaces."""
    return 0 < at < len(text) and _spaced_letter(text[at - 1]) and _spaced_letter(text[at])


@lru_cache(maxsize=8192)
def _spaced_letter(character: str) -> bool:
    if not character.isalnum():
        return False
    name = unicodedata.name(character, "")
    return not name.startswith(("CJK", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"))


def texts_of(value: Any) -> list[str]:
    """Return the texts of a value: one, or several in a list or by language."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for each in value.values() for text in texts_of(each)]
    return [text for each in value for text in texts_of(each)] if isinstance(value, (list, tuple)) else []
