"""Recognise spans of the tagger that are codes, citations of law or interjections, not names or addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Final

from proctor.core.entity import Entity
from proctor.text.normalise.language_likeness import per_letter

__all__ = ["is_no_name", "without_record_codes"]

_TOKEN: Final = re.compile(r"\w[\w'’]*")
_WORD: Final = re.compile(r"[^\W\d_]+")
_POSTCODE: Final = re.compile(r"\b(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)\b")  # British, Canadian
_CODE: Final = re.compile(r"[A-Za-z]+\d\w*")  # a house number begins with its digits: 12b
_BARE_NUMBER: Final = re.compile(r"\d{1,4}[^\W\d_]{0,2}")  # 214, 12b, 214号室: no street, no town
_FLIGHT: Final = re.compile(r"\b(?:[A-Z]{2}|[A-Z]\d|\d[A-Z]) \d{2,4}\b")
_CODE_AFTER: Final = re.compile(r" {1,2}[A-Z]+[-/]?\d")  # not 3pm, nor a telephone number
_NUMBER_AFTER: Final = re.compile(r" {1,2}[A-Z]*[-/]?\d")
_CITED: Final = re.compile(
    r"(?:§+|\b(?:art(?:\.|icles?|ikel|iculo|ículo|igo|icolo|ykuł)?|sec(?:\.|tion)|rule|abs(?:\.|atz)|par(?:\.|agraph)"
    r"|čl(?:\.|ánek)|madde|pasal|điều|стат(?:ья|ьи|ті)|ст\.|άρθρο|अनुच्छेद|धारा|المادة)) ?$",
    re.IGNORECASE,
)
# P-11, but not D-10115 before a town, which is a post code with its country.
_RECORD_CODE: Final = re.compile(r"(?<![\w-])(?![A-Z]{1,2}-\d{4,5}\s[^\W\d_])[A-Za-z]{1,8}-\d\w*(?:-\w+)*")
_POST_CODE_FORM: Final = re.compile(r"[A-Z]{1,2}-\d{4,5}")
_LABEL: Final = re.compile(r"[^\W\d_]+\.?[ \u00a0]{0,2}$")
_LAST_SEPARATOR: Final = re.compile(r"[.!?;:,\n]\s*$")
_NEXT_SEPARATOR: Final = re.compile(r"\s*[.!?;:,，、،\n]\s*")
_LEAST_TOKENS: Final = 3  # of an address beside a code: a street, its number and a town; "Raum 2" is none
_CODE_REACH: Final = 40  # characters around a span in which a code that it cuts may begin or end
_INTRODUCED: Final = re.compile(r"\b(?:name is|name|i am|i'm|this is|ms|mrs|mr|dr|miss)\b[.:]? ?$", re.IGNORECASE)
_CODE_CHARS: Final = range(3, 7)  # of a code without digits; longer ones are words in capitals
_CODE_BITS: Final = 7.8  # per letter: two thirds of random codes are above, one name in thirty
_SHORT, _NEAR = 12, 100  # characters before an entity that are searched; on both sides that show how it is written


def is_no_name(text: str, entity: Entity) -> bool:
    """Return whether a person or an address of the tagger is a code, a citation of law or an interjection."""
    if entity.suspected or entity.kind not in ("PERSON", "ADDRESS"):
        return False
    before = text[max(0, entity.start - _SHORT) : entity.start]
    if entity.kind == "ADDRESS":
        return _is_code(entity.text) or (entity.text[:1].isdigit() and _CITED.search(before) is not None)
    if _INTRODUCED.search(before):
        return False
    words = _WORD.findall(entity.text)
    if all(word.lower() in _interjections() for word in words):
        return True
    around = text[max(0, entity.start - _NEAR) : entity.end + _NEAR]
    named = words if _is_in_capitals(around) else [word for word in words if not _is_letter_code(word)]
    after = _NUMBER_AFTER if len(named) < len(words) else _CODE_AFTER
    return not named or (len(named) == 1 and after.match(text, entity.end) is not None)  # make and model: Dyson V15


def without_record_codes(text: str, entity: Entity) -> Entity | None:
    """Return a person or an address without the codes of records at its edges; None if little else is left.

    Codes such as P-11 look to the tagger like the number of a house.
    """
    if entity.suspected or entity.kind not in ("PERSON", "ADDRESS"):
        return entity
    first = max(0, entity.start - _CODE_REACH)
    around = text[first : entity.end + _CODE_REACH]
    codes = [(hit.start() + first, hit.end() + first) for hit in _RECORD_CODE.finditer(around)]
    codes = [(start, end) for start, end in codes if start < entity.end and end > entity.start]
    if entity.kind == "PERSON":
        return None if any(start <= entity.start and entity.end <= end for start, end in codes) else entity
    if not codes:
        return entity
    tokens = _TOKEN.findall(_beside(text, entity, codes))
    if len(tokens) < _LEAST_TOKENS or not any(token[0].isdigit() for token in tokens):
        return None
    return _cut(text, entity, codes)


def _beside(text: str, entity: Entity, codes: Sequence[tuple[int, int]]) -> str:
    """Return the words of a span beside its codes and the words that these codes follow: Fall T-302."""
    kept, at = [], entity.start
    for start, end in codes:
        kept.append(_LABEL.sub("", text[at:start]))
        at = end
    return " ".join((*kept, text[at : entity.end]))


def _cut(text: str, entity: Entity, codes: Sequence[tuple[int, int]]) -> Entity:
    """Return an address without a code that a separator divides from it; a flat in the middle of it stays."""
    start, end = entity.start, entity.end
    if codes[0][0] <= start and (hit := _NEXT_SEPARATOR.match(text, codes[0][1])) is not None:
        start = hit.end()
    last, stop = codes[-1]
    if stop >= end and _POST_CODE_FORM.fullmatch(text, last, stop) is None:
        # A flat may follow the street after a comma, with its word; a code alone, or in the next sentence, is no flat.
        hit = _LAST_SEPARATOR.search(text[start:last])
        if hit is None and (hit := _LAST_SEPARATOR.search(_LABEL.sub("", text[start:last]))) is not None:
            hit = None if hit.group()[0] == "," else hit
        end = end if hit is None else start + hit.start()
    return replace(entity, start=start, end=end, text=text[start:end])


def _is_code(address: str) -> bool:
    """Whether an address is a number, or a code with one word at most: "vol AF 1380", not "Flat B2, 14 Elm Road"."""
    tokens = _TOKEN.findall(address)
    if len(tokens) > 1 and _POSTCODE.search(address):  # one token alone is a code of the same form: X4K9QZ
        return False
    if len(tokens) == 1 and _BARE_NUMBER.fullmatch(tokens[0]):
        return True
    if (flight := _FLIGHT.search(address)) and len(_TOKEN.findall(address[: flight.start()])) <= 1:
        return not address[flight.end() :].strip(" .,!?")
    numbers = [token for token in tokens if any(map(str.isdigit, token))]
    words = [token for token in tokens if token not in numbers and not _is_letter_code(token)]
    if numbers and all(token.isascii() and _CODE.fullmatch(token) for token in numbers):
        return len(words) <= 1
    return not words and len(numbers) < len(tokens)


def _is_in_capitals(text: str) -> bool:
    """Whether a text of several words has no small letters, so that capitals mean nothing."""
    return len(_WORD.findall(text)) > 1 and not any(map(str.islower, text))


def _is_letter_code(word: str) -> bool:
    """Whether a word in capitals is an abbreviation or a booking code rather than a name in capitals."""
    is_shaped = word.isascii() and word.isupper() and len(word) in _CODE_CHARS
    return is_shaped and per_letter([word.lower()]) >= _CODE_BITS


@cache
def _interjections() -> frozenset[str]:
    lines = files("proctor.text.pii").joinpath("interjections.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
