"""Turns texts into pieces, and pieces into the vectors that every local model starts from."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from proctor.core.errors import StoreError
from proctor.models.local.weights import MEND, Weights

__all__ = ["Line", "Pieces", "Place", "case_types", "open_pieces"]

START, PAD, END = 0, 1, 2
READ = 40_000  # letters of one text that are cut into pieces: windows beyond that are not looked at
BLANK = "▁"  # a piece that stands for a blank, or for the beginning of the text

Place = tuple[int, int]  # where a piece stands in its text: start and end, equal for a piece that has no letters there


@dataclass(frozen=True, slots=True)
class Line:
    """One input of a network: piece numbers, and where the second part of a pair begins or a type for each piece."""

    ids: tuple[int, ...]
    second: int | None = None
    types: tuple[int, ...] | None = None


class Pieces:
    """The tokenizer and the shared table of vectors, kept as int8 rows with a scale each."""

    def __init__(self, tokenizer: Tokenizer, rows: np.ndarray[Any, Any], scales: np.ndarray[Any, Any]) -> None:
        self._tokenizer, self._rows, self._scales = tokenizer, rows, scales

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Piece numbers per text, without marks."""
        # one by one: a batch starts threads of its own, and holds all that was found at once
        return [self._tokenizer.encode(text, add_special_tokens=False).ids for text in map(_safe, texts)]

    def located(self, texts: Sequence[str]) -> list[tuple[list[int], list[Place]]]:
        """Piece numbers per text, each with its place in the text as it was given."""
        blank = self._tokenizer.token_to_id(BLANK)
        found = []
        for text in texts:
            line = self._tokenizer.encode(_safe(text), add_special_tokens=False)
            pairs = zip(line.ids, line.offsets, strict=True)
            places = [(start, start) if n == blank else _trimmed(text, start, end) for n, (start, end) in pairs]
            found.append((line.ids, places))
        return found

    def tokens(self, numbers: Sequence[int]) -> list[str]:
        """The pieces as text."""
        return [self._tokenizer.id_to_token(number) or "" for number in numbers]

    def feed(self, lines: Sequence[Line]) -> dict[str, np.ndarray[Any, Any]]:
        """The inputs of a network for the lines, padded to the longest."""
        length = max(len(line.ids) for line in lines)
        ids = np.full((len(lines), length), PAD, np.int64)
        types = np.zeros((len(lines), length), np.int64)
        for row, line in enumerate(lines):
            ids[row, : len(line.ids)] = line.ids
            if line.types is not None:
                types[row, : len(line.ids)] = line.types
            elif line.second is not None:
                types[row, line.second : len(line.ids)] = 1
        vectors = self._rows[ids].astype(np.float32) * self._scales[ids]
        return {"pieces": vectors, "mask": (ids != PAD).astype(np.float32), "types": types}


def case_types(places: Sequence[Place], text: str) -> tuple[int, ...]:
    """1 for each piece whose first letter in the text is upper case, else 0: the tokenizer itself drops case."""
    return tuple(int(next(filter(str.isalpha, text[start:end]), "").isupper()) for start, end in places)


def _safe(text: str) -> str:
    """The text as the tokenizer takes it: a lone surrogate has no piece and becomes one question mark."""
    return text[:READ].encode("utf-8", "replace").decode()


def _trimmed(text: str, start: int, end: int) -> Place:
    """The place without blanks before it, and with the combining marks that the tokenizer left out."""
    while start < end and (text[start].isspace() or unicodedata.category(text[start]) in ("Cf", "Cc")):
        start += 1
    while start < end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return start, end


def open_pieces(weights: Weights) -> Pieces:
    """The tokenizer and the table of a weights folder."""
    files = {name: weights.path(name) for name in ("tokenizer.json", "table.npy", "scales.npy")}
    try:
        tokenizer = Tokenizer.from_file(str(files["tokenizer.json"]))
        rows = np.load(files["table.npy"], mmap_mode="r", allow_pickle=False)
        scales = np.load(files["scales.npy"], allow_pickle=False)
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(weights.folder), hint=MEND) from broken
    return Pieces(tokenizer, rows, scales)
