"""What the multilingual network says of texts that it was not taught."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from training.aside import kept
from training.data import LABELS, LEFT_SOURCES, clean, read
from training.entail import auroc
from training.multilingual_tasks import acts_of, role_of, turn_lines
from training.plan import planned
from training.qwen_layers import STARTS
from training.qwen_network import ACTS_AT, FAULT_AT, OUTPUTS, ROLES, Network
from training.token_lines import Lines, alone_lines, lines_of

__all__ = ["answers", "measured"]


@torch.no_grad()
def answers(
    network: Network, lines: Lines, budget: int, chosen: Sequence[int] | None = None, until: float = math.inf
) -> np.ndarray:
    """The outputs of every line; no number for what was not chosen, or what the time did not reach."""
    network.eval()
    found = np.full((len(lines.lengths), OUTPUTS), np.nan, np.float32)
    some = range(len(lines.lengths)) if chosen is None else chosen
    dice = None if until == math.inf else random.Random(2)  # what is not reached is any line
    had: list[tuple[list[int], torch.Tensor]] = []
    for group in planned([lines.lengths[at] for at in some], budget, dice):
        if time.time() > until:
            break
        rows = [some[at] for at in group]
        ids, sizes, _ = lines.batch(rows)
        with torch.autocast(lines.device, dtype=torch.bfloat16, enabled=lines.device == "cuda"):
            had.append((rows, network(ids, sizes).float()))
    for each, out in had:
        found[each] = out.cpu().numpy()
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
    ground = [r for r in read(data / "grounding.jsonl.gz") if r["src"] in LEFT_SOURCES or not r["ok"]]
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
    found |= _kept(network, tokenizer, device, budget)
    return found


def _kept(network: Network, tokenizer: Tokenizer, device: str, budget: int) -> dict[str, Any]:
    """Written rows that trained nothing: how many, and AUROC."""

    def said(lines: list[list[int]]) -> np.ndarray:
        return answers(network, Lines(lines, device), budget)

    def told(name: str, score: np.ndarray, label: Sequence[Any]) -> None:
        found[f"aside {name}"] = [len(label), round(auroc(score, np.array(label, int)), 3)]

    found: dict[str, Any] = {}
    drafts = [
        (clean(" ".join(r["sources"])), clean(text), y)
        for r in kept("answers")
        for text, y in ((*((t, 1) for t in r["right"]), *((w["answer"], 0) for w in r["wrong"])))
    ]
    told("answers", said(lines_of(tokenizer, [d[:2] for d in drafts], 320))[:, 3], [d[2] for d in drafts])
    facts = [(clean(r["source"]), clean(claim), LABELS.index(y)) for r in kept("facts") for claim, y in r["claims"]]
    out = said(lines_of(tokenizer, [f[:2] for f in facts], 240))[:, :3]
    found["aside facts"] = [len(facts), round(float((out.argmax(1) == [f[2] for f in facts]).mean()), 3)]
    acts = list(kept("commitments"))
    pairs = [(clean(r.get("customer", "")), clean(r["answer"])) for r in acts]
    told("promises", said(lines_of(tokenizer, pairs, 220, STARTS[3:]))[:, 4], [bool(r["acts"]) for r in acts])
    for kind, channel in (("documents", "document"), ("injection", "user"), ("intent_safety", "user")):
        rows = list(kept(kind))
        out = said(alone_lines(tokenizer, [(channel, clean(r["text"])) for r in rows], 256))
        if kind == "intent_safety":
            risk = torch.logsumexp(torch.tensor(out[:, 7:ACTS_AT]), -1).numpy() - out[:, 6]
            told("dangers", risk, [r["label"] != "none" for r in rows])
        else:
            told(kind, out[:, 5], [r["label"] for r in rows])
    turns = list(kept("turns"))
    out = said(turn_lines(tokenizer, turns))[:, ACTS_AT:FAULT_AT]
    does, asked = np.stack([acts_of(r) for r in turns]), np.stack([role_of(r["role"]) for r in turns]) > 0
    for at, name in enumerate(f"{role} {act}" for role, acts in ROLES.items() for act in acts):
        told(name, out[asked[:, at], at], does[asked[:, at], at])
    return found


def _guarded(network: Network, tokenizer: Tokenizer, data: Path, device: str, budget: int) -> dict[str, Any]:
    """Attacks and dangers by set: how many, AUROC, found and flagged at zero."""
    found: dict[str, Any] = {}
    rows = read(data / "guard-held.jsonl.gz")
    out = answers(network, Lines(alone_lines(tokenizer, [(r["ch"], r["text"]) for r in rows], 256), device), budget)
    risk = torch.logsumexp(torch.tensor(out[:, 7:ACTS_AT]), -1).numpy() - out[:, 6]
    for name in sorted({r["set"] for r in rows}):
        some = np.array([r["set"] == name for r in rows])
        y = np.array([int(r["y"]) for r in rows])[some]
        score = (risk if name.startswith("danger") else out[:, 5])[some]
        at = [round(float((score[y == k] > 0).mean()), 3) if (y == k).any() else None for k in (1, 0)]
        found[name] = [int(some.sum()), round(auroc(score, y), 3) if len(set(y.tolist())) == 2 else None, *at]
    return found
