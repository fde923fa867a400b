"""Teaches a multilingual network for entailment and support, cut out of the first layers of a language model.

``whole`` tunes the layers as they are; ``cut`` takes some of them with the most used part of each, reads a smaller
table, and learns what the whole one says. From a share of the way on, weights are rounded to 4 bits and what they are
multiplied with to 8, as it will run. Whole sources of grounding rows are left out for good (``entail.LEFT``).

A line is ``Premise: … Hypothesis: … Answer:`` for a pair, ``Customer: … Agent: … Grants:`` for what an answer promises.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.data import LABELS, read
from training.entail import LEFT, assemble, auroc
from training.plan import planned
from training.qwen_layers import STARTS, WIDTH, layers_of

__all__ = ["Layer", "Lines", "Network", "cut_from", "four_bit", "lines_of", "measured"]

HEADS, GROUPS, SIZE, THETA = 14, 2, 64, 1e6
OUTPUTS = 5  # entailment, neutral, contradiction, supported, grants
BLOCK = 64  # weights that share a scale
WARMTH = 1.5


def four_bit(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Whole numbers from -7 to 7 and a scale for each block of a row (its last block may be short)."""
    rows, width = weight.shape
    wide = F.pad(weight, (0, -width % BLOCK)).view(rows, -1, BLOCK)
    scale = (wide.abs().amax(-1, keepdim=True) / 7).clamp(min=1e-8).half().float()
    return (wide / scale).round().clamp(-7, 7).view(rows, -1)[:, :width], scale[:, :, 0]


class _Rounded(torch.autograd.Function):
    """Rounding that lets the gradient through."""

    @staticmethod
    def forward(ctx: Any, weight: torch.Tensor) -> torch.Tensor:
        whole, scale = four_bit(weight)
        return whole * scale.repeat_interleave(BLOCK, 1)[:, : weight.shape[1]]

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        return grads[0]


class Product(nn.Linear):
    """A matrix that can be rounded to 4 bits, and its input to 8."""

    rounding = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.rounding:
            return super().forward(x)
        with torch.no_grad():
            low, high = x.amin().clamp(max=0), x.amax().clamp(min=0)
            scale = ((high - low) / 255).clamp(min=1e-8)
            zero = (-low / scale).round()
            near = (((x / scale).round() + zero).clamp(0, 255) - zero) * scale
        return F.linear(x + (near - x).detach(), _Rounded.apply(self.weight), self.bias)


