"""The values and texts of a session that must not leave in the address of a link: ids, numbers, names, passages."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.trajectory import Source
from proctor.guard.ledger import result_text
from proctor.guard.personal_words import personal_words
from proctor.guard.step import Step
from proctor.text.cached_property import once
from proctor.text.letter_marks import without_marks
from proctor.text.shared_runs import squeezed

__all__ = ["MIN_STRONG_BITS", "SessionValues", "information", "windows", "words_of"]

MIN_VALUE_BITS: Final = 16.0  # a number of five digits, a code of four mixed characters; fewer are shared by chance
MIN_STRONG_BITS: Final = 30.0  # a value with more counts inside a longer run of characters too
MAX_WINDOW_WORDS: Final = 6  # words of an address that make one value: 58-2201, 0555 010 2030
_MAX_TEXT_CHARS: Final = 40_000
_MAX_LEAF_CHARS: Final = 80  # a longer field of a record is prose
_MAX_REPORT_CHARS: Final = 200  # a longer text of a tool is a document
_MAX_DEPTH: Final = 8
_MIN_NAME_CHARS: Final = 3
_KEPT_CALLS: Final = 512
_NUMBER: Final = re.compile(r"\d(?:[\s().-]{0,2}\d){4,24}")
_CHUNK: Final = re.compile(r"[\w.@#/-]+")
_DIGIT: Final = re.compile(r"\d")
_EMAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_WORD: Final = re.compile(r"[^\W_]+")
_PUNCTUATION: Final = bytes(code for code in range(128) if not chr(code).isalnum())


def words_of(text: str) -> list[str]:
    """Return the runs of letters and digits of a text, in lowercase."""
    return _WORD.findall(text.casefold())


def windows(words: list[str]) -> set[str]:
    """Return every run of up to six words, joined."""
    made = set(words)
    for start in range(len(words) - 1):
        joined = words[start]
        for word in words[start + 1 : start + MAX_WINDOW_WORDS]:
            joined += word
            made.add(joined)
    return made


def information(value: str) -> float:
    """Return about how many bits a squeezed value has: a digit 3.3, a letter 4.7.

    At most two letters count for each digit: a code is a mixture, and wpa3 is a word.
    """
    digits = len(_DIGIT.findall(value))
    return 3.32 * digits + 4.7 * min(len(value) - digits, 2 * digits)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CallReading:
    """A tool call as text, the short texts that are a whole field of its result, and the result itself if it is one."""

    texts: tuple[str, ...]
    fields: frozenset[str]
    report: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _TextValues:
    """The values of one text, and those that count inside a longer run of characters."""

    all: frozenset[str]
    strong: frozenset[str]


@dataclass(frozen=True)
class SessionValues:
    """What a session holds. Each part is computed when it is first needed.

    ``said`` are the customer's messages, ``records`` everything else: sources, tool results, metadata, the prompt.
    """

    step: Step
    prompt: str = ""

    @once
    def said(self) -> tuple[str, ...]:
        """The customer's messages."""
        return tuple(self.step.memory.asked)

    @once
    def records(self) -> tuple[str, ...]:
        """The texts that the agent read: sources, arguments and results of tools, metadata, the system prompt."""
        memory = self.step.memory
        sources = (f"{each.title or ''}\n{each.text}\n{each.uri or ''}" for each in self.sources)
        calls = (text for call in self._calls for text in call.texts)
        told = json.dumps(self.step.metadata, ensure_ascii=False, default=str) if self.step.metadata else ""
        own = " ".join(filter(None, (memory.customer, memory.session)))
        return tuple(text[:_MAX_TEXT_CHARS] for text in (*sources, *calls, told, own, self.prompt) if text)

    @once
    def sources(self) -> tuple[Source, ...]:
        """The sources of this answer and of the session."""
        return (*self.step.sources, *self.step.memory.sources)

    @once
    def fields(self) -> frozenset[str]:
        """The short texts that are a whole field of a tool's result or of the metadata."""
        return frozenset(_leaves(self.step.metadata)).union(*(call.fields for call in self._calls))

    @once
    def reports(self) -> tuple[str, ...]:
        """The short texts that tools returned: fields of records, and results that are one line."""
        return (*self.fields, *(call.report for call in self._calls if call.report))

    @once
    def values(self) -> frozenset[str]:
        """The ids, numbers and e-mail addresses of the session, squeezed."""
        return self.read_values.union(*(_values(text[:_MAX_TEXT_CHARS]).all for text in self.said))

    @once
    def strong_values(self) -> frozenset[str]:
        """The values with so much information that they count inside a longer run of characters."""
        texts = (*self.records, *self.private.values(), *(text[:_MAX_TEXT_CHARS] for text in self.said))
        return frozenset().union(*(_values(text).strong for text in texts))

    @once
    def called_values(self) -> frozenset[str]:
        """The strong values of tool calls that the customer did not write."""
        found = frozenset().union(
            *(_values(text[:_MAX_TEXT_CHARS]).strong for call in self._calls for text in call.texts)
        )
        return frozenset(each for each in found if each not in self.said_letters)

    @once
    def written_values(self) -> frozenset[str]:
        """The e-mail addresses and codes as they are written, and in lowercase."""
        texts = (*self.records, *self.private.values(), *(text[:_MAX_TEXT_CHARS] for text in self.said))
        found = {hit.strip(".") for text in texts for hit in _CHUNK.findall(text) if "@" in hit or _DIGIT.search(hit)}
        return frozenset(found | {each.lower() for each in found})

    @once
    def read_values(self) -> frozenset[str]:
        """The ids, numbers and e-mail addresses that the agent read, and those that were masked."""
        return frozenset().union(*(_values(text).all for text in (*self.records, *self.private.values())))

    @once
    def private(self) -> Mapping[str, str]:
        """The personal data that was masked in this session, by placeholder."""
        return self.step.memory.placeholders.vault(without="output")

    @once
    def names(self) -> frozenset[str]:
        """The names and addresses that were masked in this session, squeezed, with and without their marks."""
        named = [value for key, value in self.private.items() if key.startswith(("[PERSON", "[ADDRESS"))]
        return frozenset(_names([*named, *map(without_marks, named)]))

    @once
    def private_words(self) -> Mapping[str, frozenset[int]]:
        """The words of the masked values, and the numbers of the values that have them."""
        return personal_words(self.private.values())

    @once
    def field_words(self) -> Mapping[str, int]:
        """The short fields without digits of records, squeezed, and how many words each has."""
        plain = (each for each in self.fields if not _DIGIT.search(each))
        return {"".join(words): len(words) for words in map(words_of, plain) if sum(map(len, words)) >= _MIN_NAME_CHARS}

    @once
    def said_letters(self) -> str:
        """The customer's messages, squeezed."""
        return " ".join(map(_squeezed, self.said))

    @once
    def record_letters(self) -> str:
        """The other texts, squeezed."""
        return " ".join(map(_squeezed, self.records))

    def prepare(self) -> Iterator[None]:
        """Read the tool calls, one at each step, so that a draft does not wait for it."""
        for call in self.step.memory.calls:
            for text in _reading(call).texts:
                _values(text[:_MAX_TEXT_CHARS])
                _squeezed(text[:_MAX_TEXT_CHARS])
            yield

    @once
    def _calls(self) -> tuple[_CallReading, ...]:
        return tuple(map(_reading, self.step.memory.calls))


