"""Teaches the shipped entailment network more (composed facts, translated pairs) while it is held to what it knew.

The network before is the teacher on every pair whose label it does not contradict; the result is the mean of both
networks in a share that is compared on held-out rows.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.aside import split
from training.batches import encode_pairs
from training.data import LABELS, LEFT_SOURCES, clean, read, rows, shippable
from training.deepen import deepened
from training.entail import WARMTH, assemble, auroc
from training.export import build
from training.finetune import predict
from training.halve import Taught, _shares
from training.keeping import keep_small, load_small
from training.network import quantised_rows, rounded
from training.student import Task, fit

__all__ = ["Alone", "figures", "larger", "mixed", "pack"]

SHARES = (0.0, 0.4, 0.7, 1.0)


def mixed(old: dict[str, torch.Tensor], new: dict[str, torch.Tensor], share: float) -> dict[str, torch.Tensor]:
    """So much of the new network, the rest of the old one."""
    return {name: (1 - share) * old[name] + share * new[name] for name in old}


def larger(data: Path, limit: int | None) -> dict[tuple[str, str], np.ndarray]:
    """What the larger teacher said to a pair, where it was asked (``qwen_teacher.py``)."""
    if not (data / "qwen.npz").exists():
        return {}
    said, found = np.load(data / "qwen.npz"), {}
    for name in said.files:
        for row, logits in zip(read(data / f"{name}.jsonl.gz", limit), said[name].astype(np.float32), strict=False):
            pair = tuple(row["pair"]) if "pair" in row else (row["p"], row["h"])
            if np.isfinite(logits).all():
                found[pair] = logits
    print("judged by the larger teacher", len(found), flush=True)
    return found


class Alone(nn.Module):
    """A network with nobody beside it, in the form of one that has a teacher: it agrees with itself."""

    def __init__(self, student: nn.Module, teacher: nn.Module) -> None:
        super().__init__()
        self.student = student
        self._teacher = [teacher.eval()]

    @property
    def teacher(self) -> nn.Module:
        """The network before, which is asked once and not beside every step."""
        return self._teacher[0]

    def forward(self, pieces: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """What it answers, the same without a gradient, and no distance."""
        mine = self.student(pieces, mask, types)
        return mine, mine.detach(), torch.zeros((), device=mine.device)


def tasks_of(
    told: argparse.Namespace, tokenizer: Tokenizer, network: Taught | Alone, device: str, budget: int
) -> list[Task]:
    """Pairs with their labels and the judgement of both teachers; claims against their evidence."""
    many = assemble(told.data, told.limit)
    if told.seen:
        seen = np.load(told.seen)
    else:  # the network before judges the English of each pair, and so teaches the other languages
        asked = encode_pairs(tokenizer, many.asked, 192, device)
        seen = predict(network.teacher, told.table, asked, device, 4 * budget)[:, :3]
        said = larger(told.data, told.limit)
        for at, pair in enumerate(many.asked):
            seen[at] = said.get(pair, seen[at])
    hard = torch.tensor(many.labels, device=device)
    by = np.array(many.by)
    known = torch.tensor(by >= 0, device=device)
    asked = seen[np.minimum(np.maximum(by, 0), len(seen) - 1)].astype(np.float32)
    wish = torch.tensor(asked, device=device).div(WARMTH).softmax(-1)
    worth = torch.tensor(many.worth, device=device)
    print("pairs", len(many.pairs), flush=True)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        mine, theirs, apart = out
        y, has = hard[group], known[group].float()
        three = mine[:, :3]
        agrees = ((theirs[:, :3].argmax(-1) == y) | (y < 0)).float()
        label = (
            F.cross_entropy(three, y.clamp(min=0), reduction="none", label_smoothing=0.02) * (y >= 0) * (1 - 0.5 * has)
        )
        teacher = -(wish[group] * F.log_softmax(three / WARMTH, -1)).sum(-1) * has * 0.7
        before = _shares(three, theirs[:, :3]) * agrees * told.held
        support = F.mse_loss(mine[:, 3].clamp(-8, 8), theirs[:, 3].clamp(-8, 8), reduction="none") * 0.3 * agrees
        follows = F.binary_cross_entropy_with_logits(mine[:, 3], (y == 0).float() * 0.98 + 0.01, reduction="none")
        return ((label + teacher + before + support + follows * (y >= 0) * 0.2) * worth[group]).mean() + 0.05 * apart

    ground = [r for r in read(told.data / "grounding.jsonl.gz", told.limit) if r["ok"] and r["src"] not in LEFT_SOURCES]
    pairs = [(r["p"], r["h"], float(r["y"])) for r in ground]
    target = torch.tensor([x[2] for x in pairs], device=device)

    def supported(out: Any, group: torch.Tensor) -> torch.Tensor:
        mine, theirs, apart = out
        want = target[group]
        each = F.binary_cross_entropy_with_logits(mine[:, 3], want * 0.96 + 0.02, reduction="none")
        agrees = ((theirs[:, 3] > 0) == (want > 0.5)).float()
        held = F.mse_loss(mine[:, 3].clamp(-8, 8), theirs[:, 3].clamp(-8, 8), reduction="none") * agrees * 0.4
        return (each + held + _shares(mine[:, :3], theirs[:, :3]) * 0.5).mean() + 0.05 * apart

    return [
        Task(encode_pairs(tokenizer, many.pairs, 192, device), network, loss, budget, 4),
        Task(encode_pairs(tokenizer, [(a, b) for a, b, _ in pairs], 288, device), network, supported, budget // 4, 6),
    ]


def figures(
    told: argparse.Namespace, tokenizer: Tokenizer, network: nn.Module, table: nn.Embedding, device: str
) -> dict[str, Any]:
    """Entailment by source and language, composed facts, support of sources left out, dialogue."""
    budget = 65536 if device == "cuda" else 2048
    some = [r for r in read(told.data / "judge.jsonl.gz", told.limit) if r["y"] in LABELS]
    some += [r | {"src": "facts"} for r in read(told.data / "facts-held.jsonl.gz", told.limit)]
    by: dict[str, list[dict[str, Any]]] = {}
    for row in some:
        source = row["src"].split("/")[0] if "xnli" in row["src"] else row["src"]
        by.setdefault(f"{source}|{row['lang'] if source != 'facts' else ''}", []).append(row)
    some = [r for many in by.values() for r in random.Random(5).sample(many, min(len(many), 4500))]
    keys = [key for key, many in by.items() for _ in range(min(len(many), 4500))]
    out = predict(
        network, table, encode_pairs(tokenizer, [(r["p"], r["h"]) for r in some], 224, device), device, budget
    )
    right = np.array([o[:3].argmax() == LABELS.index(r["y"]) for o, r in zip(out, some, strict=True)])
    names = np.array(keys)
    found: dict[str, Any] = {
        str(k): [int((names == k).sum()), round(float(right[names == k].mean()), 4)] for k in np.unique(names)
    }
    ground = [r for r in read(told.data / "grounding.jsonl.gz") if r["src"] in LEFT_SOURCES or not r["ok"]][
        : told.limit
    ]
    out = predict(
        network, table, encode_pairs(tokenizer, [(r["p"], r["h"]) for r in ground], 288, device), device, budget
    )
    y, kinds = (
        np.array([r["y"] for r in ground]),
        np.array([r["src"].split("/")[0] if not r["ok"] else r["src"] for r in ground]),
    )
    for each in np.unique(kinds):
        mine = kinds == each
        found[f"ground|{each}"] = [int(mine.sum()), round(auroc(out[mine, 3], y[mine]), 4)]
    talk = read(told.data / "decode.jsonl.gz", told.limit)
    out = predict(
        network, table, encode_pairs(tokenizer, [(r["p"], r["h"]) for r in talk], 192, device), device, budget
    )
    share = torch.tensor(out[:, :3]).softmax(-1).numpy()[:, 2]
    found["decode"] = [len(talk), round(auroc(share, np.array([int(r["y"] == "contradiction") for r in talk])), 4)]
    for file in sorted(told.data.glob("claims*.jsonl.gz")):
        claims = read(file)
        out = predict(
            network, table, encode_pairs(tokenizer, [(r["p"], r["h"]) for r in claims], 256, device), device, budget
        )
        p, y3 = torch.tensor(out[:, :3]).softmax(-1).numpy(), np.array([LABELS.index(r["y"]) for r in claims])
        follows = y3 == 0
        found[file.name] = {
            "n": [int(follows.sum()), int((~follows).sum())],
            "three": round(float((p.argmax(1) == y3).mean()), 3),
            "found": round(float((p[follows, 0] >= 0.5).mean()), 3),
            "wrong": round(float((p[~follows, 0] >= 0.5).mean()), 3),
            "against": round(float((p[y3 == 2, 2] >= 0.5).mean()), 3),
            "auroc": round(auroc(p[:, 0], follows.astype(int)), 3),
        }
    return found


def pack(data: Path) -> None:
    """Write ``written-facts.jsonl.gz`` (sources with claims written for this project) and ``translated.jsonl.gz``."""
    with gzip.open(data / "written-facts.jsonl.gz", "wt", encoding="utf-8") as out:
        for row in split("facts")[0]:
            for claim, label in row["claims"]:
                pair = {
                    "p": clean(row["source"]),
                    "h": clean(claim),
                    "y": label,
                    "lang": row["lang"],
                    "kind": row["kind"],
                }
                out.write(json.dumps(pair, ensure_ascii=False) + "\n")
    with gzip.open(data / "translated.jsonl.gz", "wt", encoding="utf-8") as out:
        for row in rows("nli/translated"):
            if shippable(row):
                pair = {
                    "p": clean(row["premise"]),
                    "h": clean(row["hypothesis"]),
                    "y": row["label"],
                    "lang": row["lang"],
                }
                out.write(json.dumps(pair | {"en": [clean(x) for x in row["en"]]}, ensure_ascii=False) + "\n")


def _network(
    told: argparse.Namespace, tokenizer: Tokenizer, table: nn.Embedding, old: dict[str, torch.Tensor], device: str
) -> Taught | Alone:
    """The network to teach, made deeper if asked, beside the one before."""
    student, teacher = build("nli", old)[0].to(device), build("nli", old)[0].to(device)
    keep = [at for at in range(6) for _ in range(2 if at in told.after else 1)]
    if told.after:
        some = encode_pairs(tokenizer, [(r["p"], r["h"]) for r in read(told.data / "judge.jsonl.gz", 64)], 192, device)
        ids, mask, types = some.batch(list(range(len(some))))
        deepened(student, [(table(ids), mask, types)], set(told.after))
    return Alone(student, teacher) if told.alone else Taught(student, teacher, keep)


def main() -> None:
    """Train, then compare shares of old and new."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--pack", action="store_true", help="only join the written and the translated pairs")
    ask.add_argument("--weights", type=Path)
    ask.add_argument("--start", type=Path)
    ask.add_argument("--seen", type=Path, help="what an English teacher said to the pairs")
    ask.add_argument("--held", type=float, default=0.5, help="how much the answer of the network before counts")
    ask.add_argument("--after", type=int, nargs="*", default=[], help="layers after which one is added")
    ask.add_argument("--alone", action="store_true", help="not held to the network before")
    ask.add_argument("--table-rate", type=float, default=0.0, help="also train a table of its own")
    ask.add_argument("--rounding", type=float, default=0.0, help="the share of the way from which products are rounded")
    ask.add_argument("--seed", type=int, default=5)
    ask.add_argument("--out", type=Path)
    ask.add_argument("--until", type=float)
    ask.add_argument("--steps", type=int, default=100000)
    ask.add_argument("--rate", type=float, default=1.2e-4)
    ask.add_argument("--limit", type=int)
    told = ask.parse_args()
    if told.pack:
        pack(told.data)
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = 65536 if device == "cuda" else 1024
    torch.manual_seed(told.seed)
    random.seed(told.seed)
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    kept = np.load(told.weights / "table-int8.npz")
    table = nn.Embedding.from_pretrained(torch.from_numpy(kept["q"].astype(np.float32) * kept["s"]), freeze=True).to(
        device
    )
    old = load_small(told.start)
    network = _network(told, tokenizer, table, old, device)
    student = network.student
    told.table = table
    tasks = tasks_of(told, tokenizer, network, device, budget)
    print("steps a pass", [t.steps() for t in tasks], flush=True)
    seconds = told.until - time.time() if told.until else 20.0
    rates = {"rate": told.rate, "table_rate": told.table_rate, "rounding": told.rounding}
    fit(tasks, table, steps=told.steps, seconds=seconds, name="retune", **rates)
    told.out.mkdir(parents=True, exist_ok=True)
    keep_small(told.out / "nli.npz", student)
    if told.table_rate:
        rows_, scales = quantised_rows(table.weight.detach().cpu().numpy())
        np.savez_compressed(told.out / "table-int8.npz", q=rows_, s=scales)
        with torch.no_grad():
            table.weight.copy_(torch.from_numpy(rows_.astype(np.float32) * scales).to(device))
    new = load_small(told.out / "nli.npz")
    for share in SHARES if not (told.after or told.table_rate) else (1.0,):
        network = build("nli", new if share == 1.0 else mixed(old, new, share))[0].to(device)
        rounded(network)
        print("share", share, json.dumps(figures(told, tokenizer, network, table, device)), flush=True)


if __name__ == "__main__":
    main()