class Layer(nn.Module):
    """One layer of the language model; its attention sees behind or everywhere."""

    def __init__(self, inner: int) -> None:
        super().__init__()
        self.before, self.between = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.ones(WIDTH))
        self.q, self.k, self.v = (Product(WIDTH, n * SIZE) for n in (HEADS, GROUPS, GROUPS))
        self.o = Product(HEADS * SIZE, WIDTH, bias=False)
        self.gate, self.up = Product(WIDTH, inner, bias=False), Product(WIDTH, inner, bias=False)
        self.down = Product(inner, WIDTH, bias=False)
        self.seen: torch.Tensor | None = None  # how much each inner number is used, when asked

    def forward(
        self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor], mask: torch.Tensor | None
    ) -> torch.Tensor:
        """The states after this layer."""
        rows, length, _ = x.shape
        h = F.rms_norm(x, (WIDTH,), self.before.to(x.dtype), 1e-6)
        q = _turned(self.q(h).view(rows, length, HEADS, SIZE), turn).transpose(1, 2)
        k = _turned(self.k(h).view(rows, length, GROUPS, SIZE), turn).transpose(1, 2)
        v = self.v(h).view(rows, length, GROUPS, SIZE).transpose(1, 2)
        k, v = (y.repeat_interleave(HEADS // GROUPS, 1) for y in (k, v))
        seen = F.scaled_dot_product_attention(q, k, v.to(q.dtype), attn_mask=mask, is_causal=mask is None)
        x = x + self.o(seen.transpose(1, 2).reshape(rows, length, -1))
        h = F.rms_norm(x, (WIDTH,), self.between.to(x.dtype), 1e-6)
        inner = F.silu(self.gate(h)) * self.up(h)
        if self.seen is not None:
            self.seen += inner.detach().float().abs().sum((0, 1))
        return x + self.down(inner)


def _turned(x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    cos, sin = turn
    one, two = x.chunk(2, -1)
    return x * cos.to(x.dtype) + torch.cat([-two, one], -1) * sin.to(x.dtype)


class Network(nn.Module):
    """Rows of the table, an entry where they are narrow, the layers, and a head over the last state and the mean."""

    def __init__(self, tokens: int, narrow: int, layers: int, inner: int, both_ways: bool) -> None:
        super().__init__()
        self.table = nn.Embedding(tokens, narrow or WIDTH)
        self.entry = nn.Linear(narrow, WIDTH, bias=False) if narrow else None
        self.layers = nn.ModuleList(Layer(inner) for _ in range(layers))
        self.norm = nn.Parameter(torch.ones(WIDTH))
        self.head = nn.Linear(2 * WIDTH, OUTPUTS)
        self.both_ways = both_ways
        self.rounded_table = False

    def forward(
        self, ids: torch.Tensor, sizes: torch.Tensor, states: list[torch.Tensor] | None = None
    ) -> torch.Tensor:
        """The outputs of each line; ``states`` receives what each layer leaves."""
        length = ids.shape[1]
        rows = self.table(ids)
        if self.rounded_table:
            scale = rows.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
            rows = rows + ((rows / scale).round() * scale - rows).detach()
        x = rows if self.entry is None else self.entry(rows)
        place = torch.arange(length, device=ids.device)
        angle = place[:, None] * THETA ** -(torch.arange(0, SIZE, 2, device=ids.device) / SIZE)
        turn = angle.cos().repeat(1, 2)[:, None], angle.sin().repeat(1, 2)[:, None]
        real = place[None] < sizes[:, None]
        mask = real[:, None, None, :].expand(-1, 1, length, -1) if self.both_ways else None
        for layer in self.layers:
            x = layer(x, turn, mask)
            if states is not None:
                states.append(x)
        x = F.rms_norm(x.float(), (WIDTH,), self.norm, 1e-6)
        last = x[torch.arange(len(ids), device=ids.device), sizes - 1]
        mean = (x * real[:, :, None]).sum(1) / sizes[:, None]
        return self.head(torch.cat([last, mean], -1).float())

    def round(self) -> None:
        """From now on run as it will ship."""
        self.rounded_table = True
        for part in self.modules():
            if isinstance(part, Product):
                part.rounding = True


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


def flattened(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """All lines one after another, and the length of each."""
    sizes = np.array([len(r) for r in rows], np.int64)
    return np.concatenate([np.asarray(r, np.int32) for r in rows] + [np.zeros(1024, np.int32)]), sizes


class Task:
    """Lines with what is wanted of them; gives batches without end."""

    def __init__(self, lines: Lines, loss: Any, budget: int, seed: int) -> None:
        self.lines, self.loss, self.budget, self.dice = lines, loss, budget, random.Random(seed)
        self.groups = self._endless()

    def _endless(self) -> Any:
        while True:
            yield from planned(self.lines.lengths, self.budget, self.dice)


class Wanted:
    """Every training line of the three kinds, and their labels."""

    def __init__(self, data: Path, tokenizer: Tokenizer, device: str, limit: int | None) -> None:
        file = data / "lines.npz"  # to number the tokens takes longer than to load them
        if not file.exists():
            np.savez(file, **_numbered(data, tokenizer, limit))
        kept = np.load(file)
        self.pairs, self.ground, self.acts = (
            Lines((kept[f"{name}_flat"], kept[f"{name}_sizes"]), device) for name in ("pairs", "ground", "acts")
        )
        self.hard, self.worth, self.y, self.ground_worth, self.grants = (
            torch.from_numpy(kept[name]).to(device) for name in ("hard", "worth", "y", "ground_worth", "grants")
        )
        print("lines", *(len(x.lengths) for x in (self.pairs, self.ground, self.acts)),
              "tokens", *(sum(x.lengths) for x in (self.pairs, self.ground, self.acts)), flush=True)  # fmt: skip

    def tasks(self, budget: int, said: dict[str, torch.Tensor] | None) -> list[Task]:
        """Losses by the labels, and by what the teacher said."""

        def pairs(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            y = self.hard[group]
            three, labelled = out[:, :3], (y >= 0).float()
            each = F.cross_entropy(three, y.clamp(min=0), reduction="none", label_smoothing=0.02) * labelled
            also = F.binary_cross_entropy_with_logits(out[:, 3], (y == 0).float() * 0.98 + 0.01, reduction="none")
            each = each + 0.2 * also * labelled
            if said is not None:
                each = 0.5 * each + _near(out, said["pairs"][group])
            return (each * self.worth[group]).sum() / max(len(group), 1)

        def ground(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            want = self.y[group]
            each = F.binary_cross_entropy_with_logits(out[:, 3], want * 0.96 + 0.02, reduction="none")
            against = out[:, 0] - torch.logsumexp(out[:, 1:3], -1)
            each = each + 0.2 * F.binary_cross_entropy_with_logits(against, want * 0.9 + 0.05, reduction="none")
            if said is not None:
                each = 0.5 * each + _near(out, said["ground"][group])
            return (each * self.ground_worth[group]).mean()

        def acts(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            each = F.binary_cross_entropy_with_logits(out[:, 4], self.grants[group] * 0.98 + 0.01, reduction="none")
            if said is not None:
                soft = (said["acts"][group][:, 4] / WARMTH).sigmoid()
                each = 0.5 * each + F.binary_cross_entropy_with_logits(out[:, 4] / WARMTH, soft, reduction="none")
            return 0.5 * each.mean()

        return [
            Task(self.pairs, pairs, budget, 4),
            Task(self.ground, ground, budget // 3, 5),
            Task(self.acts, acts, budget // 16, 6),
        ]


def _numbered(data: Path, tokenizer: Tokenizer, limit: int | None) -> dict[str, np.ndarray]:
    many = assemble(data, limit)
    pairs = flattened(lines_of(tokenizer, many.pairs, 200))
    ground = [r for r in read(data / "grounding.jsonl.gz", limit) if r["ok"] and r["src"] not in LEFT]
    rows = [(r["p"], r["h"], float(r["y"]), 1.0) for r in ground]
    rows += [(p, c, 1.0, 0.5) for r in ground if r["y"] for p, c in r["claims"]]
    left = {name.split("/")[0] for name in LEFT if "/" not in name}
    for row in read(data / "more.jsonl.gz", limit):
        if row["kind"] != "mix" and row["src"] not in left:
            rows.append((row["pair"][0], row["pair"][1], float(row["y"]), 0.4))
    supported = flattened(lines_of(tokenizer, [(a, b) for a, b, _, _ in rows], 320))
    dice = random.Random(3)
    acts = [
        (r["customer"] if dice.random() < 0.67 else "", r["answer"], float(bool(r["acts"])))
        for r in read(data / "acts.jsonl.gz", limit)
    ]
    promised = flattened(lines_of(tokenizer, [(a, b) for a, b, _ in acts], 220, STARTS[3:]))
    found = {"pairs": pairs, "ground": supported, "acts": promised}
    return {
        **{f"{name}_{part}": value for name, two in found.items() for part, value in zip(("flat", "sizes"), two, strict=True)},
        "hard": np.array(many.labels, np.int64),
        "worth": np.array(many.worth, np.float32),
        "y": np.array([r[2] for r in rows], np.float32),
        "ground_worth": np.array([r[3] for r in rows], np.float32),
        "grants": np.array([r[2] for r in acts], np.float32),
    }


def _near(out: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
    wish = (said[:, :3] / WARMTH).softmax(-1)
    three = -(wish * F.log_softmax(out[:, :3] / WARMTH, -1)).sum(-1)
    soft = (said[:, 3] / WARMTH).sigmoid()
    return three + 0.5 * F.binary_cross_entropy_with_logits(out[:, 3] / WARMTH, soft, reduction="none")


def fit(
    network: Network,
    tasks: Sequence[Task],
    *,
    seconds: float,
    rate: float,
    name: str,
    share: tuple[float, float] = (0.0, 1.0),
    teacher: Network | None = None,
    beside: Sequence[int] = (),
    shown: float = 0.0,
    rounding: float = 2.0,
    steps: int = 10**9,
) -> None:
    """Train for so long. ``share`` is the part of the whole schedule that this is; the teacher shows its states for
    the first part ``shown`` of it, layer by layer (``beside``)."""
    device = tasks[0].lines.device
    table = [network.table.weight]
    rest = [p for n, p in network.named_parameters() if n != "table.weight"]
    opt = torch.optim.AdamW(
        [{"params": rest, "weight_decay": 0.01}, {"params": table, "weight_decay": 0.0}],
        lr=rate, betas=(0.9, 0.98), fused=device == "cuda",
    )  # fmt: skip
    began, step, total = time.time(), 0, [0.0] * (len(tasks) + 1)
    network.train()
    while step < steps:
        spent = (time.time() - began) / seconds
        if spent >= 1:
            break
        gone = share[0] + spent * (share[1] - share[0])
        for group in opt.param_groups:
            warm = min(1.0, (step + 1) / 60)
            group["lr"] = rate * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * gone)))
        if gone >= rounding:
            network.round()
            rounding = 2.0
        opt.zero_grad(set_to_none=True)
        for at, task in enumerate(tasks):
            ids, sizes, rows = task.lines.batch(next(task.groups))
            mine: list[torch.Tensor] | None = [] if teacher is not None and spent < shown else None
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                out = network(ids, sizes, mine)
            loss = task.loss(out.float(), rows)
            if teacher is not None and mine is not None:
                theirs: list[torch.Tensor] = []
                with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                    teacher(ids, sizes, theirs)
                real = (torch.arange(ids.shape[1], device=device)[None] < sizes[:, None]).float()
                real[:, 0] = 0  # the first token holds very large numbers
                apart = sum((_apart(a, theirs[b], real) for a, b in zip(mine, beside, strict=True)), start=torch.zeros((), device=device))
                loss = loss + apart / len(mine) * (2.0 if at < 2 else 0.3)
                total[-1] = 0.98 * total[-1] + 0.02 * float(apart.detach()) / len(mine) if step % 20 == 0 else total[-1]
            loss.backward()
            total[at] = 0.98 * total[at] + 0.02 * loss.detach()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        opt.step()
        step += 1
        if step % 100 == 0:
            print(name, step, " ".join(f"{float(x):.4f}" for x in total), f"{time.time() - began:.0f}s", flush=True)
    print(name, "steps", step, flush=True)


def _apart(mine: torch.Tensor, theirs: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    a, b = mine.float(), theirs.float()
    wide = ((a - b) ** 2).sum(-1) / (b**2).sum(-1).clamp(min=1e-6)
    return (wide * real).sum() / real.sum()


@torch.no_grad()
def answers(network: Network, lines: Lines, budget: int) -> np.ndarray:
    """The outputs of every line."""
    network.eval()
    found = np.zeros((len(lines.lengths), OUTPUTS), np.float32)
    for group in planned(lines.lengths, budget, None):
        ids, sizes, _ = lines.batch(group)
        with torch.autocast(lines.device, dtype=torch.bfloat16, enabled=lines.device == "cuda"):
            found[group] = network(ids, sizes).float().cpu().numpy()
    return found


def measured(network: Network, tokenizer: Tokenizer, data: Path, device: str, few: bool) -> dict[str, Any]:
    """Entailment by source and language, composed facts, support of sources left out, dialogue, claims, promises."""
    budget = 65536 if device == "cuda" else 2048

    def run(pairs: Sequence[tuple[str, str]], longest: int, starts: Sequence[str] = STARTS[:3]) -> np.ndarray:
        return answers(network, Lines(lines_of(tokenizer, pairs, longest, starts), device), budget)

    by: dict[str, list[dict[str, Any]]] = {}
    for row in [r for r in read(data / "judge.jsonl.gz") if r["y"] in LABELS]:
        source = row["src"].split("/")[0] if "xnli" in row["src"] else row["src"]
        by.setdefault(f"{source}|{row['lang']}", []).append(row)
    by["facts|"] = read(data / "facts-held.jsonl.gz")
    found: dict[str, Any] = {}
    most = 500 if few else 4500
    chosen = {k: random.Random(5).sample(v, min(len(v), most)) for k, v in sorted(by.items())}
    out = run([(r["p"], r["h"]) for v in chosen.values() for r in v], 240)
    at = 0
    for key, rows in chosen.items():
        mine = out[at : at + len(rows), :3].argmax(-1)
        at += len(rows)
        found[key] = [len(rows), round(float(np.mean([LABELS[m] == r["y"] for m, r in zip(mine, rows, strict=True)])), 3)]
    ground = [r for r in read(data / "grounding.jsonl.gz") if r["src"] in LEFT or not r["ok"]]
    ground = random.Random(6).sample(ground, min(len(ground), 2500 if few else 10**6))
    out = run([(r["p"], r["h"]) for r in ground], 320)
    y = np.array([r["y"] for r in ground])
    kinds = np.array([r["src"] if r["ok"] else r["src"].split("/")[0] for r in ground])
    for each in np.unique(kinds):
        some = kinds == each
        found[f"ground|{each}"] = [int(some.sum()), round(auroc(out[some, 3], y[some]), 3)]
    talk = read(data / "decode.jsonl.gz")[: 1500 if few else 10**6]
    share = torch.tensor(run([(r["p"], r["h"]) for r in talk], 220)[:, :3]).softmax(-1).numpy()[:, 2]
    found["decode"] = [len(talk), round(auroc(share, np.array([int(r["y"] == "contradiction") for r in talk])), 3)]
    claims = read(data / "claims-blind.jsonl.gz")
    p = torch.tensor(run([(r["p"], r["h"]) for r in claims], 280)[:, :3]).softmax(-1).numpy()
    y3 = np.array([LABELS.index(r["y"]) for r in claims])
    found["claims"] = {
        "three": round(float((p.argmax(1) == y3).mean()), 3),
        "found": round(float((p[y3 == 0, 0] >= 0.5).mean()), 3),
        "wrong": round(float((p[y3 != 0, 0] >= 0.5).mean()), 3),
        "auroc": round(auroc(p[:, 0], (y3 == 0).astype(int)), 3),
    }
    acts = [r for r in read(data / "acts-held.jsonl.gz") if "answer" in r]
    out = run([(r["customer"], r["answer"]) for r in acts], 220, STARTS[3:])[:, 4]
    for each in sorted({r["set"] for r in acts}):
        some = np.array([r["set"] == each for r in acts])
        y = np.array([r["y"] for r in acts])[some]
        found[each] = [int(some.sum()), round(auroc(out[some], y), 3), *(round(float((out[some][y == k] > 0).mean()), 3) for k in (1, 0))]
    return found


def whole_of(folder: Path, device: str, both_ways: bool, layers: int) -> Network:
    """The layers as they are, with the table of the kept tokens."""
    found, table, _ = layers_of(folder, device)
    inner = found["blk.0.ffn_gate.weight"].shape[0]
    network = Network(len(table), 0, layers, inner, both_ways).to(device)
    with torch.no_grad():
        network.table.weight.copy_(table)
        for at, layer in enumerate(network.layers):
            own = {n.removeprefix(f"blk.{at}."): v for n, v in found.items() if n.startswith(f"blk.{at}.")}
            layer.before.copy_(own["attn_norm.weight"])
            layer.between.copy_(own["ffn_norm.weight"])
            for short, part in (("q", layer.q), ("k", layer.k), ("v", layer.v)):
                part.weight.copy_(own[f"attn_{short}.weight"])
                part.bias.copy_(own[f"attn_{short}.bias"])
            layer.o.weight.copy_(own["attn_output.weight"])
            for short, part in (("gate", layer.gate), ("up", layer.up), ("down", layer.down)):
                part.weight.copy_(own[f"ffn_{short}.weight"])
    nn.init.normal_(network.head.weight, std=0.01)
    nn.init.zeros_(network.head.bias)
    return network


@torch.no_grad()
def cut_from(
    teacher: Network, lines: Lines, counts: np.ndarray, *, layers: int, inner: int, narrow: int
) -> tuple[Network, list[int]]:
    """The layers that change the most, in each the inner numbers that are used the most, and a narrower table.

    Also, for each layer kept, the layer of the teacher whose state it should leave behind.
    """
    deep, device = len(teacher.layers), lines.device
    change = np.zeros(deep)
    for layer in teacher.layers:
        layer.seen = torch.zeros(layer.gate.weight.shape[0], device=device)
    teacher.eval()
    groups = list(planned(lines.lengths, 16384, random.Random(9)))[:12]
    for group in groups:
        ids, sizes, _ = lines.batch(group)
        states: list[torch.Tensor] = []
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            teacher(ids, sizes, states)
        real = torch.arange(ids.shape[1], device=device)[None] < sizes[:, None]
        real[:, 0] = False
        for at in range(1, deep):
            near = F.cosine_similarity(states[at - 1][real].float(), states[at][real].float(), dim=-1)
            change[at] += 1 - float(near.mean())
    change[[0, deep - 1]] = 1e9
    kept = sorted(np.argsort(-change)[:layers].tolist())
    print("kept layers", kept, [round(float(x) / len(groups), 3) for x in change], flush=True)
    student = Network(len(counts), narrow, layers, inner, teacher.both_ways).to(device)
    for mine, at in zip(student.layers, kept, strict=True):
        theirs = teacher.layers[at]
        use = theirs.seen * theirs.down.weight.norm(dim=0)
        top = use.topk(inner).indices.sort().values
        for name in ("before", "between"):
            getattr(mine, name).copy_(getattr(theirs, name))
        for name in ("q", "k", "v"):
            getattr(mine, name).load_state_dict(getattr(theirs, name).state_dict())
        mine.o.weight.copy_(theirs.o.weight)
        mine.gate.weight.copy_(theirs.gate.weight[top])
        mine.up.weight.copy_(theirs.up.weight[top])
        mine.down.weight.copy_(theirs.down.weight[:, top])
        theirs.seen = None
    for layer in teacher.layers:
        layer.seen = None
    table = teacher.table.weight.float()
    worth = torch.from_numpy(np.sqrt(counts + 1.0)).float().to(device)[:, None]
    _, _, axes = torch.linalg.svd(table * worth, full_matrices=False)
    axes = axes[:narrow]
    spread = (table @ axes.T).std()
    student.table.weight.copy_(table @ axes.T / spread)
    student.entry.weight.copy_(axes.T * spread)
    student.norm.copy_(teacher.norm)
    student.head.load_state_dict(teacher.head.state_dict())
    return student, [*(at - 1 for at in kept[1:]), deep - 1]


def keep_rounded(network: Network, folder: Path, size: int = 15_000_000) -> None:
    """Write the network as it will run: 4 bits a weight in bytes of two, the table in 8, in files of ``size``."""
    found: dict[str, np.ndarray] = {}
    for name, value in network.state_dict().items():
        if value.ndim == 2 and name.startswith("layers."):
            whole, scale = four_bit(value.float())
            flat = (whole + 8).to(torch.uint8).cpu().numpy().reshape(-1)
            found[f"{name}|4|{'x'.join(map(str, value.shape))}"] = flat[0::2] | (flat[1::2] << 4)
            found[f"{name}|scale"] = scale.half().cpu().numpy()
        elif name == "table.weight":
            scale = value.float().abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
            found["table|8"] = (value.float() / scale).round().to(torch.int8).cpu().numpy()
            found["table|scale"] = scale[:, 0].cpu().numpy()
        else:
            found[name] = value.float().cpu().numpy()
    _write(found, folder, "rounded", size)


def keep_whole(network: Network, folder: Path, size: int = 15_000_000) -> None:
    """Write the weights in 8 bits a row, to go on from later."""
    found: dict[str, np.ndarray] = {}
    for name, value in network.state_dict().items():
        if value.ndim == 2:
            scale = value.float().abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
            found[f"{name}|8"] = (value.float() / scale).round().to(torch.int8).cpu().numpy()
            found[f"{name}|scale"] = scale[:, 0].half().cpu().numpy()
        else:
            found[name] = value.float().cpu().numpy()
    _write(found, folder, "whole", size)


def _write(found: dict[str, np.ndarray], folder: Path, name: str, size: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    part: dict[str, np.ndarray] = {}
    held = count = 0
    for key, value in found.items():
        if held + value.nbytes > size and part:
            np.savez(folder / f"{name}-{count}.npz", **part)
            part, held, count = {}, 0, count + 1
        part[key] = value
        held += value.nbytes
    np.savez(folder / f"{name}-{count}.npz", **part)


def main() -> None:
    """Tune the layers (``whole``), ask them about every line (``ask``), or teach a smaller network (``cut``)."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("what", choices=["number", "whole", "ask", "cut"])
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--qwen", type=Path, required=True, help="the folder that qwen_layers.py wrote")
    ask.add_argument("--out", type=Path, required=True, help="a folder for this run")
    ask.add_argument("--start", type=Path, help="the folder of the run to go on from")
    ask.add_argument("--teacher", type=Path, help="the folder of the whole network")
    ask.add_argument("--one-way", action="store_true")
    ask.add_argument("--layers", type=int, default=16)
    ask.add_argument("--inner", type=int, default=576)
    ask.add_argument("--narrow", type=int, default=256)
    ask.add_argument("--seconds", type=float, default=100)
    ask.add_argument("--steps", type=int, default=10**9)
    ask.add_argument("--rate", type=float, default=5e-5)
    ask.add_argument("--share", type=float, nargs=2, default=(0.0, 1.0))
    ask.add_argument("--shown", type=float, default=0.0)
    ask.add_argument("--rounding", type=float, default=2.0)
    ask.add_argument("--budget", type=int, default=49152)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--few", action="store_true")
    ask.add_argument("--keep", type=Path, help="where the result is kept in small files")
    ask.add_argument("--limit", type=int)
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(told.seed)
    random.seed(told.seed)
    began = time.time()
    tokenizer = Tokenizer.from_file(str(told.qwen / "tokenizer.json"))
    wanted = Wanted(told.data, tokenizer, device, told.limit)
    if told.what == "number":
        return
    told.out.mkdir(parents=True, exist_ok=True)
    shape = dict(np.load(told.qwen / "table.npz"))["counts"]
    said = None
    if told.what == "whole":
        network = whole_of(told.qwen, device, not told.one_way, told.layers)
        if told.start:
            network.load_state_dict(torch.load(told.start / "network.pt", map_location=device))
        print("ready", f"{time.time() - began:.0f}s", flush=True)
        fit(network, wanted.tasks(told.budget, None), seconds=told.seconds, rate=told.rate, name=told.out.name,
            share=tuple(told.share), steps=told.steps)  # fmt: skip
        torch.save(network.state_dict(), told.out / "network.pt")
        (told.out / "both_ways").write_text(str(int(network.both_ways)))
    else:
        both = bool(int((told.teacher / "both_ways").read_text()))
        teacher = _kept(told, device, both)
        if told.what == "ask":
            for name, lines in (("pairs", wanted.pairs), ("ground", wanted.ground), ("acts", wanted.acts)):
                np.save(told.teacher / f"said-{name}.npy", answers(teacher, lines, 4 * told.budget).astype(np.float16))
                print("asked", name, f"{time.time() - began:.0f}s", flush=True)
            return
        said = None if not (told.teacher / "said-acts.npy").exists() else {
            name: torch.from_numpy(np.load(told.teacher / f"said-{name}.npy").astype(np.float32)).to(device)
            for name in ("pairs", "ground", "acts")
        }
        if told.start:
            kept = torch.load(told.start / "network.pt", map_location=device)
            beside = json.loads((told.start / "beside.json").read_text())
            layers = 1 + max(int(n.split(".")[1]) for n in kept if n.startswith("layers."))
            network = Network(len(shape), kept["table.weight"].shape[1], layers, kept["layers.0.gate.weight"].shape[0], both).to(device)
            network.load_state_dict(kept)
        else:
            network, beside = cut_from(
                teacher, wanted.pairs, shape, layers=told.layers, inner=told.inner, narrow=told.narrow
            )
        print("ready", f"{time.time() - began:.0f}s", flush=True)
        fit(network, wanted.tasks(told.budget, said), seconds=told.seconds, rate=told.rate, name=told.out.name,
            share=tuple(told.share), teacher=teacher, beside=beside, shown=told.shown, rounding=told.rounding,
            steps=told.steps)  # fmt: skip
        torch.save(network.state_dict(), told.out / "network.pt")
        (told.out / "beside.json").write_text(json.dumps(beside))
    if told.keep:
        keep_rounded(network, told.keep)
        keep_whole(network, told.keep)
    result = measured(network, tokenizer, told.data, device, told.few)
    (told.out / "figures.json").write_text(json.dumps(result))
    print(told.out.name, json.dumps(result), f"{time.time() - began:.0f}s", flush=True)


def _kept(told: argparse.Namespace, device: str, both: bool) -> Network:
    kept = torch.load(told.teacher / "network.pt", map_location=device)
    layers = 1 + max(int(n.split(".")[1]) for n in kept if n.startswith("layers."))
    network = Network(len(kept["table.weight"]), 0, layers, kept["layers.0.gate.weight"].shape[0], both).to(device)
    network.load_state_dict(kept)
    return network


if __name__ == "__main__":
    main()
