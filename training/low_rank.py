"""Tunes the large network: the first layers of Qwen2.5-Coder-1.5B as they are, and beside each matrix a thin product.

The layers stay as users fetch them; what is learnt is a product of rank ``RANK`` beside each matrix but the gate, the
last norm and the head. Both sides of a product are rounded to four bits from the first step on, as they ship.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.entail import auroc
from training.multilingual_figures import answers, measured
from training.multilingual_tasks import Task, Wanted
from training.plan import planned
from training.qwen_network import BLOCK, FAULT_AT, Network, four_bit, whole_of
from training.token_lines import Lines

__all__ = ["PARTS", "RANK", "LowRank", "TalkTask", "adapted", "kept_adapter", "started"]

PARTS = ("q", "k", "v", "o", "up", "down")
RANK = 8
# Of the tokens of a step, what lines with marks have: conversations, faults made of clean ones, answers, prompts.
SHARES = {"talks": 0.2, "swaps": 0.12, "singles": 0.15, "prompts": 0.1}
SCALING = 2.0


@torch.no_grad()
def _four(value: torch.Tensor) -> torch.Tensor:
    """What four bits hold of a matrix, in blocks of a row."""
    whole, scale = four_bit(value)
    return whole * scale.repeat_interleave(BLOCK, 1)[:, : value.shape[1]]


class LowRank(nn.Module):
    """A frozen matrix with a product of low rank beside it."""

    def __init__(self, base: nn.Linear, kind: torch.dtype, rank: int = RANK) -> None:
        super().__init__()
        self.register_buffer("base", base.weight.detach().to(kind), persistent=False)
        bias = None if base.bias is None else base.bias.detach().to(kind)
        self.register_buffer("bias", bias, persistent=False)
        out, wide = base.weight.shape
        self.a = nn.Parameter(torch.randn(rank, wide, device=base.weight.device) / math.sqrt(wide))
        self.b = nn.Parameter(torch.zeros(rank, out, device=base.weight.device))  # blocks run along the long side
        self.round()

    @torch.no_grad()
    def round(self) -> None:
        """Learn how far both sides are from what four bits hold of them; asked for after each step."""
        self.a_gap, self.b_gap = _four(self.a) - self.a, _four(SCALING * self.b) - SCALING * self.b

    def sides(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Both sides as four bits hold them; the gradient passes as if they were not rounded."""
        return self.a + self.a_gap, (SCALING * self.b + self.b_gap).T

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The frozen product and the learnt one."""
        a, b = self.sides()
        x = x.to(self.base.dtype)
        whole = F.linear(x, self.base, self.bias)
        return whole + F.linear(F.linear(x, a), b)


def adapted(network: Network, kind: torch.dtype, rank: int = RANK) -> Network:
    """The network with frozen layers and products beside them."""
    for each in network.parameters():
        each.requires_grad_(False)
    for layer in network.layers:
        for name in PARTS:
            setattr(layer, name, LowRank(getattr(layer, name), kind, rank))
        layer.gate.to(kind)
    network.norm.requires_grad_(True)
    network.head.requires_grad_(True)
    return network


def kept_adapter(network: Network) -> dict[str, np.ndarray]:
    """What is learnt, already rounded."""
    found: dict[str, np.ndarray] = {}
    with torch.no_grad():
        for at, layer in enumerate(network.layers):
            for name in PARTS:
                a, b = getattr(layer, name).sides()
                found[f"layers.{at}.{name}.a"] = a.float().cpu().numpy().astype(np.float16)
                found[f"layers.{at}.{name}.b"] = b.float().cpu().numpy().astype(np.float16)
    found["norm"] = network.norm.detach().float().cpu().numpy()
    found["head.weight"] = network.head.weight.detach().float().cpu().numpy()
    found["head.bias"] = network.head.bias.detach().float().cpu().numpy()
    return found


@torch.no_grad()
def started(network: Network, adapter: dict[str, np.ndarray]) -> Network:
    """The network with what an adapter has learnt already."""
    for at, layer in enumerate(network.layers):
        for name in PARTS:
            part = getattr(layer, name)
            part.a.copy_(torch.from_numpy(adapter[f"layers.{at}.{name}.a"].astype(np.float32)))
            part.b.copy_(torch.from_numpy(adapter[f"layers.{at}.{name}.b"].astype(np.float32)).T / SCALING)
            part.round()
    network.norm.copy_(torch.from_numpy(adapter["norm"]))
    network.head.weight.copy_(torch.from_numpy(adapter["head.weight"].astype(np.float32)))
    network.head.bias.copy_(torch.from_numpy(adapter["head.bias"]))
    return network


class TalkTask:
    """Conversations with marks: what is wanted at each, and batches without end."""

    def __init__(self, file: Path, device: str, budget: int, every: int = 1, seed: int = 9) -> None:
        with np.load(file) as found:
            kept = dict(found)
        self.every = every
        self.lines = Lines((kept["talks_flat"].astype(np.int32), kept["talks_sizes"].astype(np.int64)), device)
        self.marks = kept["talks_marks"]
        self.of_line: list[list[int]] = [[] for _ in self.lines.lengths]
        for number, mark in enumerate(self.marks):
            self.of_line[int(mark[0])].append(number)
        self.budget, self.dice = budget, random.Random(seed)
        self.groups = self._endless()

    def _endless(self) -> Iterator[list[int]]:
        while True:
            yield from planned(self.lines.lengths, self.budget, self.dice)

    def places(self, group: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """Row in the batch and place of each mark; the numbers of the marks."""
        found = [(row, number) for row, line in enumerate(group) for number in self.of_line[line]]
        marks = torch.tensor([[row, int(self.marks[n, 1])] for row, n in found], device=self.lines.device)
        return marks, torch.tensor([n for _, n in found])

    def loss(self, out: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Whether there is a fault, and which; a fault is rarer than its worth."""
        mine = torch.from_numpy(self.marks[numbers.numpy()]).to(out.device)
        fault, kind = mine[:, 2], mine[:, 3]
        known = (fault >= 0).float()
        each = F.binary_cross_entropy_with_logits(
            out[:, FAULT_AT], (fault == 1).float() * 0.96 + 0.02, reduction="none"
        )
        weight = known * (1 + 1.5 * (fault == 1).float())
        loss = (each * weight).sum() / weight.sum().clamp(min=1)
        some = kind >= 0
        if some.any():
            loss = loss + 0.3 * F.cross_entropy(out[some, FAULT_AT + 1 :], kind[some].long(), label_smoothing=0.05)
        return 1.5 * loss