_calls_read: Final[OrderedDict[int, tuple[ToolCall, _CallReading]]] = OrderedDict()
_calls_lock: Final = Lock()


def _reading(call: ToolCall) -> _CallReading:
    """Return the reading of a call; the newest are kept, since each draft of a session needs them again."""
    with _calls_lock:
        kept = _calls_read.get(id(call))
        if kept is not None and kept[0] is call:
            return kept[1]
    texts = tuple(filter(None, (result_text(call.arguments or None), result_text(call.result))))
    report = call.result if isinstance(call.result, str) and len(call.result) <= _MAX_REPORT_CHARS else ""
    made = _CallReading(texts=texts, fields=frozenset(_leaves(call.result)), report=report)
    with _calls_lock:
        _calls_read[id(call)] = (call, made)
        while len(_calls_read) > _KEPT_CALLS:
            _calls_read.popitem(last=False)
    return made


@lru_cache(maxsize=512)
def _squeezed(text: str) -> str:
    if text.isascii():
        return text.encode().translate(None, _PUNCTUATION).decode().lower()
    return squeezed(text)


@lru_cache(maxsize=512)
def _values(text: str) -> _TextValues:
    """Return the values of one text, squeezed: numbers in groups, codes with their parts, e-mail addresses."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    found = {squeezed(hit) for hit in _NUMBER.findall(text)}
    for chunk in _CHUNK.findall(text.casefold()):
        if _DIGIT.search(chunk):
            words = _WORD.findall(chunk)
            found.update(words)
            found.update(map("".join, pairwise(words)))
            if "//" not in chunk:
                found.add("".join(words))
    bits = {value: information(value) for value in found}
    emails = frozenset(map(squeezed, _EMAIL.findall(text) if "@" in text else ()))
    return _TextValues(
        all=emails | {value for value in found if bits[value] >= MIN_VALUE_BITS},
        strong=emails | {value for value in found if bits[value] >= MIN_STRONG_BITS},
    )


def _names(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        name = squeezed(text)
        if len(name) >= _MIN_NAME_CHARS:
            yield name


def _leaves(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the short texts of a record."""
    if isinstance(value, str):
        if value[:1] in ("{", "[") and depth == 0:
            try:
                yield from _leaves(json.loads(value), 1)
            except (ValueError, RecursionError):
                return
        elif depth and value and (len(value) <= _MAX_LEAF_CHARS or "//" in value[:9]) and "\n" not in value:
            yield value
    elif isinstance(value, (Mapping, list, tuple)) and depth < _MAX_DEPTH:
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(each, depth + 1)
