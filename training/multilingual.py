"""Teaches a multilingual network for entailment and support, cut out of the first layers of a language model.

``whole`` tunes the layers as they are; ``cut`` takes some of them with the most used part of each, reads a smaller
table, and learns what the whole one says. From a share of the way on, weights are rounded to 4 bits and what they are
multiplied with to 8, as it will run. Whole sources of grounding rows are left out for good (``data.LEFT_SOURCES``).

A line is ``Premise: … Hypothesis: … Answer:`` for a pair, ``Customer: … Agent: … Grants:`` for what an answer promises,
``Message: … Judge:`` and ``Document: … Orders:`` for attacks and dangers, ``Customer: … Agent: … Acts:`` (and the other
way round) for what a turn does.
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
from tokenizers import Tokenizer
from torch import nn

from training.multilingual_export import rounded_network, shipped_network
from training.multilingual_figures import answers, measured
from training.multilingual_tasks import ASKED, KINDS, Task, Wanted
from training.qwen_network import OUTPUTS, Network, cut_from, keep_rounded, keep_whole, kept_network, whole_of
from training.token_lines import Lines

__all__ = ["Plan", "asked_answers", "compiled", "fit"]


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
    faster: float = 1.0  # how much faster the head learns than the rest


def fit(network: Network, tasks: Sequence[Task], plan: Plan) -> None:
    """Train, one batch of each task a step, until the seconds or the steps are spent."""
    device = tasks[0].lines.device
    rest = [p for n, p in network.named_parameters() if n != "table.weight"]
    rest, head = [p for p in rest if p.shape[:1] != (OUTPUTS,)], [p for p in rest if p.shape[:1] == (OUTPUTS,)]
    groups = [
        {"params": rest, "weight_decay": 0.01},
        {"params": [network.table.weight], "weight_decay": 0.0},
        {"params": head, "weight_decay": 0.01, "faster": plan.faster},
    ]
    opt = torch.optim.AdamW(groups, lr=plan.rate, betas=(0.9, 0.98), fused=device == "cuda")
    began, step, total, rounds = time.time(), 0, [0.0] * len(tasks), False
    network.train()
    while step < plan.steps and (spent := (time.time() - began) / plan.seconds) < 1:
        gone = plan.share[0] + spent * (plan.share[1] - plan.share[0])
        for group in opt.param_groups:
            group["lr"] = plan.rate * min(1.0, (step + 1) / 60) * (0.02 + 0.49 * (1 + math.cos(math.pi * gone)))
            group["lr"] *= group.get("faster", 1.0)
        if gone >= plan.rounding and not rounds:
            network.round()
            rounds = True
        opt.zero_grad(set_to_none=True)
        for at, task in enumerate(tasks):
            if step % task.every:
                continue
            ids, sizes, rows = task.lines.batch(next(task.groups))
            states: list[torch.Tensor] | None = [] if plan.teacher is not None and spent < plan.shown else None
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                out = network(ids, sizes, states)
            loss = task.loss(out.float(), rows)
            if states is not None:
                loss = loss + _beside(states, ids, sizes, plan) * (2.0 if at in (0, 1, 3) else 0.3)
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
    ask.add_argument("--both", action="store_true", help="attention looks in both directions")
    ask.add_argument("--asking", type=float, default=0, help="after 'whole': seconds to ask it about the lines")
    ask.add_argument("--compile", action="store_true", help="fuse the operations of a layer (takes a minute at first)")
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
        _ask(kept_network(told.teacher / "network.pt", device), wanted, told.teacher, told)
        return
    told.out.mkdir(parents=True, exist_ok=True)
    network = _taught(told, wanted, device)
    if told.asking:
        _ask(network, wanted, told.out, told)
    else:
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
        network = kept_network(told.start / "network.pt", device) if told.start else None
        network = network or whole_of(told.qwen, device, told.layers)
        compiled(network, told.compile)
        fit(network, wanted.tasks(told.budget, None, teacher=bool(told.asking)), Plan(**schedule, faster=10.0))
        return network
    kept = told.teacher / "network.pt" if told.teacher else None
    teacher = kept_network(kept, device) if kept and kept.exists() else None  # its answers are enough to go on with
    beside: list[int] = []
    if told.start and (told.start / "network.pt").exists():
        network = kept_network(told.start / "network.pt", device)
    elif told.start and (told.start / "multilingual.npz").exists():
        network = shipped_network(told.start).to(device)
    elif told.start:
        network = rounded_network(told.start)[0].to(device)
    else:
        if teacher is None:
            raise FileNotFoundError(f"{kept}: without it, --start must name the network to go on with")
        counts = np.load(told.qwen / "table.npz")["counts"]
        network, beside = cut_from(
            teacher, list(wanted.lines.values()), counts, layers=told.layers, inner=told.inner, narrow=told.narrow
        )
    if told.start and (told.start / "beside.json").exists():
        beside = json.loads((told.start / "beside.json").read_text())
    if told.both:
        network.look_on()
    said = None
    if told.teacher and (told.teacher / f"said-{KINDS[0]}.npy").exists():
        said = {name: _said(told.teacher / f"said-{name}.npy", wanted.lines[name], device) for name in KINDS}
    if teacher is not None:
        for part in (*teacher.layers, teacher.table):
            part.to(torch.bfloat16 if device == "cuda" else torch.float32)  # it only answers
        compiled(teacher, told.compile)
    compiled(network, told.compile)
    taught = {"teacher": teacher, "beside": beside, "shown": told.shown, "rounding": told.rounding}
    fit(network, wanted.tasks(told.budget, said), Plan(**schedule, **taught))
    if beside:
        (told.out / "beside.json").write_text(json.dumps(beside))
    return network


def _said(file: Path, lines: Lines, device: str) -> torch.Tensor:
    """What the teacher said to each line; no number where it was not asked."""
    found = np.full((len(lines.lengths), OUTPUTS), np.nan, np.float32)
    if file.exists():
        told = np.load(file)
        found[: len(told)] = told
    return torch.from_numpy(found).to(device)


def asked_answers(teacher: Network, wanted: Wanted, out: Path, budget: int, until: float) -> None:
    """Write what it says to the lines that it is to be asked about, as far as the time reaches."""
    for name in ASKED:
        chosen = np.flatnonzero(wanted.asked[name]).tolist()
        found = answers(teacher, wanted.lines[name], budget, chosen, until)
        np.save(out / f"said-{name}.npy", found.astype(np.float16))
        print(
            "asked", name, len(chosen), int(np.isfinite(found[:, 0]).sum()), f"{until - time.time():.0f}s", flush=True
        )


def _ask(teacher: Network, wanted: Wanted, out: Path, told: argparse.Namespace) -> None:
    if torch.cuda.is_available():
        for part in (*teacher.layers, teacher.table):
            part.to(torch.bfloat16)
    asked_answers(teacher, wanted, out, 2 * told.budget, time.time() + (told.asking or 10**6))


def compiled(network: Network, wanted: bool) -> None:
    """Fuse the operations of each layer, where that is wanted."""
    if wanted:
        torch._dynamo.config.suppress_errors = True  # what cannot be compiled runs as it is
        torch._dynamo.config.cache_size_limit = 64
        for layer in network.layers:
            layer.compile(dynamic=True)


if __name__ == "__main__":
    main()
