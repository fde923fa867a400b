"""Trains the large English teacher for entailment and writes its judgement of every English pair."""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.data import LABELS, read
from training.plan import planned

__all__ = ["LABELS", "Teacher", "judge", "read", "train"]


class Teacher(nn.Module):
    """MPNet with a three-way head over its mean."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        from transformers import MPNetModel

        self.body = MPNetModel(config, add_pooling_layer=False)
        self.head = nn.Linear(config.hidden_size, 3)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Three logits a pair."""
        hidden = self.body(input_ids=ids, attention_mask=mask).last_hidden_state
        kept = mask[:, :, None].to(hidden.dtype)
        return self.head((hidden * kept).sum(1) / kept.sum(1))


def _weights(folder: Path) -> dict[str, torch.Tensor]:
    found = {}
    for name in ("mpnet_a.npz", "mpnet_b.npz"):
        kept = np.load(folder / name)
        for key in kept.files:
            if not key.endswith("|s"):
                value = kept[key].astype(np.float32)
                found[key] = torch.from_numpy(value * kept[key + "|s"] if key + "|s" in kept.files else value)
    return found


def _lines(tokenizer: Tokenizer, pairs: list[tuple[str, str]], longest: int = 160) -> list[list[int]]:
    # <s> a </s> </s> b </s>: 0 and 2 are MPNet's marks
    first = [x.ids for x in tokenizer.encode_batch_fast([a for a, _ in pairs], add_special_tokens=False)]
    second = [x.ids for x in tokenizer.encode_batch_fast([b for _, b in pairs], add_special_tokens=False)]
    return [[0, *a[: longest - 4 - len(b[:64])], 2, 2, *b[:64], 2] for a, b in zip(first, second, strict=True)]


def _batch(lines: list[list[int]], group: list[int], device: str) -> tuple[torch.Tensor, torch.Tensor]:
    length = -(-max(len(lines[i]) for i in group) // 8) * 8
    ids = torch.full((len(group), length), 1, dtype=torch.long)
    mask = torch.zeros((len(group), length))
    for row, i in enumerate(group):
        ids[row, : len(lines[i])] = torch.tensor(lines[i])
        mask[row, : len(lines[i])] = 1
    return ids.to(device), mask.to(device)


def train(
    model: Teacher, lines: list[list[int]], labels: list[int], *, epochs: float, budget: int, device: str, rate: float
) -> None:
    """Fine-tune by the labels."""
    dice = random.Random(1)
    total = int(epochs * sum(1 for _ in planned([len(x) for x in lines], budget, None))) + 1
    opt = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01, betas=(0.9, 0.98))
    plan = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min((s + 1) / (0.06 * total + 1), max(0.0, 1 - s / total)))
    step, began = 0, time.time()
    model.train()
    while step < total:
        for group in planned([len(x) for x in lines], budget, dice):
            ids, mask = _batch(lines, group, device)
            y = torch.tensor([labels[i] for i in group], device=device)
            with torch.autocast(device, dtype=torch.bfloat16):
                loss = F.cross_entropy(model(ids, mask).float(), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            plan.step()
            step += 1
            if step % 100 == 0:
                print("teacher", step, total, f"{loss.item():.3f} {time.time() - began:.0f}s", flush=True)
            if step >= total:
                break


@torch.no_grad()
def judge(model: Teacher, lines: list[list[int]], *, budget: int, device: str) -> np.ndarray:
    """The logits of every line."""
    model.eval()
    found = np.zeros((len(lines), 3), np.float16)
    for group in planned([len(x) for x in lines], budget, None):
        ids, mask = _batch(lines, group, device)
        with torch.autocast(device, dtype=torch.bfloat16):
            found[group] = model(ids, mask).float().cpu().numpy()
    return found


def main() -> None:
    """Train, judge, and write ``teacher.npz``: nli, nli_back, silver, silver_back (each [n, 3])."""
    ask = argparse.ArgumentParser()
    ask.add_argument("--weights", type=Path, required=True)
    ask.add_argument("--config", type=Path, required=True)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--epochs", type=float, default=2.5)
    ask.add_argument("--limit", type=int)
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    from transformers import MPNetConfig

    config = MPNetConfig.from_json_file(told.config / "config.json")
    if told.limit:
        config.num_hidden_layers = 1
    model = Teacher(config)
    print("absent", model.body.load_state_dict(_weights(told.weights), strict=False).missing_keys)
    model.to(device)
    tokenizer = Tokenizer.from_file(str(told.config / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows = read(told.data / "nli.jsonl.gz", told.limit)
    english = [r for r in rows if r["lang"] == "en"]
    pairs = [(r["p"], r["h"]) for r in english]
    budget = 16384 if device == "cuda" else 1024
    train(
        model,
        _lines(tokenizer, pairs),
        [LABELS.index(r["y"]) for r in english],
        epochs=told.epochs,
        budget=budget,
        device=device,
        rate=6e-5,
    )
    held = [r for r in read(told.data / "judge.jsonl.gz", told.limit) if r["lang"] == "en"]
    seen = judge(model, _lines(tokenizer, [(r["p"], r["h"]) for r in held]), budget=4 * budget, device=device)
    for source in sorted({r["src"] for r in held}):
        chosen = [i for i, r in enumerate(held) if r["src"] == source]
        right = np.mean([seen[i].argmax() == LABELS.index(held[i]["y"]) for i in chosen])
        print("teacher", source, len(chosen), f"{right:.4f}", flush=True)
    silver = [tuple(r["en"]) for r in read(told.data / "silver.jsonl.gz", told.limit)]
    sets = {
        "nli": pairs,
        "nli_back": [(b, a) for a, b in pairs],
        "silver": silver,
        "silver_back": [(b, a) for a, b in silver],
    }
    np.savez(
        told.out, **{k: judge(model, _lines(tokenizer, v), budget=4 * budget, device=device) for k, v in sets.items()}
    )


if __name__ == "__main__":
    main()
