"""Texts and pairs to padded batches of about equal cost."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from tokenizers import Tokenizer

__all__ = ["collate", "encode", "encode_pairs", "planned"]

START, PAD, END = 0, 1, 2


def encode(tokenizer: Tokenizer, texts: Sequence[str], longest: int) -> list[np.ndarray]:
    """Piece numbers per text, with the start and end marks."""
    found = []
    for start in range(0, len(texts), 20000):
        for line in tokenizer.encode_batch_fast(list(texts[start : start + 20000]), add_special_tokens=False):
            found.append(np.array([START, *line.ids[: longest - 2], END], np.int32))
    return found


def encode_pairs(tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], longest: int) -> list[tuple[np.ndarray, int]]:
    """Piece numbers per pair and where the second part starts; the first part gives way when both are too long."""
    first = encode(tokenizer, [a for a, _ in pairs], longest)
    second = encode(tokenizer, [b for _, b in pairs], longest)
    found = []
    for a, b in zip(first, second, strict=True):
        tail = b[1:] if len(b) - 1 <= longest // 2 else np.append(b[1 : longest // 2], END)
        head = a if len(a) + len(tail) <= longest else np.append(a[: longest - len(tail) - 1], END)
        found.append((np.concatenate([head, tail]).astype(np.int32), len(head)))
    return found


def planned(lengths: Sequence[int], budget: int, dice: random.Random | None) -> Iterator[list[int]]:
    """Groups of row numbers of like length, each about ``budget`` pieces; shuffled when dice are given."""
    order = sorted(range(len(lengths)), key=lambda i: lengths[i] + (dice.random() * 6 if dice else 0))
    groups: list[list[int]] = []
    group: list[int] = []
    for i in order:
        if group and lengths[i] * (len(group) + 1) > budget:
            groups.append(group)
            group = []
        group.append(i)
    groups.append(group)
    if dice:
        dice.shuffle(groups)
    yield from (g for g in groups if g)


def collate(
    lines: Sequence[np.ndarray | tuple[np.ndarray, int]], device: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Piece numbers, mask and part numbers, padded to a multiple of eight."""
    arrays = [x[0] if isinstance(x, tuple) else x for x in lines]
    length = -(-max(len(a) for a in arrays) // 8) * 8
    ids = np.full((len(arrays), length), PAD, np.int64)
    types = np.zeros((len(arrays), length), np.int64)
    for row, (array, line) in enumerate(zip(arrays, lines, strict=True)):
        ids[row, : len(array)] = array
        if isinstance(line, tuple):
            types[row, line[1] : len(array)] = 1
    numbers = torch.from_numpy(ids)
    if device == "cuda":
        return (
            numbers.pin_memory().to(device, non_blocking=True),
            (numbers != PAD).float().pin_memory().to(device, non_blocking=True),
            torch.from_numpy(types).pin_memory().to(device, non_blocking=True),
        )
    return numbers, (numbers != PAD).float(), torch.from_numpy(types)
