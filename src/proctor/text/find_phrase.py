"""Find a phrase in a text regardless of case, width or hidden characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from proctor.core.record import dataclass
from proctor.text.split import spread

__all__ = ["Folded", "fold", "occurrences"]

# A character with its combining marks, so that ｶﾞ and e + ́ are folded as one.
_MARK = re.compile(r"[\u0300-\u036f\u3099\u309a\uff9e\uff9f]")
_CLUSTER = re.compile(rf".{_MARK.pattern}*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A text folded for searching, with a mapping back to its source."""

    source: str
    text: str
    ignore_case: bool
    starts: tuple[int, ...] | None = None  # None: the same offsets as in the source

    def quote(self, start: int, end: int, *, around: int = 0) -> str:
        """Return the source text of a span in the folded text."""
        if self.starts is not None:
            start, end = self.starts[start], self.starts[end]
        return self.source[max(0, start - around) : end + around]


def fold(text: str, *, ignore_case: bool) -> Folded:
    """Fold full-width and half-width forms, remove invisible characters and, on request, fold case."""
    if text.isascii():
        return Folded(source=text, text=text.lower() if ignore_case else text, ignore_case=ignore_case)
    source = unicodedata.normalize("NFC", text)
    clusters = _CLUSTER.findall(source) if _MARK.search(source) else source
    pieces = [_fold_cluster(cluster, ignore_case) for cluster in clusters]
    folded = "".join(pieces)
    if len(folded) == len(pieces) == len(source) and "" not in pieces:  # one character each: offsets are unchanged
        return Folded(source=source, text=folded, ignore_case=ignore_case)
    starts: list[int] = []
    at = 0
    for cluster, piece in zip(clusters, pieces, strict=True):
        starts.extend([at] * len(piece))
        at += len(cluster)
    return Folded(source=source, text=folded, ignore_case=ignore_case, starts=(*starts, len(source)))


@lru_cache(maxsize=8192)
def _fold_cluster(cluster: str, ignore_case: bool) -> str:
    plain = unicodedata.normalize("NFKC", cluster)
    if ignore_case:
        plain = unicodedata.normalize("NFKC", plain.casefold())
    return "".join(character for character in plain if unicodedata.category(character) != "Cf")


def occurrences(phrase: str, text: Folded, *, whole_words: bool = False, most: int = 20) -> list[tuple[int, int]]:
    """Return the spans of the phrase in the folded text; at most ``most``.

    A whole word has no letter or digit of a spaced script directly before or after it. Unspaced scripts have no such
    boundaries, so every occurrence counts there.
    """
    wanted = fold(phrase, ignore_case=text.ignore_case).text
    found: list[tuple[int, int]] = []
    start = text.text.find(wanted) if wanted else -1
    while start >= 0 and len(found) < most:
        end = start + len(wanted)
        if not whole_words or not (_inside_word(text.text, start) or _inside_word(text.text, end)):
            found.append((start, end))
            start = text.text.find(wanted, end)
        else:
            start = text.text.find(wanted, start + 1)
    return found


def _inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and _joins(text[at - 1]) and _joins(text[at])


@lru_cache(maxsize=4096)
def _joins(character: str) -> bool:
    """Whether the character is part of a word in a script with spaces."""
    if character == "_":
        return True
    return unicodedata.category(character)[0] in "LMN" and spread(character) == character
