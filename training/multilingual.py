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
from dataclasses import dataclass
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
from training.qwen_layers import STARTS
from training.qwen_network import OUTPUTS, Network, cut_from, keep_rounded, keep_whole, kept_network, whole_of
from training.token_lines import Lines, flattened, lines_of

__all__ = ["Plan", "Task", "Wanted", "answers", "fit", "measured"]

WARMTH = 1.5


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
        **{f"{name}_flat": two[0] for name, two in found.items()},
        **{f"{name}_sizes": two[1] for name, two in found.items()},
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a network is trained.

    ``share`` is the part of the whole schedule that this run is. A teacher shows its states for the first part
    ``shown`` of the run, layer by layer: ``beside`` names its layer for each of the network's. From ``rounding`` of the
    schedule on, the network runs as it will ship.
    """

    seconds: float
    rate: float
    name: str
    share: tuple[float, float] = (0.0, 1.0)
    teacher: Network | None = None
    beside: Sequence[int] = ()
    shown: float = 0.0
    rounding: float = 2.0
    steps: int = 10**9


def fit(network: Network, tasks: Sequence[Task], plan: Plan) -> None:
    """Train, one batch of each task a step, until the seconds or the steps are spent."""
    device = tasks[0].lines.device
    rest = [p for n, p in network.named_parameters() if n != "table.weight"]
    groups = [{"params": rest, "weight_decay": 0.01}, {"params": [network.table.weight], "weight_decay": 0.0}]
    opt = torch.optim.AdamW(groups, lr=plan.rate, betas=(0.9, 0.98), fused=device == "cuda")
    began, step, total, rounds = time.time(), 0, [0.0] * len(tasks), False
    network.train()
    while step < plan.steps and (spent := (time.time() - began) / plan.seconds) < 1:
        gone = plan.share[0] + spent * (plan.share[1] - plan.share[0])
        for group in opt.param_groups:
            group["lr"] = plan.rate * min(1.0, (step + 1) / 60) * (0.02 + 0.49 * (1 + math.cos(math.pi * gone)))
        if gone >= plan.rounding and not rounds:
            network.round()
            rounds = True
        opt.zero_grad(set_to_none=True)
        for at, task in enumerate(tasks):
            ids, sizes, rows = task.lines.batch(next(task.groups))
            states: list[torch.Tensor] | None = [] if plan.teacher is not None and spent < plan.shown else None
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                out = network(ids, sizes, states)
            loss = task.loss(out.float(), rows)
            if states is not None:
                loss = loss + _beside(states, ids, sizes, plan) * (2.0 if at < 2 else 0.3)
            loss.backward()
            total[at] = 0.98 * total[at] + 0.02 * loss.detach()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        opt.step()
        step += 1
        if step % 100 == 0:
            print(plan.name, step, *(f"{float(x):.4f}" for x in total), f"{time.time() - began:.0f}s", flush=True)
    print(plan.name, "steps", step, flush=True)


def _beside(states: Sequence[torch.Tensor], ids: torch.Tensor, sizes: torch.Tensor, plan: Plan) -> torch.Tensor:
    """How far the states are from those of the teacher."""
    assert plan.teacher is not None
    theirs: list[torch.Tensor] = []
    device = ids.device.type
    with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
        plan.teacher(ids, sizes, theirs)
    real = (torch.arange(ids.shape[1], device=ids.device)[None] < sizes[:, None]).float()
    real[:, 0] = 0  # the first token holds very large numbers
    found = [_apart(mine, theirs[at], real) for mine, at in zip(states, plan.beside, strict=True)]
    return torch.stack(found).mean()


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
        found[key] = [
            len(rows),
            round(float(np.mean([LABELS[m] == r["y"] for m, r in zip(mine, rows, strict=True)])), 3),
        ]
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
        found[each] = [
            int(some.sum()),
            round(auroc(out[some], y), 3),
            *(round(float((out[some][y == k] > 0).mean()), 3) for k in (1, 0)),
        ]
    return found


def main() -> None:
    """Tune the layers (``whole``), ask them about every line (``ask``), or teach a smaller network (``cut``)."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("what", choices=["number", "whole", "ask", "cut"])
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--qwen", type=Path, required=True, help="the folder that qwen_layers.py wrote")
    ask.add_argument("--out", type=Path, required=True, help="a folder for this run")
    ask.add_argument("--start", type=Path, help="the folder of the run to go on from")
    ask.add_argument("--teacher", type=Path, help="the folder of the whole network")
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
    tokenizer = Tokenizer.from_file(str(told.qwen / "tokenizer.json"))
    wanted = Wanted(told.data, tokenizer, device, told.limit)
    if told.what == "number":
        return
    if told.what == "ask":
        teacher = kept_network(told.teacher / "network.pt", device)
        for name, lines in (("pairs", wanted.pairs), ("ground", wanted.ground), ("acts", wanted.acts)):
            np.save(told.teacher / f"said-{name}.npy", answers(teacher, lines, 4 * told.budget).astype(np.float16))
        return
    told.out.mkdir(parents=True, exist_ok=True)
    network = _taught(told, wanted, device)
    torch.save(network.state_dict(), told.out / "network.pt")
    if told.keep:
        keep_rounded(network, told.keep)
        keep_whole(network, told.keep)
    result = measured(network, tokenizer, told.data, device, told.few)
    (told.out / "figures.json").write_text(json.dumps(result))
    print(told.out.name, json.dumps(result), flush=True)


def _taught(told: argparse.Namespace, wanted: Wanted, device: str) -> Network:
    """The whole layers tuned by the labels, or a part of them taught by the whole ones."""
    schedule: dict[str, Any] = {
        "seconds": told.seconds,
        "rate": told.rate,
        "name": told.out.name,
        "share": (told.share[0], told.share[1]),
        "steps": told.steps,
    }
    if told.what == "whole":
        start = told.start / "network.pt" if told.start else None
        network = kept_network(start, device) if start else whole_of(told.qwen, device, told.layers)
        fit(network, wanted.tasks(told.budget, None), Plan(**schedule))
        return network
    teacher = kept_network(told.teacher / "network.pt", device)
    if told.start:
        network = kept_network(told.start / "network.pt", device)
        beside = json.loads((told.start / "beside.json").read_text())
    else:
        counts = np.load(told.qwen / "table.npz")["counts"]
        network, beside = cut_from(
            teacher, wanted.pairs, counts, layers=told.layers, inner=told.inner, narrow=told.narrow
        )
    said = None
    if (told.teacher / "said-acts.npy").exists():
        said = {
            name: torch.from_numpy(np.load(told.teacher / f"said-{name}.npy").astype(np.float32)).to(device)
            for name in ("pairs", "ground", "acts")
        }
    taught = {"teacher": teacher, "beside": beside, "shown": told.shown, "rounding": told.rounding}
    fit(network, wanted.tasks(told.budget, said), Plan(**schedule, **taught))
    (told.out / "beside.json").write_text(json.dumps(beside))
    return network


if __name__ == "__main__":
    main()
