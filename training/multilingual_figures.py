"""What the multilingual network says of texts that it was not taught."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from training.data import LABELS, read
from training.entail import LEFT, auroc
from training.plan import planned
from training.qwen_layers import STARTS
from training.qwen_network import OUTPUTS, Network
from training.token_lines import Lines, alone_lines, lines_of

__all__ = ["answers", "measured"]


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
    drafts = read(data / "drafts-blind.jsonl.gz")
    out = run([(r["p"], r["h"]) for r in drafts], 360)
    right = np.array([r["y"] for r in drafts])
    against = torch.tensor(out[:, :3]).softmax(-1).numpy()[:, 2]
    found["drafts"] = [len(drafts), round(auroc(out[:, 3], right), 3), round(auroc(-against, right), 3)]
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
    found |= _guarded(network, tokenizer, data, device, budget)
    return found


def _guarded(network: Network, tokenizer: Tokenizer, data: Path, device: str, budget: int) -> dict[str, Any]:
    """Attacks and dangers by set: how many, AUROC, found and flagged at zero."""
    found: dict[str, Any] = {}
    rows = read(data / "guard-held.jsonl.gz")
    out = answers(network, Lines(alone_lines(tokenizer, [(r["ch"], r["text"]) for r in rows], 256), device), budget)
    risk = torch.logsumexp(torch.tensor(out[:, 7:]), -1).numpy() - out[:, 6]
    for name in sorted({r["set"] for r in rows}):
        some = np.array([r["set"] == name for r in rows])
        y = np.array([int(r["y"]) for r in rows])[some]
        score = (risk if name.startswith("danger") else out[:, 5])[some]
        at = [round(float((score[y == k] > 0).mean()), 3) if (y == k).any() else None for k in (1, 0)]
        found[name] = [int(some.sum()), round(auroc(score, y), 3) if len(set(y.tolist())) == 2 else None, *at]
    return found
