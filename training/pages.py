"""Teaches a network of its own for documents: the injection network made deeper, with many more documents.

Rows: the documents of ``guard.jsonl.gz``, the written documents with their twins (``documents.jsonl.gz``) and passages
of manuals (``manuals.jsonl.gz``). ``--left`` leaves out whole sources and languages, which are then measured on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.batches import encode
from training.data import clean, read, written
from training.deepen import deepened
from training.entail import auroc
from training.export import build
from training.finetune import predict
from training.guards import LEFT, LEFT_TONGUES
from training.halve import body_of
from training.keeping import keep_small, load_small
from training.network import rounded
from training.student import Task, fit

__all__ = ["documents", "measured", "pack"]

LONGEST = 192
WRITTEN = 3.0  # what a written document is worth
LEVELS = (0.0, 1.0, 2.0, 3.0, 4.0)


def documents(data: Path, *, left: bool, limit: int | None = None) -> list[dict[str, Any]]:
    """The rows to learn from."""
    found = [
        r
        for r in read(data / "guard.jsonl.gz", limit)
        if r["part"] == "train"
        and (
            r["ch"] == "document"
            or (r["label"] and r.get("cat_id", -1) >= 0 and len(r["text"]) > 40 and r["lang"] != "en")
        )
        and not (left and (r["src"] in LEFT or r["lang"] in LEFT_TONGUES))
    ]
    found += read(data / "manuals.jsonl.gz", limit)
    for row in read(data / "documents.jsonl.gz", limit):
        if not (left and row["lang"] in LEFT_TONGUES):
            found.append(
                row | {"cat_id": 5 if row["label"] else -1, "w": row.get("w", WRITTEN), "src": "written_documents"}
            )
    return found


def pack(data: Path) -> None:
    """Write ``documents.jsonl.gz``: the documents written for this project, with an order in them and without."""
    found = [{"text": clean(r["text"])[:1500], "label": r["label"], "lang": r["lang"]} for r in written("documents")]
    found += [
        {"text": clean(r["text"]), "label": r["label"], "lang": r["lang"], "w": 1.5}
        for r in written("injection")
        if r["cat"] in ("indirect", "document")
    ]
    with gzip.open(data / "documents.jsonl.gz", "wt", encoding="utf-8") as out:
        for row in found:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print("documents", len(found), "with an order", sum(r["label"] for r in found))


def task_of(
    rows: list[dict[str, Any]], tokenizer: Tokenizer, network: nn.Module, device: str, budget: int, seed: int
) -> Task:
    """Label and kind of each row."""
    y = torch.tensor([float(r["label"]) for r in rows], device=device)
    kind = torch.tensor([r["cat_id"] for r in rows], device=device)
    worth = torch.tensor([float(r.get("w", 1.0)) for r in rows], device=device)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        want = y[group]
        hard = F.binary_cross_entropy_with_logits(out[:, 0], want * 0.98 + 0.01, reduction="none")
        sort = F.cross_entropy(out[:, 1:], kind[group], ignore_index=-1, reduction="none") * 0.1
        return ((hard + sort) * worth[group]).mean()

    return Task(
        encode(tokenizer, [r["text"] for r in rows], LONGEST, device, [True] * len(rows)), network, loss, budget, seed
    )


def measured(
    network: nn.Module, table: nn.Embedding, tokenizer: Tokenizer, data: Path, device: str, limit: int | None = None
) -> dict[str, Any]:
    """For each set of ``pages-held.jsonl.gz``: the share of attacks and of harmless documents over several levels."""
    rows = read(data / "pages-held.jsonl.gz", limit)
    budget = 65536 if device == "cuda" else 2048
    lines = encode(tokenizer, [r["text"] for r in rows], LONGEST, device, [True] * len(rows))
    logit = predict(network, table, lines, device, budget)[:, 0]
    y, names = np.array([r["label"] for r in rows]), np.array([r["set"] for r in rows])
    found: dict[str, Any] = {"auroc": round(auroc(logit, y), 4)}
    for name in np.unique(names):
        mine = names == name
        parts = {}
        for label in (0, 1):
            some = logit[mine & (y == label)]
            if len(some):
                parts[str(label)] = [len(some), *(round(float((some > level).mean()), 3) for level in LEVELS)]
        if len(parts) == 2:
            parts["auroc"] = [round(auroc(logit[mine], y[mine]), 4)]
        found[str(name)] = parts
    return found


def main() -> None:
    """Train from the injection network, deeper or not, and keep the result."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--pack", action="store_true", help="only join the written rows")
    ask.add_argument("--weights", type=Path)
    ask.add_argument("--out", type=Path)
    ask.add_argument("--start", type=Path, help="a network to go on with, in place of the injection network")
    ask.add_argument("--after", type=int, nargs="*", default=[0, 1, 2, 3, 4, 5], help="layers after which one is added")
    ask.add_argument("--left", action="store_true")
    ask.add_argument("--seconds", type=float, default=200)
    ask.add_argument("--steps", type=int, default=100000)
    ask.add_argument("--rate", type=float, default=3e-4)
    ask.add_argument("--seed", type=int, default=91)
    ask.add_argument("--limit", type=int)
    told = ask.parse_args()
    if told.pack:
        pack(told.data)
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = 32768 if device == "cuda" else 1024
    torch.manual_seed(told.seed)
    random.seed(told.seed)
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    kept = np.load(told.weights / "table-int8.npz")
    table = nn.Embedding.from_pretrained(torch.from_numpy(kept["q"].astype(np.float32) * kept["s"]), freeze=True).to(
        device
    )
    network = build("injection", load_small(told.start or told.weights / "injection.npz"))[0].to(device)
    rows = documents(told.data, left=told.left, limit=told.limit)
    task = task_of(rows, tokenizer, network, device, budget, told.seed)
    print("rows", len(rows), "attacks", sum(r["label"] for r in rows), "steps a pass", task.steps(), flush=True)
    print("before", json.dumps(measured(network, table, tokenizer, told.data, device, told.limit)), flush=True)
    if told.after:
        some = [task.lines.batch(list(range(i, i + 32))) for i in (0, len(rows) // 2)]
        deepened(network, [(table(ids), mask, types) for ids, mask, types in some], set(told.after))
        print("deepened", json.dumps(measured(network, table, tokenizer, told.data, device, told.limit)), flush=True)
    network.train()
    print("layers", len(body_of(network).layers), flush=True)
    fit(
        [task],
        table,
        steps=told.steps,
        seconds=told.seconds,
        rate=told.rate,
        table_rate=0.0,
        name="pages",
        rounding=0.6,
    )
    told.out.parent.mkdir(parents=True, exist_ok=True)
    keep_small(told.out, network)
    rounded(network)
    print(told.out.name, json.dumps(measured(network, table, tokenizer, told.data, device, told.limit)), flush=True)


if __name__ == "__main__":
    main()
