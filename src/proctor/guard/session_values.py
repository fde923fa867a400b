"""The values and texts of a session that must not leave in the address of a link: ids, numbers, names, passages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from proctor.guard.ledger import result_text
from proctor.guard.step import Step
from proctor.text.cached_property import once
from proctor.text.shared_runs import squeezed

__all__ = ["SessionValues", "information", "words_of"]

MIN_VALUE_BITS: Final = 16.0  # a number of five digits, a code of four mixed characters; fewer are shared by chance
_MAX_TEXT_CHARS: Final = 40_000
_MAX_VALUES: Final = 4_000  # of one text
_MAX_LEAF_CHARS: Final = 80  # a longer field of a record is prose
_MIN_NAME_CHARS: Final = 3
_NUMBER: Final = re.compile(r"\+?\d(?:[\s().-]{0,2}\d){4,24}")
_CODE: Final = re.compile(
    r"(?=[^\W\d_]{0,40}\d|\d)[^\W_]+(?:[-./_#][^\W_]+){0,6}|[^\W\d_]+(?:[-./_#][^\W_]*\d[^\W_]*)+"
)
_EMAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_WORD: Final = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """Return the runs of letters and digits of a text, in lowercase."""
    return [hit.casefold() for hit in _WORD.findall(text)]


def information(value: str) -> float:
    """Return about how many bits a squeezed value has: a digit 3.3, a letter 4.7.

    At most two letters count for each digit: a code is a mixture, and wpa3 is a word.
    """
    digits = sum(map(str.isdigit, value))
    return 3.32 * digits + 4.7 * min(len(value) - digits, 2 * digits)


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
        calls = (result_text(value) for call in memory.calls for value in (call.arguments or None, call.result))
        told = (json.dumps(self.step.metadata, ensure_ascii=False, default=str) if self.step.metadata else "",)
        own = " ".join(filter(None, (memory.customer, memory.session)))
        return tuple(filter(None, (*sources, *calls, *told, own, self.prompt)))

    @once
    def sources(self) -> tuple[Any, ...]:
        """The sources of this answer and of the session."""
        return (*self.step.sources, *self.step.memory.sources)

    @once
    def fields(self) -> frozenset[str]:
        """The short texts that are a whole field of a tool's result or of the metadata."""
        held = (*(call.result for call in self.step.memory.calls), self.step.metadata)
        return frozenset(leaf for value in held for leaf in _leaves(value))

    @once
    def values(self) -> frozenset[str]:
        """The ids, numbers and e-mail addresses of the session, squeezed."""
        return self.read_values.union(*(_values(text[:_MAX_TEXT_CHARS]) for text in self.said))

    @once
    def read_values(self) -> frozenset[str]:
        """The ids, numbers and e-mail addresses that the agent read, and those that were masked."""
        texts = (*self.records, *self.private.values())
        return frozenset().union(*(_values(text[:_MAX_TEXT_CHARS]) for text in texts))

    @once
    def private(self) -> Mapping[str, str]:
        """The personal data that was masked in this session, by placeholder."""
        return self.step.memory.placeholders.vault(without="output")

    @once
    def names(self) -> frozenset[tuple[str, ...]]:
        """The words of each name and address that was masked in this session."""
        named = (value for key, value in self.private.items() if key.startswith(("[PERSON", "[ADDRESS")))
        return frozenset(_names(named))

    @once
    def field_words(self) -> frozenset[tuple[str, ...]]:
        """The words of each short field without digits of a record."""
        return frozenset(_names(each for each in self.fields if not any(map(str.isdigit, each))))

    @once
    def said_letters(self) -> str:
        """The customer's messages, squeezed."""
        return " ".join(map(_squeezed, self.said))

    @once
    def record_letters(self) -> str:
        """The other texts, squeezed."""
        return " ".join(_squeezed(text[:_MAX_TEXT_CHARS]) for text in self.records)

    def gives(self, address: str, texts: Iterable[str]) -> bool:
        """Return whether an address stands in one of the texts as a whole."""
        return any(_stands(address, text) for text in texts)


@lru_cache(maxsize=512)
def _squeezed(text: str) -> str:
    return squeezed(text)


@lru_cache(maxsize=512)
def _values(text: str) -> frozenset[str]:
    """Return the values of one text, squeezed: numbers in groups, codes with their parts, e-mail addresses."""
    found: set[str] = set()
    for hit in _NUMBER.finditer(text):
        found.add(squeezed(hit.group()))
    for hit in _CODE.finditer(text):
        found.add(squeezed(hit.group()))
        found.update(part.casefold() for part in _WORD.findall(hit.group()))
        if len(found) > _MAX_VALUES:
            break
    kept = {value for value in found if information(value) >= MIN_VALUE_BITS}
    kept.update(squeezed(hit) for hit in _EMAIL.findall(text))
    return frozenset(kept)


def _names(texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
    for text in texts:
        words = tuple(words_of(text))
        if words and sum(map(len, words)) >= _MIN_NAME_CHARS:
            yield words


def _leaves(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the short texts and numbers of a record."""
    if isinstance(value, str):
        if value[:1] in ("{", "[") and depth == 0:
            try:
                yield from _leaves(json.loads(value), 1)
            except (ValueError, RecursionError):
                return
        elif depth and value and (len(value) <= _MAX_LEAF_CHARS or "//" in value[:9]) and "\n" not in value:
            yield value
    elif isinstance(value, Mapping) and depth < 8:
        for each in value.values():
            yield from _leaves(each, depth + 1)
    elif isinstance(value, (list, tuple)) and depth < 8:
        for each in value:
            yield from _leaves(each, depth + 1)


def _stands(address: str, text: str) -> bool:
    at = text.find(address)
    while at >= 0:
        after = text[at + len(address) : at + len(address) + 2]
        if not after or not (
            after[0].isalnum() or after[0] in "/?&=#%_-+" or (after[0] == "." and after[1:].isalnum())
        ):
            return True
        at = text.find(address, at + 1)
    return False
