"""Tell a fluent text from one that is broken, and mark the words that look wrong."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from proctor.core.acceptability import Acceptability
from proctor.models.local.batcher import Batcher
from proctor.models.local.evidence import sentences
from proctor.models.local.model_registry import network_of, pieces_of
from proctor.models.local.probabilities import softmax
from proctor.models.local.tokenizer import END, START, Line, Place

__all__ = ["KINDS", "LocalFluency"]

KINDS = ("fluent", "order", "grammar", "woven", "cut", "garbled", "repeated")
LONGEST = 126  # tokens read at once, without the marks at both ends
FULL = 90  # tokens of a window from which on no sentence is added
MOST_WINDOWS = 24
READ = 20_000  # characters of a text
WRONG = 0.6  # probability from which on a token is marked
MOST_WRONG = 8


@dataclass(frozen=True, kw_only=True)
class LocalFluency:
    """Probabilities of ``fluent`` and six kinds of broken text; a long text is the mean of its windows.

    The kind of fault with the highest probability in any window counts for the whole.
    """

    folder: Path | None = None
    threads: int = 1
    _batcher: Batcher[str, Acceptability] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self.readings))

    async def wording(self, texts: Sequence[str]) -> Sequence[Acceptability]:
        """Return how each text is written."""
        return await self._batcher.ask(texts)

    def readings(self, texts: Sequence[str]) -> list[Acceptability]:
        """Return how each text is written, computed on this thread."""
        return [self._read(_clean(text[:READ])) for text in texts]

    def _read(self, text: str) -> Acceptability:
        windows = self._windows(text)
        if not windows:
            return Acceptability(kinds=dict.fromkeys(KINDS, 0.0))
        lines = [Line((START, *ids, END)) for ids, _, _ in windows]
        outputs = network_of("fluency", self.folder, self.threads).run(lines, ["text", "tags"])
        shares = np.array([softmax([float(x) for x in whole]) for whole, _ in outputs])
        weights = np.array([len(ids) for ids, _, _ in windows], float)
        mean = (shares * weights[:, None]).sum(0) / weights.sum()
        wrong: list[str] = []
        for (_, places, part), (_, tags) in zip(windows, outputs, strict=True):
            wrong += _marked(part, places, tags[1 : len(places) + 1, 0])
        kinds = {name: float(share) for name, share in zip(KINDS, mean, strict=True)}
        return Acceptability(kinds=kinds, wrong=tuple(dict.fromkeys(wrong))[:MOST_WRONG])

    def _windows(self, text: str) -> list[tuple[list[int], list[Place], str]]:
        """Return whole sentences that are read together, with their tokens and places."""
        pieces = pieces_of(self.folder)
        parts: list[str] = []
        size = 0
        for sentence in sentences(text):
            length = len(pieces.numbers([sentence])[0])
            if parts and size + length <= FULL:
                parts[-1] = f"{parts[-1]} {sentence}"
                size += length
            else:
                parts.append(sentence)
                size = length
        step = max(1.0, len(parts) / MOST_WINDOWS)
        chosen = [parts[int(at * step)] for at in range(min(len(parts), MOST_WINDOWS))]
        located = zip(pieces.located(chosen), chosen, strict=True)
        return [(ids[:LONGEST], places[:LONGEST], part) for (ids, places), part in located if ids]


def _clean(text: str) -> str:
    """Return the text as the network learnt it: NFKC, invisible characters gone, blanks joined."""
    folded = unicodedata.normalize("NFKC", text)
    kept = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cf", "Cc", "Cs") else " " for c in folded)
    return " ".join(kept.split())


def _marked(text: str, places: Sequence[Place], tags: Any) -> list[str]:
    """Return the runs of text that are marked as wrong."""
    found: list[Place] = []
    for (start, end), tag in zip(places, tags, strict=True):
        if end > start and 1 / (1 + np.exp(-float(tag))) >= WRONG:
            if found and start - found[-1][1] <= 1:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
    return [text[start:end] for start, end in found if text[start:end].strip()]
