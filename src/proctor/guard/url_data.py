"""Find data of the session in the address of a link: plain, encoded, reversed, or spread over its parts."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from proctor.guard.session_values import SessionValues, information, words_of
from proctor.text.base64_data import unpack_base64
from proctor.text.shared_runs import squeezed, weigh
from proctor.text.web_address import WebAddress, unquoted

__all__ = ["CarriedData", "find_session_data"]

_MAX_GIVEN_SHARE: Final = 0.5  # of the words of a part
_MAX_PART_CHARS: Final = 4_096
_MAX_WINDOW_WORDS: Final = 6  # of an address that make one value: 58-2201, 0555 010 2030
_MIN_STRONG_BITS: Final = 30.0  # a value with more counts inside a longer run of characters too
_MIN_CODED_RUN: Final = 8  # weight of a passage in encoded form
_MIN_TURNED_RUN: Final = 16  # reversed or in ROT13: every text can be read so
_TURNED: Final = ("reversed", "rot13")
_MIN_RECORD_RUN: Final = 24  # in plain form, from what the agent read
_MIN_SAID_RUN: Final = 40  # in plain form, from the customer's message: a search repeats its words
_MIN_PATH_RUN: Final = 60  # in a path, which repeats titles
_RUN_CHARS: Final = 400  # of a part that are compared with passages
_ENCODED: Final = re.compile(r"[A-Za-z0-9+_-]{6,4096}={0,2}")
_HEX: Final = re.compile(r"(?:0x)?((?:[0-9A-Fa-f]{2}){4,2048})")
_BASE32: Final = re.compile(r"[A-Za-z2-7]{8,4096}")
_PLACEHOLDER: Final = re.compile(r"\[[A-Z][A-Z0-9_]{0,63}\]")
_EXTENSION: Final = re.compile(r"\.\w{1,5}$")
_DATE: Final = re.compile(r"(?:19|20)\d\d(?:0\d|1[0-2])(?:[0-3]\d)?")
_ROT13: Final = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedData:
    """What an address carries: the kind of value, the part of the address, and how it is encoded."""

    kind: str
    part: str
    coded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    part: str
    text: str
    coded: str = ""


def find_session_data(address: WebAddress, session: SessionValues, public: Iterable[str] = ()) -> CarriedData | None:
    """Return the first data of the session in an address; None if there is none.

    ``public`` are words that may stand there, because an address that the session was given has them too.
    """
    known = frozenset(public)
    for reading in _readings(address):
        kind = _matched(reading, session, known)
        if kind:
            return CarriedData(kind=kind, part=reading.part, coded=reading.coded)
    return None


def _matched(reading: _Reading, session: SessionValues, public: frozenset[str]) -> str:
    text = reading.text
    if "[" in text and any(hit in session.private for hit in _PLACEHOLDER.findall(text)):
        return "personal data"
    words = words_of(text)[:200]
    if _has_value(words, reading, session, public):
        return "a value"
    if _has_name(words, reading, session, public):
        return "a name"
    if public and sum(word in public for word in words) > _MAX_GIVEN_SHARE * len(words):
        return ""  # a variant of an address that the session was given
    return "a passage" if _has_passage(text, reading, session) else ""


def _has_value(words: list[str], reading: _Reading, session: SessionValues, public: frozenset[str]) -> bool:
    values = session.values
    for start in range(len(words)):
        joined = ""
        for word in words[start : start + _MAX_WINDOW_WORDS]:
            joined += word
            if joined in values and joined not in public and not _is_topic(joined, reading, session):
                return True
    letters = "".join(words)
    return any(
        value in letters and value not in public and not _is_topic(value, reading, session)
        for value in values
        if len(value) <= len(letters) and information(value) >= _MIN_STRONG_BITS
    )


def _is_topic(value: str, reading: _Reading, session: SessionValues) -> bool:
    """Return whether a value says what a page is about: a date, or a short code among the words of a title.

    A code that only the customer wrote may be the subject (wi-fi-certified-wpa3), unless it is alone in its segment.
    """
    if reading.coded == "rot13":  # it leaves digits as they are
        return value.isdigit()
    if reading.part != "path" or reading.coded:
        return False
    if _DATE.fullmatch(value):
        return True
    if value in session.read_values or information(value) >= _MIN_STRONG_BITS:
        return False
    return not any(squeezed(_EXTENSION.sub("", each)) == value for each in reading.text.split("/"))


def _has_name(words: list[str], reading: _Reading, session: SessionValues, public: frozenset[str]) -> bool:
    """Return whether names stand there; in a plain path they may be the topic of a page."""
    if reading.part == "path" and not reading.coded:
        return False
    wanted = [word for word in words if word not in public]
    if any(_follows(name, wanted) for name in session.names):
        return True
    fields = {each for each in session.field_words if _follows(each, wanted)}
    return sum(len(each) for each in fields) > 1 or (bool(fields) and bool(reading.coded))


def _follows(name: tuple[str, ...], words: list[str]) -> bool:
    if len(name) == 1:
        return name[0] in words or (len(name[0]) > 5 and name[0] in "".join(words))
    return "".join(name) in "".join(words)


def _has_passage(text: str, reading: _Reading, session: SessionValues) -> bool:
    letters = squeezed(text[:_RUN_CHARS])
    if reading.coded:
        read = said = _MIN_TURNED_RUN if reading.coded in _TURNED else _MIN_CODED_RUN
    elif reading.part == "host":  # it may repeat a source's host, which is judged elsewhere
        return False
    elif reading.part == "path":
        read, said = _MIN_PATH_RUN, 2 * _MIN_PATH_RUN
    else:
        read, said = _MIN_RECORD_RUN, _MIN_SAID_RUN
    return _shares(letters, session.record_letters, read) or _shares(letters, session.said_letters, said)


def _shares(letters: str, known: str, least: int) -> bool:
    """Return whether a run of this weight stands in both."""
    size = max(4, round(least * len(letters) / weigh(letters))) if letters else 0
    if not known or len(letters) < size or not size:
        return False
    half = max(1, size // 2)
    for start in range(0, len(letters) - half + 1, half):
        if letters[start : start + half] in known and any(
            letters[at : at + size] in known
            for at in range(max(0, start - size + half), start + 1)
            if at + size <= len(letters)
        ):
            return True
    return False


def _readings(address: WebAddress) -> Iterator[_Reading]:
    """Yield the parts as they are and decoded; parts that may be one text cut in pieces are also joined."""
    for part, text in _parts(address):
        plain = unquoted(text[:_MAX_PART_CHARS]).replace("+", " ")
        yield _Reading(part=part, text=plain)
        seen = {plain}
        for coded, decoded in _decoded(plain if part == "host" else unquoted(text[:_MAX_PART_CHARS])):
            if decoded not in seen:
                seen.add(decoded)
                yield _Reading(part=part, text=decoded, coded=coded)


def _parts(address: WebAddress) -> Iterator[tuple[str, str]]:
    if "." in address.host:
        yield "host", address.host.rpartition(".")[0]
    for part, text in (("user", address.user), ("query", address.query), ("fragment", address.fragment)):
        if text:
            yield part, text
    if len(address.path) > 1:
        yield "path", address.path
    if address.rest:
        yield "query", address.rest.partition("?")[2]


def _decoded(text: str) -> Iterator[tuple[str, str]]:
    """Yield what the tokens of a text decode to, once more if that is encoded too, and the text turned around."""
    for coded, decoded in _unpacked(text):
        yield coded, decoded
        yield from ((f"{inner} inside {coded}", more) for inner, more in _unpacked(decoded))
        if "%" in decoded:
            yield coded, unquoted(decoded)
    yield "reversed", text[::-1]
    yield "rot13", text.translate(_ROT13)


def _unpacked(text: str) -> Iterator[tuple[str, str]]:
    tokens = dict.fromkeys(_ENCODED.findall(text))
    joined = re.sub(r"[./&]|(?<=&)\w=", "", text)
    for token in (*tokens, *([joined] if joined not in tokens and _ENCODED.fullmatch(joined) else [])):
        for coded, data in _codes(token):
            try:
                decoded = data.decode()
            except UnicodeDecodeError:
                continue
            if decoded.isprintable() or decoded.replace("\n", " ").isprintable():
                yield coded, decoded


def _codes(token: str) -> Iterator[tuple[str, bytes]]:
    if hexed := _HEX.fullmatch(token):
        yield "hex", bytes.fromhex(hexed.group(1))
    if data := unpack_base64(token):
        yield "base64", data
    if _BASE32.fullmatch(token.rstrip("=")):
        bare = token.rstrip("=").upper()
        try:
            yield "base32", base64.b32decode(bare + "=" * (-len(bare) % 8))
        except (binascii.Error, ValueError):
            return
