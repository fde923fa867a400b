"""What changed between two texts, word by word; characters in scripts without spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from proctor.text.script_ranges import UNSPACED

__all__ = ["DiffPiece", "word_diff"]

Op = Literal["same", "gone", "new"]
# Letters of scripts that put no spaces between words: Thai, Lao, Khmer, kana, Han.
_TOKEN = re.compile(rf"\s+|[{UNSPACED}]|[^\W{UNSPACED}]+(?:['\u2019.,:-][^\W{UNSPACED}]+)*|.", re.DOTALL)
_SENTENCE = re.compile(r".+?(?:[.!?\u3002\uff01\uff1f]+\s*|\n+|\Z)", re.DOTALL)
_MOST_TOKENS = 3_000  # of both texts; above it sentences are compared, and above that the changed part is one piece
_SHORTEST_SAME = 3  # letters; a smaller common piece between two changes only breaks them up


class DiffPiece(NamedTuple):
    """A piece of text that both have, that only the first has (``gone``) or only the second (``new``)."""

    op: Op
    text: str


def word_diff(before: str, after: str) -> tuple[DiffPiece, ...]:
    """Return the pieces of both texts: without the new ones they are ``before``, without the gone ``after``."""
    first, second = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(first) + len(second) > _MOST_TOKENS:
        first, second = _SENTENCE.findall(before), _SENTENCE.findall(after)
    head = _common(first, second)
    tail = _common(first[head:][::-1], second[head:][::-1])
    pieces = [DiffPiece("same", "".join(first[:head]))] if head else []
    pieces += _middle(first[head : len(first) - tail], second[head : len(second) - tail])
    if tail:
        pieces.append(DiffPiece("same", "".join(first[len(first) - tail :])))
    return tuple(_merged(pieces))


def _middle(first: Sequence[str], second: Sequence[str]) -> list[DiffPiece]:
    """Compare what lies between the common beginning and the common end."""
    pieces: list[DiffPiece] = []
    gone: list[str] = []
    new: list[str] = []
    if len(first) + len(second) > _MOST_TOKENS:
        gone, new = list(first), list(second)
    else:
        for op, low, high, start, end in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
            if op == "equal" and not _is_trifle(first[low:high]):
                _close(pieces, gone, new)
                pieces.append(DiffPiece("same", "".join(first[low:high])))
            else:
                gone += first[low:high]
                new += second[start:end]
    _close(pieces, gone, new)
    return pieces


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many items two lists begin with in common."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _merged(pieces: Sequence[DiffPiece]) -> list[DiffPiece]:
    """Return the pieces with neighbours of one kind joined."""
    made: list[DiffPiece] = []
    for piece in pieces:
        if made and made[-1].op == piece.op:
            made[-1] = DiffPiece(piece.op, made[-1].text + piece.text)
        else:
            made.append(piece)
    return made


def _is_trifle(tokens: Sequence[str]) -> bool:
    """Return whether a common piece is too small to be read as one: blanks, marks, a letter between two changes."""
    return sum(character.isalnum() for token in tokens for character in token) < _SHORTEST_SAME


def _close(pieces: list[DiffPiece], gone: list[str], new: list[str]) -> None:
    if gone:
        pieces.append(DiffPiece("gone", "".join(gone)))
    if new:
        pieces.append(DiffPiece("new", "".join(new)))
    gone.clear()
    new.clear()
