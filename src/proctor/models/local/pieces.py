"""Turns texts into pieces, and pieces into the vectors that every local model starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from proctor.core.errors import StoreError
from proctor.models.local.weights import MEND, Weights

__all__ = ["Line", "Pieces", "open_pieces"]

START, PAD, END = 0, 1, 2
READ = 40_000  # letters of one text that are cut into pieces: windows beyond that are not looked at


@dataclass(frozen=True, slots=True)
class Line:
    """One input of a network: piece numbers, and where the second part of a pair begins."""

    ids: tuple[int, ...]
    second: int | None = None


class Pieces:
    """The tokenizer and the shared table of vectors, kept as int8 rows with a scale each."""

    def __init__(self, tokenizer: Tokenizer, rows: np.ndarray[Any, Any], scales: np.ndarray[Any, Any]) -> None:
        self._tokenizer, self._rows, self._scales = tokenizer, rows, scales

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Piece numbers per text, without marks."""
        safe = [text[:READ].encode("utf-8", "replace").decode() for text in texts]  # a lone surrogate has no piece
        return [line.ids for line in self._tokenizer.encode_batch_fast(safe, add_special_tokens=False)]

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
            if line.second is not None:
                types[row, line.second : len(line.ids)] = 1
        vectors = self._rows[ids].astype(np.float32) * self._scales[ids]
        return {"pieces": vectors, "mask": (ids != PAD).astype(np.float32), "types": types}


def open_pieces(weights: Weights) -> Pieces:
    """The tokenizer and the table of a weights folder."""
    files = {name: weights.path(name) for name in ("tokenizer.json", "table.npy", "scales.npy")}
    try:
        tokenizer = Tokenizer.from_file(str(files["tokenizer.json"]))
        rows = np.load(files["table.npy"], mmap_mode="r", allow_pickle=False)
        scales = np.load(files["scales.npy"], allow_pickle=False)
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(weights.folder), mend=MEND) from broken
    return Pieces(tokenizer, rows, scales)
