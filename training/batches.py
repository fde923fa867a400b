"""Texts and pairs as piece numbers on the device, and padded batches of about equal cost."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from tokenizers import Tokenizer

from training.plan import planned

__all__ = ["END", "START", "Lines", "encode", "encode_pairs", "shuffled"]

START, PAD, END = 0, 1, 2
FAR = 10**6  # where the second part of a line that has none begins


class Lines:
    """Many lines in one flat tensor, so that a batch is cut out on the device and not built by hand."""

    def __init__(
        self,
        rows: Sequence[np.ndarray],
        seconds: Sequence[int] | None,
        device: str,
        types: Sequence[np.ndarray] | None = None,
    ) -> None:
        sizes = np.array([len(r) for r in rows], np.int64)
        flat = np.concatenate([*rows, np.full(512, PAD, np.int32)]).astype(np.int32)
        self.lengths = sizes.tolist()
        self.device = device
        self._flat = torch.from_numpy(flat).to(device)
        self._starts = torch.from_numpy(np.cumsum(sizes) - sizes).to(device)
        self._sizes = torch.from_numpy(sizes).to(device)
        self._types = None
        if types is not None:
            self._types = torch.from_numpy(np.concatenate([*types, np.zeros(512, np.int64)])).to(device)
        self._seconds = torch.tensor(seconds if seconds is not None else [FAR] * len(rows), device=device)

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(
        self, group: Sequence[int] | torch.Tensor, longest: int | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Piece numbers, mask and part numbers, padded to a multiple of eight."""
        if isinstance(group, torch.Tensor):
            assert longest is not None  # asking the device for it would make both wait
            chosen = group
        else:
            longest, chosen = max(self.lengths[i] for i in group), torch.tensor(group, device=self.device)
        length = -(-longest // 8) * 8
        place = torch.arange(length, device=self.device)[None]
        mask = place < self._sizes[chosen][:, None]
        where = (self._starts[chosen][:, None] + place).clamp(max=len(self._flat) - 1)
        ids = self._flat[where].long()
        later = place >= self._seconds[chosen][:, None]
        types = (later if self._types is None else self._types[where] == 1).logical_and(mask).long()
        return torch.where(mask, ids, PAD), mask.float(), types


def _numbers(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    found: list[list[int]] = []
    for start in range(0, len(texts), 20000):
        part = list(texts[start : start + 20000])
        found += [line.ids for line in tokenizer.encode_batch_fast(part, add_special_tokens=False)]
    return found


def encode(
    tokenizer: Tokenizer, texts: Sequence[str], longest: int, device: str, other: Sequence[bool] | None = None
) -> Lines:
    """Every text with the start and end marks, cut at ``longest``; of the second part where ``other`` is set."""
    rows = [np.array([START, *ids[: longest - 2], END], np.int32) for ids in _numbers(tokenizer, texts)]
    return Lines(rows, None if other is None else [0 if each else FAR for each in other], device)


def encode_pairs(tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], longest: int, device: str) -> Lines:
    """Every pair as one line; the first part gives way when both are too long."""
    unique = sorted({text for pair in pairs for text in pair})
    number = dict(zip(unique, _numbers(tokenizer, unique), strict=True))
    rows, seconds = [], []
    for a, b in pairs:
        tail = [*number[b][: longest // 2 - 1], END]
        head = [START, *number[a][: longest - len(tail) - 2], END]
        rows.append(np.array(head + tail, np.int32))
        seconds.append(len(head))
    return Lines(rows, seconds, device)


def shuffled(lines: Lines, budget: int, dice: random.Random) -> Iterator[tuple[torch.Tensor, int]]:
    """One pass of groups as ``planned`` makes them, on the device at once: the numbers, and the longest of each."""
    groups = list(planned(lines.lengths, budget, dice))
    flat = torch.from_numpy(np.fromiter((i for g in groups for i in g), np.int64)).to(lines.device)
    at = 0
    for group in groups:
        yield flat[at : at + len(group)], max(lines.lengths[i] for i in group)
        at += len(group)
