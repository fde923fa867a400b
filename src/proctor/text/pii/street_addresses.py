"""Tell street addresses from numbers with a label, in languages that the tagger was not taught.

It takes any words with a number for an address there ("ordine 6628 Gavino Piras"), as sure as it is of a street. So an
address needs the form of one: a word for a street beside a short number, or a house number before a post code or town.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from proctor.core.entity import Entity
from proctor.text.letter_marks import without_marks

__all__ = ["PARTICLES", "address_parts"]

PARTICLES: Final = re.compile(r"v[ao]n|d(?:er|en|el|ella|[aeiou]|os|as)|l[ae]|[ea]l|b(?:in|int)|ibn|te[rn]|zur?|a[fv]")
_BEFORE: Final = 60  # characters before the tagger's span in which a street may begin
_GAP: Final = 2  # characters between the tagger's span and a street
_AFTER: Final = 60  # characters after it in which the town may stand
_NAMES: Final = 5  # words between the word for a street and the number, and of a name before it
_SURE: Final = 0.9  # score of an address without a word for a street or a post code
_SIGNS: Final = "\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e"  # vowels that are no letters to Python
_TOKEN: Final = re.compile(rf"[^\W_](?:[\w'’/{_SIGNS}-]|\.(?=[^\W\d_]))*\.?")
_NUMBER: Final = re.compile(r"\d{1,4}[^\W\d_]?(?:[/-]\d{1,3}[^\W\d_]?){0,3}")
_BREAK: Final = re.compile(r"[!?;:\n。！？]|\.\s+(?=[^\W\d_a-zß-öø-ÿа-яёα-ω])")
_CAPITAL: Final = r"(?=[^\W\d_a-zß-öø-ÿа-яёα-ωά-ώ])[^\W\d_]"  # also a letter of a script without capitals
_NAME: Final = rf"{_CAPITAL}[^\W\d_]+"
_HOUSE: Final = r"\d{1,4}[^\W\d_]?(?:[/-]\d{1,3}[^\W\d_]?){0,2}"
_CODE: Final = r"(?:[A-Z]{1,2}-)?(?:\d{3} \d{2}|\d{2}-\d{3}|\d{3,6}(?: [A-Z]{2})?)"
_FORMS: Final = tuple(
    re.compile(rf"(?<![\w-]){form}(?![\w-])")
    for form in (
        rf"[^\W\d_]{{3,}}\.? {_HOUSE}(?:,? [^\W\d_]{{1,3}}\.? ?\d{{0,4}}|, [^,;\n]{{1,24}})?,? {_CODE} [^\W\d_]{{2,}}",
        rf"{_NAME} {_HOUSE},? {_NAME},? \d{{5,6}}",
        rf"[A-Z]{{1,2}}-\d{{4,5}} {_NAME}",  # D-10115 Ulm
        rf"[A-Z]\d{{1,2}}, ?\d{{1,3}} {_NAME}",  # C4, 12 Mannheim, where blocks have letters
        r"(?:[Bb]ox|[Pp]ostfach|[Aa]partado|[Cc]asilla) \d{1,5}",
    )
)
_HOUSE_AND_TOWN: Final = re.compile(rf"(?<!\w){_NAME} \d{{1,3}}[^\W\d_]?, ?{_NAME}")
_NAMES_BEFORE: Final = re.compile(rf"(?<!\w)(?:{_NAME} ){{1,2}}$")
_EAST_ASIAN: Final = re.compile(
    r"[路街巷弄道段]\s?[0-9一二三四五六七八九十百]|\d+\s?(?:号|號|弄|巷|幢|栋|单元|번지)|[가-힣](?:로|길)\s?\d"
)
_EAST_ASIAN_RUN: Final = re.compile(r"[\u4e00-\u9fff가-힣\w-]+(?: [가-힣\d-]+)*")
_CODED: Final = re.compile(r"(?<!\d)(?:\d{4,6}|\d{2}-\d{3}|\d{4,5}-\d{3})$")
_CODE_CHARS: Final = 9
_CODE_LINE: Final = re.compile(rf"(?:[A-Z]{{2,3}}[. ]{{1,2}})?{_CODE}(?![\w-])")
_LONG: Final = re.compile(r"\w*\d[\d-]{6,}|[^\W\d_]+-\d+|[^\W\d_]+\d{3,}|\d+-\d{4,}|\d{7,}")  # no part of an address
_CLOSING: Final = re.compile(r"[!?;。！？]")
_MIN_WORD: Final = 3
_LONGEST_SHORT: Final = 5
_PERSON: Final = re.compile(rf"{_NAME}(?:['’-]{_NAME})*(?: {_NAME}(?:['’-]{_NAME})*){{1,3}}")


class _Token(NamedTuple):
    text: str
    start: int
    end: int


def address_parts(text: str, entity: Entity) -> Iterator[Entity]:
    """Yield the addresses in the tagger's span or across its edges, or the people in what is none."""
    spans = _spans(text, entity)
    for start, end in spans:
        yield replace(entity, start=start, end=end, text=text[start:end])
    for hit in _PERSON.finditer(text, entity.start, entity.end):
        if _is_cased(hit.group()) and all(hit.end() <= start or hit.start() >= end for start, end in spans):
            yield replace(entity, kind="PERSON", start=hit.start(), end=hit.end(), text=hit.group())


