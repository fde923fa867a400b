"""Sentence and token embeddings in many languages."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from proctor.models.local.batcher import Batcher
from proctor.models.local.model_registry import network_of, pieces_of
from proctor.models.local.tokenizer import END, START, Line
from proctor.models.local.windows import groups, spread, windows

__all__ = ["LocalEmbedder"]

LONGEST = 128


@dataclass(frozen=True, kw_only=True)
class LocalEmbedder:
    """Normalised embeddings; texts with the same meaning are close, across languages."""

    folder: Path | None = None
    threads: int = 1
    _batcher: Batcher[str, array[float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self._packed))

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector per text: the mean of at most 24 windows, spread over the first 40,000 characters."""
        return [tuple(found) for found in await self._batcher.ask(texts)]

    def token_vectors(self, texts: Sequence[str]) -> list[tuple[list[str], Any]]:
        """Return the tokens of each text with their normalised vectors, for matching word by word."""
        pieces = pieces_of(self.folder)
        numbers = [n[: LONGEST - 2] for n in pieces.numbers(texts)]
        outputs = network_of("embed", self.folder, self.threads).run(
            [Line((START, *n, END)) for n in numbers], ["tokens"]
        )
        found = []
        for n, output in zip(numbers, outputs, strict=True):
            vectors = output[0][1 : len(n) + 1]
            length = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
            found.append((pieces.tokens(n), vectors / length))
        return found

    def _packed(self, texts: Sequence[str]) -> list[array[float]]:
        """Like ``vectors``, in an eighth of the memory, since thousands are cached."""
        return [array("f", found) for found in self.vectors(texts)]

    def vectors(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return the vectors of the texts, computed on this thread."""
        return [found for some in groups(texts) for found in self._read(some)]

    def _read(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        lines, owners = spread([windows(n, LONGEST) for n in pieces_of(self.folder).numbers(texts)])
        outputs = network_of("embed", self.folder, self.threads).run(lines, ["vector"])
        sums = np.zeros((len(texts), len(outputs[0][0])), np.float32)
        for owner, output in zip(owners, outputs, strict=True):
            sums[owner] += output[0]
        sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        return [tuple(row.tolist()) for row in sums]