@torch.no_grad()
def talk_answers(network: Network, task: TalkTask, budget: int) -> np.ndarray:
    """The outputs at every mark."""
    network.eval()
    found = np.zeros((len(task.marks), network.head.out_features), np.float32)
    device = task.lines.device
    for group in planned(task.lines.lengths, budget, None):
        ids, sizes, _ = task.lines.batch(group)
        marks, numbers = task.places(group)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            found[numbers.numpy()] = network.read_at(ids, sizes, marks).float().cpu().numpy()
    network.train()
    return found


def told_talks(task: TalkTask, out: np.ndarray) -> dict[str, Any]:
    """AUROC of conversations by their worst act, and of acts; how many faults are first at their act."""
    marks, score = task.marks, out[:, FAULT_AT]
    talks: dict[int, list[int]] = {}
    for at, mark in enumerate(marks):
        talks.setdefault(int(mark[4]), []).append(at)
    worst = {n: max(score[a] for a in some) for n, some in talks.items()}
    bad = {n: any(marks[a, 2] == 1 for a in some) for n, some in talks.items()}
    names = sorted(talks)
    hit = [marks[max(talks[n], key=lambda a: score[a]), 2] != 0 for n in names if bad[n]]
    clean_ = sorted((worst[n] for n in names if not bad[n]), reverse=True)
    bound = clean_[max(0, int(len(clean_) * 0.033))] if clean_ else 0.0
    right = [any(score[a] > bound and marks[a, 2] != 0 for a in talks[n]) for n in names if bad[n]]
    known = marks[:, 2] >= 0
    return {
        "talks": [
            len(names),
            round(auroc(np.array([worst[n] for n in names]), np.array([int(bad[n]) for n in names])), 3),
        ],
        "acts": round(auroc(score[known], marks[known, 2]), 3),
        "worst at its act": round(float(np.mean(hit)), 3) if hit else None,
        "found at 3 % of clean": round(float(np.mean(right)), 3) if right else None,
    }


