"""Trains Qwen2.5-Coder-1.5B as a teacher for entailment in many languages, and writes its judgement of every pair."""

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
from training.qwen import build

__all__ = ["Judge", "judged", "lines_of", "tune"]

ASKED = " Does that follow? Answer:"


class Judge(nn.Module):
    """The language model's last hidden state at the end of the question, and three logits from it."""

    def __init__(self, body: Any) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Linear(body.config.hidden_size, 3)

    def forward(self, ids: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
        """Three logits a pair; padding stands behind, where a causal model does not look."""
        hidden = self.body(input_ids=ids, use_cache=False).last_hidden_state
        return self.head(hidden[torch.arange(len(ids), device=ids.device), last].float())


def lines_of(tokenizer: Tokenizer, pairs: list[tuple[str, str]], longest: int = 300) -> list[list[int]]:
    """Token numbers of each pair."""
    unique = sorted({t for p in pairs for t in p})
    number = {t: x.ids for t, x in zip(unique, tokenizer.encode_batch_fast(unique), strict=True)}
    start, middle, end = (tokenizer.encode(t).ids for t in ("Premise: ", "\nHypothesis: ", ASKED))
    return [[*start, *number[a][: longest - len(number[b][:90])], *middle, *number[b][:90], *end] for a, b in pairs]


def _batch(lines: list[list[int]], group: list[int], device: str) -> tuple[torch.Tensor, torch.Tensor]:
    length = -(-max(len(lines[i]) for i in group) // 8) * 8
    ids = np.zeros((len(group), length), np.int64)
    for row, i in enumerate(group):
        ids[row, : len(lines[i])] = lines[i]
    last = torch.tensor([len(lines[i]) - 1 for i in group], device=device)
    return torch.from_numpy(ids).to(device), last


def tune(judge: Judge, lines: list[list[int]], labels: torch.Tensor, seconds: float, budget: int) -> None:
    """Train by the labels, one pass at most, until the seconds are spent."""
    device = labels.device.type
    opt = torch.optim.AdamW(judge.parameters(), lr=1e-5, weight_decay=0.0, betas=(0.9, 0.98), fused=device == "cuda")
    groups = list(planned([len(x) for x in lines], budget, random.Random(1)))
    began = time.time()
    judge.train()
    for step, group in enumerate(groups):
        spent = (time.time() - began) / seconds
        rate = 1.2e-5 * min((step + 1) / 40, max(0.02, 1 - max(spent, step / len(groups))))
        for param_group in opt.param_groups:
            param_group["lr"] = rate
        ids, last = _batch(lines, group, device)
        with torch.autocast(device, dtype=torch.bfloat16):
            out = judge(ids, last)
        loss = F.cross_entropy(out.float(), labels[group])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
        opt.step()
        if step % 50 == 49:
            print("qwen", step + 1, len(groups), f"{loss.item():.3f} {time.time() - began:.0f}s", flush=True)
        if spent >= 1:
            break
    judge.eval().to(torch.bfloat16)
    judge.head.float()


@torch.no_grad()
def judged(judge: Judge, lines: list[list[int]], until: float, budget: int, device: str) -> np.ndarray:
    """Three logits for each line; nan for those that the time did not reach."""
    found = np.full((len(lines), 3), np.nan, np.float16)
    for group in planned([len(x) for x in lines], budget * 4, random.Random(2)):
        if time.time() > until:
            break
        ids, last = _batch(lines, group, device)
        found[group] = judge(ids, last).float().cpu().numpy()
    return found


def main() -> None:
    """Train for a while, say what it reached, then judge: ``qwen.npz`` has three logits for each pair of each file."""
    ask = argparse.ArgumentParser()
    ask.add_argument("--qwen", type=Path, required=True)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--seconds", type=float, default=170, help="of training")
    ask.add_argument("--judging", type=float, default=170, help="seconds of judging at most")
    ask.add_argument("--limit", type=int)
    ask.add_argument("--files", nargs="*", default=["more", "nli"], help="what is judged, in this order")
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = 16384 if device == "cuda" else 512
    torch.manual_seed(1)
    began = time.time()
    body = build(told.qwen, device, torch.float32).model
    body.gradient_checkpointing_disable()
    judge = Judge(body).to(device)
    tokenizer = Tokenizer.from_file(str(told.qwen / "tokenizer.json"))
    rows = read(told.data / "nli.jsonl.gz", told.limit)
    lines = lines_of(tokenizer, [(r["p"], r["h"]) for r in rows])
    labels = torch.tensor([LABELS.index(r["y"]) for r in rows], device=device)
    print("qwen: loaded", f"{time.time() - began:.0f}s", len(lines), flush=True)
    began = time.time()
    tune(judge, lines, labels, told.seconds, budget)
    held = read(told.data / "judge.jsonl.gz", told.limit)
    held = [r for r in held if "jnli" in r["src"] or r["lang"] != "ja"]
    held = random.Random(5).sample(held, min(len(held), 6000))
    out = judged(judge, lines_of(tokenizer, [(r["p"], r["h"]) for r in held]), time.time() + 60, budget, device)
    for key in sorted({(r["src"], r["lang"]) for r in held}):
        chosen = [i for i, r in enumerate(held) if (r["src"], r["lang"]) == key]
        right = np.mean([out[i].argmax() == LABELS.index(held[i]["y"]) for i in chosen])
        print("qwen", *key, len(chosen), f"{right:.3f}", flush=True)
    found = {}
    until = time.time() + told.judging
    for name in told.files:  # labels cover nli anyway: what has none goes first
        pairs = [
            tuple(r["pair"]) if "pair" in r else (r["p"], r["h"])
            for r in read(told.data / f"{name}.jsonl.gz", told.limit)
        ]
        some = lines if name == "nli" else lines_of(tokenizer, pairs)
        found[name] = judged(judge, some, until, budget, device)
        print("qwen judged", name, len(some), f"{time.time() - began:.0f}s", flush=True)
        np.savez(told.out.with_suffix(".part.npz"), **found)
    told.out.with_suffix(".part.npz").rename(told.out)


if __name__ == "__main__":
    main()