def _spans(text: str, entity: Entity) -> list[tuple[int, int]]:
    """Return the streets that meet the tagger's span, each with its number and what follows it."""
    low, high = max(0, entity.start - _BEFORE), min(len(text), entity.end + _AFTER)
    found: list[tuple[int, int]] = []
    for start, core in sorted(_cores(text, low, high, entity.score)):
        end = _tail(text, start, core, high)
        if start > entity.end + _GAP or end + _GAP < entity.start:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _cores(text: str, low: int, high: int, score: float) -> Iterator[tuple[int, int]]:
    tokens = [_Token(hit.group(), *hit.span()) for hit in _TOKEN.finditer(text, low, high)]
    for place, token in enumerate(tokens):
        if _is_street_word(token.text):
            yield from _beside(text, tokens, place)
    for form in (*_FORMS, *((_HOUSE_AND_TOWN,) if score >= _SURE else ())):
        for hit in form.finditer(text, low, high):
            before = _NAMES_BEFORE.search(text, max(0, hit.start() - _BEFORE), hit.start())
            yield (before.start() if before and hit.group()[0].isupper() else hit.start()), hit.end()
    for hit in _EAST_ASIAN_RUN.finditer(text, low, high):
        if _EAST_ASIAN.search(hit.group()):
            yield hit.span()


def _beside(text: str, tokens: list[_Token], place: int) -> Iterator[tuple[int, int]]:
    """Yield a street whose number follows within a few words or precedes the word for a street."""
    street = tokens[place]
    for after in tokens[place + 1 : place + 2 + _NAMES]:
        if _BREAK.search(text, street.end, after.start):
            break
        if _NUMBER.fullmatch(after.text.rstrip(".")):
            yield _named_from(text, tokens, place), after.end
            break
    for before in tokens[max(0, place - _NAMES) : place][::-1]:
        if _BREAK.search(text, before.end, street.start) or "," in text[before.end : street.start]:
            break
        if _NUMBER.fullmatch(before.text):
            last = street
            for each in tokens[place + 1 : place + 2 + _NAMES]:
                is_apart = re.search(r"[,;:!?\n]", text[last.end : each.start]) is not None
                if is_apart or not (each.text[0].isupper() or PARTICLES.fullmatch(each.text) or len(each.text) > 2):
                    break
                last = each
                if each.text[0].isdigit():
                    break
            yield before.start, last.end
            break


def _named_from(text: str, tokens: list[_Token], place: int) -> int:
    """Return where a street name begins that precedes the word for a street: Nørre Allé, Lale Sk."""
    start = tokens[place].start
    for at in range(place - 1, max(-1, place - 1 - _NAMES), -1):
        token = tokens[at]
        if text[token.end : tokens[at + 1].start].strip() not in ("", "."):
            break
        if token.text[0].isupper() or _is_street_word(token.text):
            start = token.start
        elif not PARTICLES.fullmatch(token.text):
            break
    return start


def _tail(text: str, start: int, end: int, high: int) -> int:
    """Return the end of an address with what follows its street: the flat, the post code, the town."""
    others, last, length = 0, end, _MIN_WORD + 1  # of the word before
    has_code = any(_CODED.fullmatch(word) for word in re.split(r"[\s,]+", text[start:end]))
    for hit in _TOKEN.finditer(text, end, high):
        between, word = text[last : hit.start()], hit.group().rstrip(".")
        if _CLOSING.search(between) or (":" in between and length > _MIN_WORD) or _LONG.fullmatch(word):
            break  # a colon may follow a short label within an address: No: 12
        if "\n" in between and _CODE_LINE.match(text, hit.start()) is None:
            break
        if hit.start() > end and _closes(text[: hit.start()].rstrip(), word, has_code=has_code):
            break
        last, length = hit.end(), len(word)
        has_code = has_code or _CODED.fullmatch(word) is not None
        if len(word) < _MIN_WORD and not word.isdigit():
            continue
        if word[0].isupper() or _NUMBER.match(word) or _CODED.fullmatch(word) or _is_street_word(word):
            others, end = 0, hit.start() + len(word)
        elif others or between.strip() or _CODED.search(text[max(start, end - _CODE_CHARS) : end]) is None:
            others += 1
            if others > 1:
                break
        else:  # the town behind a post code, in small letters
            others, end = others + 1, hit.end()
    return end


def _closes(before: str, following: str, *, has_code: bool) -> bool:
    """Whether a full stop ends a sentence, and not an abbreviation; behind a post code any does before a capital."""
    if not before.endswith(".") or not following[0].isupper():
        return False
    word = before.rstrip(".").rpartition(" ")[2]
    if has_code and word[:1].isupper():
        return True
    return len(word) > _MIN_WORD and not _is_street_word(word) and (word[:1].isupper() or len(word) > _LONGEST_SHORT)


def _is_street_word(token: str) -> bool:
    words, endings = _street_words()
    plain = without_marks(token)
    bare = plain.rstrip(".,")
    return plain in words or (bare in words) or (bare.endswith(endings) and len(bare) > 4)


def _is_cased(text: str) -> bool:
    return any(each.islower() for each in text) and any(each.isupper() for each in text)


@cache
def _street_words() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words, and the endings of longer words."""
    lines = files("proctor.text.pii").joinpath("street_words.txt").read_text(encoding="utf-8").splitlines()
    found = {without_marks(word) for line in lines if not line.startswith("#") for word in line.split()}
    words = {each for each in found if each[0] != "-"}
    words |= {each.rstrip(".") for each in words if len(each) > 3}  # av. is also written without its full stop
    return frozenset(words), tuple(sorted(each[1:] for each in found if each[0] == "-"))
