"""Teaches the network that tells what a message or an answer does: threatens, reports a danger, grants, promises.

A customer's message is of the first part of a line, an agent's answer of the second, after the message it answers.
Outputs: no danger and the four dangers (one of them holds), then the acts of an answer (any of them may hold).
``pack`` joins the written rows; ``teach`` trains from the body of another network.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.batches import Lines, encode, encode_pairs
from training.data import clean, read, written
from training.entail import auroc
from training.finetune import predict
from training.guards import LEFT
from training.halve import halved
from training.keeping import depth_of, keep_small, load_small
from training.marking import INTENTS
from training.network import Headed, rounded
from training.student import Task, fit

__all__ = ["ACTS", "OUTPUTS", "fresh", "pack"]

ACTS = ("refund", "discount", "upgrade", "fee_waived", "liability", "assurance", "deadline", "done")
OUTPUTS = len(INTENTS) + len(ACTS)
LONGEST = 192


def pack(data: Path) -> None:
    """Write ``acts.jsonl.gz`` (answers) and ``dangers.jsonl.gz`` (messages) from the written and packed rows."""
    answers = [
        {
            "customer": clean(r.get("customer", ""))[:600],
            "answer": clean(r["answer"]),
            "acts": r["acts"],
            "lang": r["lang"],
        }
        for r in written("commitments")
    ]
    _write(data / "acts.jsonl.gz", answers)
    left = {f"general/{name}" for name in LEFT}  # these are measured on
    messages = [r for r in read(data / "guard-intents.jsonl.gz") if r["part"] == "train" and r["src"] not in left]
    for row in messages:
        row["text"] = clean(row["text"])[:600]
    _write(data / "dangers.jsonl.gz", messages)


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(path.name, len(rows), path.stat().st_size)


def fresh(state: dict[str, torch.Tensor], depth: int) -> Headed:
    """A network with the body of another one, its layers thinned to ``depth``, and a new head."""
    body = {k.removeprefix("body."): v for k, v in state.items() if k.startswith("body.")} or dict(state)
    deep = depth_of(body)
    body = halved(body, [round((i + 1) * deep / depth) - 1 for i in range(depth)])
    network = Headed(depth, OUTPUTS, entry="entry.weight" in body)
    network.body.load_state_dict(body)
    return network


def message_lines(tokenizer: Tokenizer, texts: Sequence[str], device: str) -> Lines:
    """Messages, all of the first part."""
    return encode(tokenizer, texts, LONGEST, device)


def answer_lines(tokenizer: Tokenizer, rows: Sequence[dict[str, Any]], device: str) -> Lines:
    """Answers after the message that they answer."""
    return encode_pairs(tokenizer, [(r["customer"], r["answer"]) for r in rows], LONGEST, device)


def tasks_of(
    told: argparse.Namespace, tokenizer: Tokenizer, network: nn.Module, device: str, budget: int
) -> list[Task]:
    """Messages with their danger, answers with their acts; the customer is left out of every third answer."""
    dice = random.Random(told.seed)
    messages = read(told.data / "dangers.jsonl.gz", told.limit)
    danger = torch.tensor([INTENTS.index(r["label"]) for r in messages], device=device)
    worth = torch.tensor([float(r.get("w", 1.0)) for r in messages], device=device)

    def threatens(out: Any, group: torch.Tensor) -> torch.Tensor:
        each = F.cross_entropy(out[:, : len(INTENTS)], danger[group], reduction="none", label_smoothing=0.02)
        return (each * worth[group]).mean()

    answers = read(told.data / "acts.jsonl.gz", told.limit)
    answers = [r if dice.random() < 0.67 else r | {"customer": ""} for r in answers]
    # what customers write grants nothing
    quotes = dice.sample([r for r in messages if 30 < len(r["text"]) < 300], min(len(answers) // 4, len(messages) // 2))
    answers += [{"customer": "", "answer": r["text"], "acts": [], "lang": r["lang"]} for r in quotes]
    acts = torch.tensor([[float(name in r["acts"]) for name in ACTS] for r in answers], device=device)

    def grants(out: Any, group: torch.Tensor) -> torch.Tensor:
        want = acts[group] * 0.98 + 0.01
        each = F.binary_cross_entropy_with_logits(out[:, len(INTENTS) :], want, reduction="none").sum(-1)
        some, any_of = _any(out), acts[group].amax(-1) * 0.98 + 0.01
        return (each + 2 * F.binary_cross_entropy_with_logits(some, any_of, reduction="none")).mean()

    return [
        Task(message_lines(tokenizer, [r["text"] for r in messages], device), network, threatens, budget, told.seed),
        Task(answer_lines(tokenizer, answers, device), network, grants, budget // 3, told.seed + 1),
    ]


def _any(out: torch.Tensor) -> torch.Tensor:
    """The largest of the acts, smoothly, so that a commitment of any kind is learnt too."""
    return torch.logsumexp(out[:, len(INTENTS) :], -1)


def measured(network: nn.Module, table: nn.Embedding, tokenizer: Tokenizer, data: Path, device: str) -> dict[str, Any]:
    """The sets of ``acts-held.jsonl.gz``: answers with ``y``, messages with ``label``."""
    rows = read(data / "acts-held.jsonl.gz")
    budget = 65536 if device == "cuda" else 2048
    found: dict[str, Any] = {}
    answers = [r for r in rows if "answer" in r]
    out = predict(network, table, answer_lines(tokenizer, answers, device), device, budget)
    top = out[:, len(INTENTS) :].max(-1)
    for name in sorted({r["set"] for r in answers}):
        mine = np.array([r["set"] == name for r in answers])
        y = np.array([r["y"] for r in answers])[mine]
        score = top[mine]
        found[name] = _shares(y, score, (0.0, 1.0, 2.0))
    messages = [r for r in rows if "text" in r]
    out = predict(network, table, message_lines(tokenizer, [r["text"] for r in messages], device), device, budget)
    share = np.exp(out[:, : len(INTENTS)] - out[:, : len(INTENTS)].max(-1, keepdims=True))
    risk = 1 - share[:, 0] / share.sum(-1)
    for name in sorted({r["set"] for r in messages}):
        mine = np.array([r["set"] == name for r in messages])
        y = np.array([int(r["label"] != "none") for r in messages])[mine]
        found[name] = _shares(y, risk[mine], (0.5, 0.8, 0.95))
    return found


def _shares(y: np.ndarray, score: np.ndarray, levels: Sequence[float]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for label, name in ((1, "found"), (0, "flagged")):
        some = score[y == label]
        if len(some):
            found[name] = [len(some), *(round(float((some > level).mean()), 3) for level in levels)]
    if len(found) == 2:
        found["auroc"] = round(auroc(score, y), 4)
    return found


def main() -> None:
    """Join the rows, or train one network."""
    ask = argparse.ArgumentParser(description=__doc__)
    verbs = ask.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("data", type=Path)
    teaching = verbs.add_parser("teach")
    teaching.add_argument("--weights", type=Path, required=True)
    teaching.add_argument("--start", required=True, help="the network whose body is taken: nli, injection or embed")
    teaching.add_argument("--data", type=Path, required=True)
    teaching.add_argument("--out", type=Path, required=True)
    teaching.add_argument("--depth", type=int, default=6)
    teaching.add_argument("--seconds", type=float, default=120)
    teaching.add_argument("--steps", type=int, default=100000)
    teaching.add_argument("--rate", type=float, default=2e-4)
    teaching.add_argument("--seed", type=int, default=101)
    teaching.add_argument("--limit", type=int)
    told = ask.parse_args()
    if told.verb == "pack":
        pack(told.data)
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = 16384 if device == "cuda" else 1024
    torch.manual_seed(told.seed)
    random.seed(told.seed)
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    kept = np.load(told.weights / "table-int8.npz")
    table = nn.Embedding.from_pretrained(torch.from_numpy(kept["q"].astype(np.float32) * kept["s"]), freeze=True).to(
        device
    )
    network = fresh(load_small(told.weights / f"{told.start}.npz"), told.depth).to(device)
    tasks = tasks_of(told, tokenizer, network, device, budget)
    print("rows", [len(t.lines) for t in tasks], "steps a pass", [t.steps() for t in tasks], flush=True)
    fit(
        tasks,
        table,
        steps=told.steps,
        seconds=told.seconds,
        rate=told.rate,
        table_rate=0.0,
        name=told.out.name,
        rounding=0.6,
    )
    told.out.parent.mkdir(parents=True, exist_ok=True)
    keep_small(told.out, network)
    rounded(network)
    print(told.out.name, json.dumps(measured(network, table, tokenizer, told.data, device)), flush=True)


if __name__ == "__main__":
    main()
