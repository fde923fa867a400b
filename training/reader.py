"""The reader: one small network that tells dangerous intents apart and marks names, places and addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from training.batches import END, START, Lines
from training.marking import INTENTS, TAGS, marks, tags_of
from training.network import Reader
from training.student import Task

__all__ = ["INTENTS", "TAGS", "entity_task", "intent_task", "read_lines"]


def read_lines(
    tokenizer: Tokenizer, rows: Sequence[dict[str, Any]], longest: int, device: str
) -> tuple[Lines, list[list[int]]]:
    """The texts as lines whose parts tell capitals, and the tag of each piece."""
    lines, types, tags = [], [], []
    found = tokenizer.encode_batch([r["text"] for r in rows], add_special_tokens=False)
    for row, line in zip(rows, found, strict=True):
        ids, offsets = line.ids[: longest - 2], line.offsets[: longest - 2]
        lines.append(np.array([START, *ids, END], np.int32))
        types.append(np.array([0, *marks(row["text"], offsets), 0], np.int64))
        tags.append([-1, *tags_of(row["text"], offsets, row.get("spans", ())), -1])
    return Lines(lines, None, device, types), tags


def intent_task(
    rows: Sequence[dict[str, Any]], tokenizer: Tokenizer, network: Reader, device: str, budget: int
) -> Task:
    """Messages with one of the intents."""
    lines, _ = read_lines(tokenizer, rows, 160, device)
    y = torch.tensor([INTENTS.index(r["label"]) for r in rows], device=device)
    weight = torch.tensor([float(r.get("w", 1.0)) for r in rows], device=device)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        each = F.cross_entropy(out[0], y[group], reduction="none", label_smoothing=0.03)
        return (each * weight[group]).mean()

    return Task(lines, network, loss, budget, 15)


def entity_task(
    rows: Sequence[dict[str, Any]], tokenizer: Tokenizer, network: Reader, device: str, budget: int
) -> Task:
    """Texts with marked spans; labels made by another model count less than written ones."""
    lines, tags = read_lines(tokenizer, rows, 160, device)
    wide = max(len(t) for t in tags)
    y = torch.full((len(tags), wide), -1, dtype=torch.long)
    for i, many in enumerate(tags):
        y[i, : len(many)] = torch.tensor(many)
    y = y.to(device)
    weight = torch.tensor([0.5 if r["src"].startswith("silver") else 1.0 for r in rows], device=device)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        logits = out[1]
        want = y[group][:, : logits.shape[1]]
        if want.shape[1] < logits.shape[1]:
            want = F.pad(want, (0, logits.shape[1] - want.shape[1]), value=-1)
        each = F.cross_entropy(logits.transpose(1, 2), want, ignore_index=-1, reduction="none")
        kept = (want >= 0).float() * weight[group][:, None]
        return (each * kept).sum() / kept.sum().clamp(min=1.0)

    return Task(lines, network, loss, budget, 16)