def fit(network: Network, tasks: Sequence[Task | TalkTask], told: argparse.Namespace, held: TalkTask | None) -> None:
    """Train, one batch of each task a step, until the seconds or the steps are spent."""
    device = tasks[0].lines.device
    thin = [p for n, p in network.named_parameters() if p.requires_grad and n.endswith((".a", ".b"))]
    rest = [p for n, p in network.named_parameters() if p.requires_grad and not n.endswith((".a", ".b"))]
    groups: list[dict[str, Any]] = [{"params": thin, "faster": 1.0}, {"params": rest, "faster": told.head}]
    opt = torch.optim.AdamW(groups, lr=told.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=device == "cuda")
    thin_parts = [each for each in network.modules() if isinstance(each, LowRank)]
    began, step, total = time.time(), 0, [0.0] * len(tasks)
    until = told.until or began + told.seconds
    network.train()
    while step < told.steps and time.time() < until:
        gone = min(1.0, (time.time() - began) / (until - began))
        for group in opt.param_groups:
            group["lr"] = told.rate * min(1.0, (step + 1) / 40) * (0.02 + 0.49 * (1 + math.cos(math.pi * gone)))
            group["lr"] *= group["faster"]
        opt.zero_grad(set_to_none=True)
        for at, task in enumerate(tasks):
            if step % task.every:
                continue
            group = next(task.groups)
            ids, sizes, rows = task.lines.batch(group)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                if isinstance(task, TalkTask):
                    marks, rows = task.places(group)
                    out = network.read_at(ids, sizes, marks)
                else:
                    out = network(ids, sizes)
            loss = task.loss(out.float(), rows)
            loss.backward()
            total[at] = 0.98 * total[at] + 0.02 * loss.detach()
        nn.utils.clip_grad_norm_([*thin, *rest], 1.0)
        opt.step()
        for each in thin_parts:
            each.round()
        step += 1
        if step % 50 == 0 or step == 10:
            print(
                step, *(f"{float(x) / (1 - 0.98**step):.4f}" for x in total), f"{time.time() - began:.0f}s", flush=True
            )
        if held is not None and step % told.look == 0:
            print(step, json.dumps(told_talks(held, talk_answers(network, held, 2 * told.budget))), flush=True)
            if told.out:
                np.savez(told.out / "adapter_float.npz", **kept_adapter(network))
    print("steps", step, flush=True)


def main() -> None:
    """Tune, measure, and write the adapter, what it says to the asked lines, and some lines for parity."""
    told = _asked()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    random.seed(1)
    told.out.mkdir(parents=True, exist_ok=True)
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    network = adapted(whole_of(told.qwen, device, told.layers), kind)
    if told.start:
        with np.load(told.start) as kept:
            started(network, dict(kept))
    if told.compile:
        torch._dynamo.config.suppress_errors = True
        torch._dynamo.config.cache_size_limit = 64
        for layer in network.layers:
            layer.compile(dynamic=True)
    print("built", flush=True)
    tokenizer = Tokenizer.from_file(str(told.qwen / "tokenizer.json"))
    wanted = Wanted(told.data, tokenizer, device, told.limit)
    tasks: list[Task | TalkTask] = [*wanted.tasks(told.budget, None, teacher=True)]
    for each in tasks:
        each.every *= told.every
    for name, share in SHARES.items():
        if (told.data / f"{name}.npz").exists():
            tasks.append(TalkTask(told.data / f"{name}.npz", device, int(told.budget * share)))
    held = TalkTask(told.data / "talks-held.npz", device, told.budget)
    fit(network, tasks, told, held)
    _finish(network, held, told, device)


def _asked() -> argparse.Namespace:
    """What the command line says."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--qwen", type=Path, required=True, help="the layers of the base, and its tokenizer")
    ask.add_argument("--start", type=Path, help="the adapter to go on from")
    ask.add_argument("--every", type=int, default=1, help="steps between batches of the tasks without marks")
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--layers", type=int, default=18)
    ask.add_argument("--seconds", type=float, default=100)
    ask.add_argument("--until", type=float, help="the time at which training ends, in seconds since the epoch")
    ask.add_argument("--steps", type=int, default=10**9)
    ask.add_argument("--rate", type=float, default=3e-4)
    ask.add_argument("--head", type=float, default=0.5)
    ask.add_argument("--budget", type=int, default=32768)
    ask.add_argument("--look", type=int, default=400)
    ask.add_argument("--limit", type=int)
    ask.add_argument("--few", action="store_true")
    ask.add_argument("--compile", action="store_true")
    return ask.parse_args()


def _finish(network: Network, held: TalkTask, told: argparse.Namespace, device: str) -> None:
    """Write the adapter, and measure it."""
    np.savez(told.out / "adapter_float.npz", **kept_adapter(network))
    seen = talk_answers(network, held, 2 * told.budget)
    np.savez(told.out / "talks-said.npz", said=seen.astype(np.float32), marks=held.marks)
    result: dict[str, Any] = {"talks": told_talks(held, seen)}
    for name in ("singles", "prompts"):
        if (told.data / f"{name}-held.npz").exists():
            other = TalkTask(told.data / f"{name}-held.npz", device, told.budget)
            other_seen = talk_answers(network, other, 2 * told.budget)
            result[name] = told_talks(other, other_seen)
            np.savez(told.out / f"{name}-said.npz", said=other_seen.astype(np.float32), marks=other.marks)
    print(json.dumps(result), flush=True)
    with np.load(told.data / "asked.npz") as kept:
        lines = Lines((kept["flat"].astype(np.int32), kept["sizes"].astype(np.int64)), device)
    np.save(told.out / "said.npy", answers(network, lines, 2 * told.budget).astype(np.float16))
    tokenizer = Tokenizer.from_file(str(told.qwen / "tokenizer.json"))
    result |= measured(network, tokenizer, told.data, device, told.few)
    (told.out / "figures.json").write_text(json.dumps(result))
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
