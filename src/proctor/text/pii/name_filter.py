"""Filter the tagger's names in languages it was not trained on.

It was trained on English and Japanese. Elsewhere it takes capitals and rare words for names, so a name must meet more
conditions there: it is written like one, it is not an ordinary sentence opening, and the score is higher. These do not
apply after an introduction ("je m'appelle", "Frau", 저는), nor to a word that was beyond the tagger's limit, which must
be masked too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Final

from proctor.core.entity import Entity
from proctor.text.normalise.language_likeness import common_words, ranks
from proctor.text.pii.code_spans import is_no_name, without_record_codes
from proctor.text.pii.street_addresses import PARTICLES, address_parts
from proctor.text.script import language_of

__all__ = ["likely_names"]

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_READ: Final = 2_000  # characters used to detect the language
_SHORT: Final = 2  # words: too few to detect a language
_LEAST_ENGLISH: Final = 0.5  # share of the words; in other languages at most one in five is in the list
_CASED: Final = 0.7  # minimum score of a name with capitals; the tagger's own threshold is 0.6
_LONE: Final = 0.8  # of one capitalised word
_AT_START: Final = 0.9  # of one word at the beginning of a sentence
_NEVER: Final = 2.0  # of the first word of a message, which greets
_UNCASED: Final = 0.88  # in scripts without capitals, and in all-lowercase messages
_BEGINS: Final = re.compile(r"(?:^|[.!?…:;؟。！？\n\"“„«(\[•-])\s*$")
_GREETED: Final = re.compile(r"(?:[,!.]|\s)\s*[^\W\d_]+")  # a name alone has no words behind it
_SIGNED: Final = re.compile(r"(?:[,.!]|\n)\s*(?:[-–—]\s*)?$")
_INTRODUCED: Final = re.compile(
    r"(?:\b(?:name ist|ich bin|ich heiße|hier (?:ist|spricht)|herrn?|frau|dr\.?|prof\.?|familie|je m['’]appelle"
    r"|mon nom est|je suis|ici|mme|mr|m\.|monsieur|madame|mlle|me llamo|mi nombre es|soy|señora?|sr\.?|sra\.?|don|doña"
    r"|mi chiamo|il mio nome è|sono|signora?|sig\.?(?:ra)?|dott\.?(?:ssa)?|chamo-me|me chamo|meu nome é|sou|senhora?"
    r"|naam is|ik heet|ik ben|mevrouw|meneer|mevr\.?|dhr\.?|jag heter|mitt namn är|jeg hedder|jeg heter|mit navn er"
    r"|navnet mitt er|nimeni on|olen|minä olen|herra|rouva|nazywam się|jestem|jmenuji se|jsem|pan|pani|paní|pana"
    r"|adım|benim adım|ismim|ben|bay|bayan|sayın|zovem se|moje ime je|mano vardas|aš esu|numele meu este|mă numesc"
    r"|sunt|a nevem|hívnak|nama saya|saya|bapak|ibu|tôi là|tên tôi là|tên là|mera naam|main"
    r"|меня зовут|моё имя|я|мене звати|господин|госпожа|με λένε|λέγομαι|είμαι|κύριος|κυρία)"
    r"|मेरा नाम|मैं|श्री|श्रीमती|제 이름은|이름은|저는|나는|我叫|我是|我的名字是|名叫|اسمي|أنا|السيد|السيدة|ชื่อ|คุณ)"
    r"[\s:,]{0,3}$",
    re.IGNORECASE,
)
_ADDRESSED: Final = re.compile(r"\s?(?:さん|様|氏|님|씨|先生|女士|小姐|जी|साहब|bey|hanım)")


def likely_names(text: str, entities: Iterable[Entity]) -> list[Entity]:
    """Return the entities without unlikely people and addresses; in English and Japanese only codes are dropped."""
    found = [
        each
        for entity in entities
        if (each := without_record_codes(text, entity)) is not None
        and (_follows_introduction(text, each) or not is_no_name(text, each))
    ]
    if not found or _is_known(text):
        return found
    cased = _uses_capitals(text)
    return [
        kept
        for each in found
        for kept in _kept(text, each, cased=cased)
        if _follows_introduction(text, kept) or not is_no_name(text, kept)
    ]


def _kept(text: str, entity: Entity, *, cased: bool) -> Iterator[Entity]:
    if entity.suspected:
        yield entity
    elif entity.kind == "ADDRESS":
        yield from address_parts(text, entity)
    elif entity.kind != "PERSON" or _is_introduced(text, entity):
        yield entity
    elif not any(sign.islower() or sign.isupper() for sign in entity.text):  # a script without capitals
        if entity.score >= _UNCASED and len(entity.text.strip()) > 1:
            yield entity
    elif (left := _trimmed(text, entity)) is not None:
        least = _least(text, left)
        if entity.score >= least:
            yield left
    elif not cased and entity.score >= _UNCASED and not any(map(_ordinary, _WORD.findall(entity.text))):
        yield entity


def _least(text: str, entity: Entity) -> float:
    """Return the minimum score of a name with capitals."""
    if len(_WORD.findall(entity.text)) > 1:
        return _CASED
    if not text[: entity.start].strip() and _GREETED.match(text, entity.end):
        return _NEVER  # Grüezi, Hejsan
    return _AT_START if _BEGINS.search(text[max(0, entity.start - 8) : entity.start]) else _LONE


def _trimmed(text: str, entity: Entity) -> Entity | None:
    """Return the capitalised part of the name, without an ordinary word at a sentence start."""
    words = list(_WORD.finditer(entity.text))
    if words and _BEGINS.search(text[max(0, entity.start - 8) : entity.start]) and _ordinary(words[0].group()):
        words = words[1:]
    while words and not words[0].group()[0].isupper() and not _leads(words):
        words = words[1:]
    while words and not words[-1].group()[0].isupper():
        words.pop()
    if not words or not any(word.group()[0].isupper() for word in words):
        return None
    start, end = words[0].start(), words[-1].end()
    while end < len(entity.text) and entity.text[end] == ".":  # Jr.
        end += 1
    return replace(entity, start=entity.start + start, end=entity.start + end, text=entity.text[start:end])


def _leads(words: Sequence[re.Match[str]]) -> bool:
    """Whether a name may begin with the first word: van Dyk."""
    return PARTICLES.fullmatch(words[0].group()) is not None and len(words) > 1 and words[1].group()[0].isupper()


def _is_introduced(text: str, entity: Entity) -> bool:
    before = text[max(0, entity.start - 32) : entity.start]
    if _follows_introduction(text, entity):
        return True
    at_end = not text[entity.end :].strip(" .!\n")
    return at_end and entity.text[:1].isupper() and _SIGNED.search(before) is not None and entity.score >= _CASED


def _follows_introduction(text: str, entity: Entity) -> bool:
    """Whether the words around a person say that it is one."""
    before, after = text[max(0, entity.start - 32) : entity.start], text[entity.end : entity.end + 8]
    return entity.kind == "PERSON" and bool(_INTRODUCED.search(before) or _ADDRESSED.match(after))


def _ordinary(name: str) -> bool:
    """Whether all its words are common at sentence starts."""
    return all(word in _starters() or word in common_words() for word in map(str.lower, _WORD.findall(name)))


def _is_known(text: str) -> bool:
    """Whether the text is in English or Japanese, or too short to tell."""
    text = text[:_READ]
    words = [word.lower() for word in _LETTERS.findall(text)]
    if language_of(text) == "ja" or (len(words) <= _SHORT and text.isascii()):
        return True
    return sum(word in ranks() for word in words) >= _LEAST_ENGLISH * len(words)


def _uses_capitals(text: str) -> bool:
    """Whether a word inside a sentence has a capital: then lowercase words are not names."""
    return any(
        word.group()[0].isupper() and not _BEGINS.search(text[max(0, word.start() - 8) : word.start()])
        for word in _WORD.finditer(text[:_READ])
    )


@cache
def _starters() -> frozenset[str]:
    lines = files("proctor.text.pii").joinpath("starters.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
