"""Fits the head for intents anew over the reader's frozen body, with messages full of names as harmless ones.

``python -m training.rehead WORK/w WORK/d WORK/r/reader.npz OUT.npz``, a few minutes on a CPU. Texts of the entity task
are messages as well, and the intents of most are plain: without them the head took every second address for a danger.
What the head makes of other texts is held to what it made of them before.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from proctor.lexicon.danger import dangers
from training.batches import Lines
from training.data import read
from training.export import build
from training.keeping import keep_small, load_small
from training.marking import INTENTS
from training.network import Reader, joined, rounded
from training.plan import planned
from training.reader import read_lines

__all__ = ["features", "fit", "main", "named"]

WEIGHT = 0.5  # of a message with names, beside 1 of one that was written for its intent
HELD = 0.02  # how much the head is held to what it was


def named(rows: Sequence[dict[str, Any]], most: int = 9000, seed: int = 4) -> list[dict[str, Any]]:
    """Messages with names that have no word of danger in them, as rows of no dangerous intent."""
    plain = [r for r in rows if not any(dangers(r["text"]))]
    some = random.Random(seed).sample(plain, min(most, len(plain)))
    return [{"text": r["text"][:400], "label": "none", "w": WEIGHT} for r in some]


@torch.no_grad()
def features(network: Reader, table: nn.Embedding, lines: Lines, budget: int = 4096) -> torch.Tensor:
    """What the head sees of each line."""
    found = torch.zeros(len(lines), network.whole.head.in_features)
    for group in planned(lines.lengths, budget, None):
        ids, mask, types = lines.batch(group)
        found[list(group)] = joined(network.whole.body(table(ids), mask, types), mask)
    return found


def fit(head: nn.Linear, seen: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor, steps: int = 600) -> None:
    """Teach the head; it stays near to what it was."""
    before = [each.detach().clone() for each in head.parameters()]
    optimiser = torch.optim.Adam(head.parameters(), lr=2e-3)
    for step in range(steps):
        if step == steps * 2 // 3:
            optimiser.param_groups[0]["lr"] = 4e-4
        each = F.cross_entropy(head(seen), labels, reduction="none", label_smoothing=0.02)
        apart = sum(((now - was) ** 2).sum() for now, was in zip(head.parameters(), before, strict=True))
        loss = (each * weights).sum() / weights.sum() + HELD * apart
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def main() -> None:
    """Fit the head of one reader and keep the whole of it."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("weights", type=Path, help="folder with tokenizer.json and table-int8.npz")
    ask.add_argument("data", type=Path, help="packed data")
    ask.add_argument("reader", type=Path)
    ask.add_argument("out", type=Path)
    ask.add_argument("--limit", type=int)
    ask.add_argument("--steps", type=int, default=600)
    told = ask.parse_args()
    network = build("reader", load_small(told.reader))[0].eval()
    assert isinstance(network, Reader)
    rounded(network)
    kept = np.load(told.weights / "table-int8.npz")
    table = nn.Embedding.from_pretrained(torch.from_numpy(kept["q"].astype(np.float32) * kept["s"]))
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    rows = [r for r in read(told.data / "intents.jsonl.gz", told.limit) if r["part"] == "train"]
    rows += named(read(told.data / "entities.jsonl.gz", told.limit))
    seen = features(network, table, read_lines(tokenizer, rows, 128, "cpu")[0])
    labels = torch.tensor([INTENTS.index(r["label"]) for r in rows])
    weights = torch.tensor([float(r.get("w", 1.0)) for r in rows])
    with torch.enable_grad():
        fit(network.whole.head, seen, labels, weights, told.steps)
    keep_small(told.out, network)
    right = (network.whole.head(seen).argmax(-1) == labels).float().mean()
    print(f"{len(rows)} rows, {float(right):.3f} right", flush=True)


if __name__ == "__main__":
    main()
