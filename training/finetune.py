"""The last stage: bodies tuned over the frozen int8 table, and the same recipe with one source left out."""

from __future__ import annotations

import argparse
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

from training.batches import collate, encode, encode_pairs, planned
from training.figures import auroc, recall_at
from training.network import Headed, quantised_rows
from training.student import Task, fit, injection_task, nli_lines, nli_task
from training.teacher import LABELS, read

__all__ = ["grounding_task", "predict"]


@torch.no_grad()
def predict(network: nn.Module, table: nn.Embedding, lines: Sequence[Any], device: str, budget: int) -> np.ndarray:
    """The logits of every line."""
    network.eval()
    found: np.ndarray | None = None
    for group in planned([len(x[0]) if isinstance(x, tuple) else len(x) for x in lines], budget, None):
        ids, mask, types = collate([lines[i] for i in group], device)
        with torch.autocast(device, dtype=torch.bfloat16):
            out = network(table(ids), mask, types).float().cpu().numpy()
        found = np.zeros((len(lines), out.shape[1]), np.float32) if found is None else found
        found[group] = out
    assert found is not None
    return found


def grounding_task(
    rows: Sequence[dict[str, Any]], tokenizer: Tokenizer, network: nn.Module, device: str, budget: int
) -> Task:
    """Supported means entailed; not supported means anything but entailed."""
    pairs = [(r["p"], r["h"], float(r["y"]), 1.0) for r in rows]
    pairs += [(p, c, 1.0, 0.3) for r in rows if r["y"] for p, c in r["claims"]]
    y = torch.tensor([x[2] for x in pairs], device=device)
    weight = torch.tensor([x[3] for x in pairs], device=device)

    def loss(out: torch.Tensor, group: list[int]) -> torch.Tensor:
        against = torch.logsumexp(out[:, 1:], -1)
        each = F.binary_cross_entropy_with_logits(out[:, 0] - against, y[group] * 0.96 + 0.02, reduction="none")
        return (each * weight[group]).mean()

    return Task(encode_pairs(tokenizer, [(a, b) for a, b, _, _ in pairs], 288), network, loss, budget, 6)


def _supported(logits: np.ndarray) -> np.ndarray:
    e = np.exp(logits - logits.max(1, keepdims=True))
    return e[:, 0] / e.sum(1)


def judge_grounding(
    network: nn.Module,
    table: nn.Embedding,
    rows: Sequence[dict[str, Any]],
    tokenizer: Tokenizer,
    device: str,
    budget: int,
) -> dict[str, Any]:
    """AUROC by source, for the whole response and for its weakest claim."""
    whole = _supported(
        predict(network, table, encode_pairs(tokenizer, [(r["p"], r["h"]) for r in rows], 288), device, budget)
    )
    pairs = [(p, c) for r in rows for p, c in r["claims"]]
    parts = (
        _supported(predict(network, table, encode_pairs(tokenizer, pairs, 224), device, budget))
        if pairs
        else np.zeros(0)
    )
    weakest, at = whole.copy(), 0
    for i, row in enumerate(rows):
        if row["claims"]:
            weakest[i] = parts[at : at + len(row["claims"])].min()
            at += len(row["claims"])
    y = [r["y"] for r in rows]
    return {
        "n": len(rows),
        "whole": auroc(y, whole),
        "weakest": auroc(y, weakest),
        "both": auroc(y, np.sqrt(whole * weakest)),
    }


def family(source: str) -> str:
    """The name a source is left out by: parts of one set belong together."""
    return source.split("/", maxsplit=1)[0]


