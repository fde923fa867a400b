"""Pairs of texts as lines of token numbers on the device, cut into batches there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from tokenizers import Tokenizer

from training.qwen_layers import ALONE, STARTS

__all__ = ["Lines", "alone_lines", "flattened", "lines_of"]


class Lines:
    """Lines of token numbers on the device, cut into batches there."""

    def __init__(self, rows: Sequence[Sequence[int]] | tuple[np.ndarray, np.ndarray], device: str) -> None:
        flat, sizes = rows if isinstance(rows, tuple) else flattened(rows)
        self.lengths, self.device = sizes.tolist(), device
        self._flat, self._sizes = torch.from_numpy(flat).to(device), torch.from_numpy(sizes).to(device)
        self._starts = torch.from_numpy(np.cumsum(sizes) - sizes).to(device)

    def batch(self, group: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Numbers, lengths, and which rows they are."""
        chosen = torch.tensor(group, device=self.device)
        length = -(-max(self.lengths[i] for i in group) // 8) * 8
        where = self._starts[chosen][:, None] + torch.arange(length, device=self.device)[None]
        real = torch.arange(length, device=self.device)[None] < self._sizes[chosen][:, None]
        ids = self._flat[where.clamp(max=len(self._flat) - 1)].long()
        return ids * real, self._sizes[chosen], chosen


def lines_of(
    tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], longest: int, starts: Sequence[str] = STARTS[:3]
) -> list[list[int]]:
    """Token numbers of each pair; the first text gives way when both are too long."""
    unique = sorted({t for p in pairs for t in p})
    number: dict[str, list[int]] = {}
    for at in range(0, len(unique), 50000):
        some = unique[at : at + 50000]
        number |= {t: x.ids for t, x in zip(some, tokenizer.encode_batch_fast(some), strict=True)}
    first, second, end = (tokenizer.encode(t).ids for t in starts)
    room = longest - len(first) - len(second) - len(end)
    found = []
    for a, b in pairs:
        tail = number[b][: room // 2]
        found.append([*first, *number[a][: room - len(tail)], *second, *tail, *end])
    return found


def alone_lines(tokenizer: Tokenizer, texts: Sequence[tuple[str, str]], longest: int) -> list[list[int]]:
    """Token numbers of single texts, each with its channel; a long text loses its end."""
    around = {name: [tokenizer.encode(t).ids for t in both] for name, both in ALONE.items()}
    found = []
    for at in range(0, len(texts), 50000):
        some = texts[at : at + 50000]
        for (channel, _), line in zip(some, tokenizer.encode_batch_fast([t for _, t in some]), strict=True):
            first, end = around[channel]
            found.append([*first, *line.ids[: longest - len(first) - len(end)], *end])
    return found


def flattened(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """All lines one after another, and the length of each."""
    sizes = np.array([len(r) for r in rows], np.int64)
    return np.concatenate([np.asarray(r, np.int32) for r in rows] + [np.zeros(1024, np.int32)]), sizes
