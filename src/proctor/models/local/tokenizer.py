"""Tokenize texts, and look up the embeddings that every local model starts from."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from proctor.core.errors import StoreError
from proctor.models.local.weights import HINT, Weights

__all__ = ["Line", "Pieces", "Place", "case_types", "open_pieces"]

START, PAD, END = 0, 1, 2
READ = 40_000  # characters of one text that are tokenized; later windows are not read
BLANK = "▁"  # the token for a space, or for the beginning of the text

Place = tuple[int, int]  # start and end of a token in its text, equal for a token without characters there


@dataclass(frozen=True, slots=True)
class Line:
    """One input of a network: token ids, and the start of the second part of a pair or a type per token."""

    ids: tuple[int, ...]
    second: int | None = None
    types: tuple[int, ...] | None = None


class Pieces:
    """The tokenizer and the shared embedding table, stored as int8 rows with one scale each."""

    def __init__(self, tokenizer: Tokenizer, rows: np.ndarray[Any, Any], scales: np.ndarray[Any, Any]) -> None:
        self._tokenizer, self._rows, self._scales = tokenizer, rows, scales

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Return token ids per text, without special tokens."""
        # one by one: a batch starts threads of its own and holds all results at once
        return [self._tokenizer.encode(text, add_special_tokens=False).ids for text in map(_safe, texts)]

    def located(self, texts: Sequence[str]) -> list[tuple[list[int], list[Place]]]:
        """Return token ids per text, each with its position in the original text."""
        blank = self._tokenizer.token_to_id(BLANK)
        found = []
        for text in texts:
            line = self._tokenizer.encode(_safe(text), add_special_tokens=False)
            pairs = zip(line.ids, line.offsets, strict=True)
            places = [(start, start) if n == blank else _trimmed(text, start, end) for n, (start, end) in pairs]
            found.append((line.ids, places))
        return found

    def tokens(self, numbers: Sequence[int]) -> list[str]:
        """Return the tokens as text."""
        return [self._tokenizer.id_to_token(number) or "" for number in numbers]

    def feed(self, lines: Sequence[Line]) -> dict[str, np.ndarray[Any, Any]]:
        """Return the inputs of a network for the lines, padded to the longest."""
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
    """Return 1 for each token whose first letter is upper case, else 0: the tokenizer itself drops case."""
    return tuple(int(next(filter(str.isalpha, text[start:end]), "").isupper()) for start, end in places)


def _safe(text: str) -> str:
    """Prepare the text for the tokenizer: a lone surrogate becomes one question mark."""
    return text[:READ].encode("utf-8", "replace").decode()


def _trimmed(text: str, start: int, end: int) -> Place:
    """Return the span without leading whitespace, and with the combining marks that the tokenizer left out."""
    while start < end and (text[start].isspace() or unicodedata.category(text[start]) in ("Cf", "Cc")):
        start += 1
    while start < end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return start, end


def open_pieces(weights: Weights) -> Pieces:
    """Load the tokenizer and the table of a weights folder."""
    files = {name: weights.path(name) for name in ("tokenizer.json", "table.npy", "scales.npy")}
    try:
        tokenizer = Tokenizer.from_file(str(files["tokenizer.json"]))
        rows = np.load(files["table.npy"], mmap_mode="r", allow_pickle=False)
        scales = np.load(files["scales.npy"], allow_pickle=False)
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(weights.folder), hint=HINT) from broken
    return Pieces(tokenizer, rows, scales)