def run_nli(
    told: argparse.Namespace, tokenizer: Tokenizer, table: nn.Embedding, device: str, budget: int
) -> dict[str, Any]:
    """Entailment with grounding, without the source left out; its figures."""
    network = Headed(6, 3).to(device)
    network.load_state_dict({k: v.float() for k, v in torch.load(told.out / "b_nli.pt").items()})
    ground = read(told.data / "grounding.jsonl.gz", told.limit)
    kept = [r for r in ground if r["ok"] and family(r["src"]) != told.without]
    lines, labels, soft = nli_lines(told, tokenizer)
    if told.without != "none":  # a shorter replay is enough to measure one source
        some = random.Random(8).sample(range(len(lines)), len(lines) // 4)
        lines, labels, soft = [lines[i] for i in some], labels[some], soft[some]
    tasks = [
        nli_task(lines, labels, soft, network, device, budget),
        grounding_task(kept, tokenizer, network, device, budget // 2),
    ]
    fit(tasks, table, steps=told.steps, rate=1e-4, table_rate=0.0, device=device, name=f"c-nli-{told.without}")
    result: dict[str, Any] = {"grounding": {}, "nli": {}}
    left = (
        [r for r in ground if family(r["src"]) == told.without]
        if told.without != "none"
        else [r for r in ground if not r["ok"]]
    )
    for source in sorted({family(r["src"]) for r in left}):
        result["grounding"][source] = judge_grounding(
            network, table, [r for r in left if family(r["src"]) == source], tokenizer, device, budget
        )
    if told.without == "none":
        held = read(told.data / "judge.jsonl.gz", told.limit)
        out = predict(network, table, encode_pairs(tokenizer, [(r["p"], r["h"]) for r in held], 224), device, budget)
        for key in sorted({(r["src"], r["lang"]) for r in held}):
            chosen = [i for i, r in enumerate(held) if (r["src"], r["lang"]) == key]
            result["nli"]["|".join(key)] = [
                len(chosen),
                float(np.mean([out[i].argmax() == LABELS.index(held[i]["y"]) for i in chosen])),
            ]
        torch.save({k: v.half().cpu() for k, v in network.state_dict().items()}, told.out / "c_nli.pt")
    return result


def run_injection(
    told: argparse.Namespace, tokenizer: Tokenizer, table: nn.Embedding, device: str, budget: int
) -> dict[str, Any]:
    """Injection with fewer layers, without the source left out; recall at fixed false-positive rates."""
    rows = [r for r in read(told.data / "injection.jsonl.gz", told.limit)]
    train = [r for r in rows if r["part"] == "train" and told.without not in (r["src"], r.get("of"))]
    keep = [int(i) for i in told.layers.split(",")]
    network = Headed(len(keep), 7).to(device)
    large = Headed(6, 7).to(device)
    guide = None
    if told.without == "none":
        large.load_state_dict({k: v.float() for k, v in torch.load(told.out / "b_injection.pt").items()})
        guide = torch.tensor(
            predict(large, table, encode(tokenizer, [r["text"] for r in train], 192), device, budget)[:, 0],
            device=device,
        )
        network.head.load_state_dict(large.head.state_dict())
    else:
        large.body.load_state_dict({k: v.float() for k, v in torch.load(told.out / "a_body.pt").items()})
    network.body.load_state_dict(
        {
            **{k: v for k, v in large.body.state_dict().items() if not k.startswith("layers.")},
            **{
                f"layers.{n}.{k.split('.', 2)[2]}": v
                for n, i in enumerate(keep)
                for k, v in large.body.state_dict().items()
                if k.startswith(f"layers.{i}.")
            },
        }
    )
    task = injection_task(train, tokenizer, network, device, budget // 2, guide)
    fit(
        [task],
        table,
        steps=told.steps,
        rate=2e-4,
        table_rate=0.0,
        device=device,
        name=f"c-inj{len(keep)}-{told.without}",
    )
    dev = [r for r in rows if r["part"] == "dev" or (r["src"] == told.without and r["label"])]
    score = predict(network, table, encode(tokenizer, [r["text"] for r in dev], 192), device, budget)[:, 0]
    support = np.array(
        [r["src"] in ("banking77", "bitext", "clinc150", "cucom_ecom", "dstc11", "xsid", "turkish_dlg") for r in dev]
    )
    label = np.array([r["label"] for r in dev])
    result: dict[str, Any] = {"support": int(support.sum())}
    for source in sorted({r["src"] for r in dev if r["label"]}) if told.without == "none" else [told.without]:
        mine = np.array([r["src"] == source and r["label"] == 1 for r in dev])
        result[source] = [
            int(mine.sum()),
            *(recall_at(score[support & (label == 0)], score[mine], rate)[0] for rate in (0.01, 0.001)),
        ]
    result["other_benign_at_1"] = float(
        (score[(label == 0) & ~support] > recall_at(score[support & (label == 0)], score[:0], 0.01)[1]).mean()
    )
    if told.without == "none":
        torch.save(
            {k: v.half().cpu() for k, v in network.state_dict().items()}, told.out / f"c_injection{len(keep)}.pt"
        )
    return result


def main() -> None:
    """Tune one network; ``--without`` names the source to leave out."""
    ask = argparse.ArgumentParser()
    ask.add_argument("what", choices=["nli", "injection"])
    ask.add_argument("--without", default="none")
    ask.add_argument("--weights", type=Path, required=True)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--teacher", type=Path)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--steps", type=int, default=1200)
    ask.add_argument("--layers", default="0,2,4")
    ask.add_argument("--limit", type=int)
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = 32768 if device == "cuda" else 1024
    torch.manual_seed(3)
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    stage = "a" if told.what == "injection" and told.without != "none" else "b"
    kept = torch.load(told.out / f"{stage}_table.pt")["weight"].float().numpy()
    whole, scale = quantised_rows(kept)
    table = nn.Embedding.from_pretrained(torch.from_numpy(whole.astype(np.float32) * scale), freeze=True).to(device)
    result = (run_nli if told.what == "nli" else run_injection)(told, tokenizer, table, device, budget)
    name = (
        f"{told.what}-{told.without}-{len(told.layers.split(','))}"
        if told.what == "injection"
        else f"nli-{told.without}"
    )
    (told.out / f"result-{name}.json").write_text(json.dumps(result))
    print(name, json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
