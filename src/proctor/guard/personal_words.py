"""Count the words of an address that are about one person: of masked values, and what else the customer wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from proctor.text.letter_marks import without_marks

__all__ = ["are_personal", "personal_words"]

_LEAST_WORDS: Final = 3
_MIN_LETTERS: Final = 3
_MIN_SAID_LETTERS: Final = 4  # of a word that the customer wrote; shorter ones stand in every text
_MIN_DIGITS: Final = 2
_WORD: Final = re.compile(r"[^\W_]+")


def personal_words(values: Iterable[str]) -> dict[str, frozenset[int]]:
    """Return the words of masked values, without their marks, and the numbers of the values that have them."""
    found: dict[str, frozenset[int]] = {}
    for number, value in enumerate(values):
        for word in _words(value, _MIN_LETTERS):
            found[word] = found.get(word, frozenset()) | {number}
    return found


def are_personal(texts: Iterable[str], private: Mapping[str, frozenset[int]], said: Iterable[str]) -> bool:
    """Return whether the texts of an address tell of a person, and not of a subject.

    A name alone may be the subject of a page. Here three words stand together: of a masked value, and of another one,
    with a number, or beside what else the customer wrote.
    """
    words = {word for text in texts for word in _words(text, _MIN_LETTERS)}
    hits = words & private.keys()
    if not hits:
        return False
    wanted = {word for word in words - hits if len(word) >= _MIN_SAID_LETTERS or word.isdigit()}
    more = wanted.intersection(word for text in said for word in _words(text, _MIN_LETTERS)) if wanted else set()
    values = frozenset().union(*(private[word] for word in hits))
    is_sure = len(values) > 1 or bool(more) or any(map(str.isdigit, "".join(hits)))
    return is_sure and len(hits) + len(more) >= _LEAST_WORDS


def _words(text: str, least: int) -> set[str]:
    return {
        word
        for word in _WORD.findall(without_marks(text))
        if len(word) >= least or (len(word) >= _MIN_DIGITS and any(map(str.isdigit, word)))
    }
