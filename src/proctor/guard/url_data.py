"""Find data of the session in the address of a link: plain, encoded, reversed, or spread over its parts."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from proctor.guard.personal_words import are_personal
from proctor.guard.session_values import MIN_STRONG_BITS, SessionValues, information, windows, words_of
from proctor.text.letter_marks import without_marks
from proctor.text.shared_runs import squeezed, weigh
from proctor.text.token_codes import decoded_tokens
from proctor.text.web_address import WebAddress, unquoted

__all__ = ["CarriedData", "find_session_data"]

_MAX_GIVEN_SHARE: Final = 0.5  # of the words of a part
_MAX_PART_CHARS: Final = 4_096
_MAX_WORDS: Final = 200
_MIN_CODED_RUN: Final = 8  # weight of a passage in encoded form
_MIN_NAME_PART: Final = 8  # characters of a longer name or address
_MIN_TURNED_RUN: Final = 16  # reversed or in ROT13: every text can be read so
_TURNED: Final = ("reversed", "rot13")
_MIN_RECORD_RUN: Final = 24  # in plain form, from what the agent read
_MIN_SAID_RUN: Final = 40  # in plain form, from the customer's message: a search repeats its words
_MIN_PATH_RUN: Final = 60  # in a path, which repeats titles
_RUN_CHARS: Final = 400  # of a part that are compared with passages
_DIGEST: Final = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{64}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{32})(?![0-9A-Za-z])")
_HASHES: Final = {32: hashlib.md5, 40: hashlib.sha1, 64: hashlib.sha256}
_PLACEHOLDER: Final = re.compile(r"\[[A-Z][A-Z0-9_]{0,63}\]")
_EXTENSION: Final = re.compile(r"\.\w{1,5}$")
_DATE: Final = re.compile(r"(?:19|20)\d\d(?:0\d|1[0-2])(?:[0-3]\d)?")


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


def find_session_data(
    address: WebAddress, session: SessionValues, public: Iterable[str] = (), *, is_named: bool = True
) -> CarriedData | None:
    """Return the first data of the session in an address; None if there is none.

    ``public`` are words that may stand there, because an address that the session was given has them too. If nothing
    in the session has named the host (``is_named``), several words about a person count in any part of the address.
    """
    known = frozenset(public)
    texts = []
    for reading in _readings(address):
        kind = _matched(reading, session, known)
        if kind:
            return CarriedData(kind=kind, part=reading.part, coded=reading.coded)
        texts.append(reading.text)
    if not is_named and session.private and are_personal(texts, session.private_words, session.said):
        return CarriedData(kind="personal data", part="path")
    return _digest(address, session)


def _digest(address: WebAddress, session: SessionValues) -> CarriedData | None:
    """Return the hash of a value of the session in an address."""
    for hit in _DIGEST.findall(f"{address.host}/{address.path}?{address.query}#{address.fragment}"):
        make = _HASHES[len(hit)]
        if any(make(form.encode()).hexdigest() == hit.casefold() for form in session.written_values):
            return CarriedData(kind="a value", part="path", coded=str(make().name))
    return None


def _matched(reading: _Reading, session: SessionValues, public: frozenset[str]) -> str:
    text = reading.text
    if "[" in text and any(hit in session.private for hit in _PLACEHOLDER.findall(text)):
        return "personal data"
    words = words_of(text)[:_MAX_WORDS]
    joined = windows(words) - public
    if _has_value(joined, "".join(words), reading, session, public):
        return "a value"
    if _has_name(joined, reading, session, public):
        return "a name"
    if public and sum(word in public for word in words) > _MAX_GIVEN_SHARE * len(words):
        return ""  # a variant of an address that the session was given
    return "a passage" if _has_passage(text, reading, session) else ""


def _has_value(
    joined: set[str], letters: str, reading: _Reading, session: SessionValues, public: frozenset[str]
) -> bool:
    hits = joined & session.values
    if any(not _is_topic(value, reading, session) for value in hits):
        return True
    return any(
        value in letters and not _is_topic(value, reading, session)
        for value in session.strong_values - public
        if len(value) <= len(letters)
    )


def _is_topic(value: str, reading: _Reading, session: SessionValues) -> bool:
    """Return whether a value says what a page is about: a date, or a short code among the words of a title.

    A code that only the customer wrote may be the subject (wi-fi-certified-wpa3), unless it is alone in its segment.
    """
    if reading.coded == "rot13":  # it leaves digits as they are
        return value.isdigit()
    if reading.part != "path" or reading.coded not in ("", "pieces"):
        return False
    if _DATE.fullmatch(value):
        return True
    if value in session.read_values or information(value) >= MIN_STRONG_BITS:
        return False
    return not any(squeezed(_EXTENSION.sub("", each)) == value for each in reading.text.split("/"))


def _has_name(joined: set[str], reading: _Reading, session: SessionValues, public: frozenset[str]) -> bool:
    """Return whether names stand there; in a plain path they may be the topic of a page."""
    if reading.part == "path" and reading.coded in ("", "pieces"):
        return False
    if session.names and _has_person(joined, reading, session, public):
        return True
    words = sum(session.field_words[each] for each in joined & session.field_words.keys())
    return words > 1 or (words > 0 and reading.coded not in ("", "pieces", *_TURNED))


def _has_person(joined: set[str], reading: _Reading, session: SessionValues, public: frozenset[str]) -> bool:
    """Return whether a masked name or address stands there, or several of its words in a row."""
    words = words_of(without_marks(reading.text))[:_MAX_WORDS]
    every = joined | (windows(words) - public)
    if not every.isdisjoint(session.names):
        return True
    several = every.difference(words_of(reading.text), words)
    return any(len(each) >= _MIN_NAME_PART and each in name for each in several for name in session.names)


def _has_passage(text: str, reading: _Reading, session: SessionValues) -> bool:
    if reading.coded == "pieces":  # the plain reading has the same words
        return False
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
        plain = unicodedata.normalize("NFKC", unquoted(text[:_MAX_PART_CHARS])).replace("+", " ")
        yield _Reading(part=part, text=plain)
        seen = {plain}
        for coded, decoded in decoded_tokens(plain if part == "host" else unquoted(text[:_MAX_PART_CHARS])):
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
