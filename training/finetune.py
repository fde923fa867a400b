"""The last stage: bodies tuned over the frozen int8 table, rounded as they will run; and with one source left out."""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.batches import Lines, encode, encode_pairs
from training.data import LABELS, read
from training.figures import recall_at
from training.keeping import depth_of, keep_small, load_kept
from training.network import Body, Headed, Reader, quantised_rows
from training.plan import planned
from training.reader import INTENTS, TAGS, entity_task, intent_task, read_lines
from training.student import (
    Task,
    arguments,
    distil_task,
    fit,
    injection_rows,
    injection_task,
    nli_pairs,
    nli_task,
)

__all__ = ["family", "grounding_task", "predict"]

SUPPORT = ("banking77", "bitext", "clinc150", "cucom_ecom", "dstc11", "xsid", "turkish_dlg")


@torch.no_grad()
def predict(network: nn.Module, table: nn.Embedding, lines: Lines, device: str, budget: int) -> np.ndarray:
    """The logits of every line."""
    network.eval()
    found: np.ndarray | None = None
    for group in planned(lines.lengths, budget, None):
        ids, mask, types = lines.batch(group)
        with torch.autocast(device, dtype=torch.bfloat16):
            out = network(table(ids), mask, types)
        out = (out[0] if isinstance(out, tuple) else out).float().cpu().numpy()
        found = np.zeros((len(lines), out.shape[1]), np.float32) if found is None else found
        found[group] = out
    assert found is not None
    return found


def family(source: str) -> str:
    """The name a source is left out by: parts of one set belong together."""
    return source.split("/", maxsplit=1)[0]


def grounding_task(
    rows: Sequence[dict[str, Any]],
    changed: Sequence[dict[str, Any]],
    judged: np.ndarray | None,
    tokenizer: Tokenizer,
    network: nn.Module,
    device: str,
    budget: int,
) -> Task:
    """Responses with their label, their claims where the whole is supported, and claims with one fact changed."""
    pairs = [(r["p"], r["h"], float(r["y"]), 1.0) for r in rows]
    pairs += [(p, c, 1.0, 0.5) for r in rows if r["y"] for p, c in r["claims"]]
    for i, row in enumerate(changed):
        follows = None
        if judged is not None and not np.isnan(judged[i][0]):
            e = np.exp(judged[i].astype(np.float32) - judged[i].max())
            follows = float(e[0] / e.sum())
        if row["y"] == 0 and follows is not None and follows > 0.7:
            continue  # the change did not change the meaning
        pairs.append((row["pair"][0], row["pair"][1], float(row["y"]), 0.5))
    y = torch.tensor([x[2] for x in pairs], device=device)
    weight = torch.tensor([x[3] for x in pairs], device=device)

    def loss(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
        each = F.binary_cross_entropy_with_logits(out[:, 3], y[group] * 0.96 + 0.02, reduction="none")
        three = out[:, :3]
        against = torch.logsumexp(three[:, 1:], -1)
        # one of three, without saying which of the other two
        also = F.binary_cross_entropy_with_logits(three[:, 0] - against, y[group] * 0.9 + 0.05, reduction="none")
        return ((each + 0.2 * also) * weight[group]).mean()

    return Task(encode_pairs(tokenizer, [(a, b) for a, b, _, _ in pairs], 288, device), network, loss, budget, 6)


def run_nli(
    told: argparse.Namespace, tokenizer: Tokenizer, table: nn.Embedding, device: str, budget: int
) -> dict[str, Any]:
    """Entailment with grounding, without the source left out; its figures and its readings of what was left out."""
    start = load_kept(told.out / "b_nli.pt")
    network = Headed(depth_of(start), 4, entry=True).to(device)
    network.load_state_dict(start)
    ground = read(told.data / "grounding.jsonl.gz", told.limit)
    kept = [r for r in ground if r["ok"] and family(r["src"]) != told.without]
    changed = read(told.data / "more.jsonl.gz", told.limit)
    second = dict(np.load(told.second)) if told.second and told.second.exists() else {}
    chosen = [i for i, r in enumerate(changed) if r["kind"] != "mix" and r["src"] != told.without]
    judged = second["more"][chosen] if "more" in second else None
    pairs = nli_pairs(told, 1.0 if told.without == "none" else 0.2)
    tasks = [
        nli_task(encode_pairs(tokenizer, pairs.pairs, 192, device), pairs, network, device, budget),
        grounding_task(kept, [changed[i] for i in chosen], judged, tokenizer, network, device, budget // 2),
    ]
    print(f"c-nli-{told.without}", "pairs", len(pairs.pairs), "steps a pass", [t.steps() for t in tasks], flush=True)
    fit(
        tasks,
        table,
        steps=told.steps,
        seconds=told.seconds,
        rate=1e-4,
        table_rate=0.0,
        name=f"c-nli-{told.without}",
        rounding=0.5 if told.without == "none" else 2.0,
    )
    left = [i for i, r in enumerate(ground) if (family(r["src"]) == told.without or told.without == "none")]
    whole = encode_pairs(tokenizer, [(ground[i]["p"], ground[i]["h"]) for i in left], 288, device)
    parts = [(i, p, c) for i in left for p, c in ground[i]["claims"]]
    readings = {"rows": np.array(left), "whole": predict(network, table, whole, device, budget)}
    if parts:
        lines = encode_pairs(tokenizer, [(p, c) for _, p, c in parts], 224, device)
        readings |= {
            "owner": np.array([i for i, _, _ in parts]),
            "claims": predict(network, table, lines, device, budget),
        }
    np.savez_compressed(
        told.out / f"grounding-{told.without}.npz", **{k: v.astype(np.float32) for k, v in readings.items()}
    )
    result: dict[str, Any] = {}
    if told.without == "none":
        keep_small(told.out / "nli.npz", network)
        held = read(told.data / "judge.jsonl.gz", told.limit)
        lines = encode_pairs(tokenizer, [(r["p"], r["h"]) for r in held], 224, device)
        out = predict(network, table, lines, device, budget)
        for key in sorted({(r["src"], r["lang"]) for r in held}):
            mine = [i for i, r in enumerate(held) if (r["src"], r["lang"]) == key]
            right = np.mean([out[i, :3].argmax() == LABELS.index(held[i]["y"]) for i in mine])
            result["|".join(key)] = [len(mine), float(right)]
    return result


def run_injection(
    told: argparse.Namespace, tokenizer: Tokenizer, table: nn.Embedding, device: str, budget: int
) -> dict[str, Any]:
    """Injection, without the source left out; recall at fixed false-positive rates."""
    rows = injection_rows(told)
    train = [r for r in rows if r["part"] == "train" and told.without not in (r["src"], r.get("of"))]
    network = Headed(6, 7).to(device)
    if told.without == "none":
        network.load_state_dict(load_kept(told.out / "b_injection.pt"))
    else:
        network.body.load_state_dict(load_kept(told.out / "a_body.pt"))
    task = injection_task(train, tokenizer, network, device, budget // 2)
    fit(
        [task],
        table,
        steps=told.steps,
        seconds=told.seconds,
        rate=1.5e-4,
        table_rate=0.0,
        name=f"c-inj-{told.without}",
        rounding=0.5 if told.without == "none" else 2.0,
    )
    dev = [r for r in rows if r["part"] == "dev" or (r["src"] == told.without and r["label"])]
    score = predict(network, table, encode(tokenizer, [r["text"] for r in dev], 192, device), device, budget)[:, 0]
    support = np.array([r["src"] in SUPPORT for r in dev])
    label = np.array([r["label"] for r in dev])
    harmless = score[support & (label == 0)]
    result: dict[str, Any] = {"support": int(support.sum())}
    for source in sorted({r["src"] for r in dev if r["label"]}) if told.without == "none" else [told.without]:
        mine = np.array([r["src"] == source and r["label"] == 1 for r in dev])
        result[source] = [int(mine.sum()), *(recall_at(harmless, score[mine], rate)[0] for rate in (0.01, 0.001))]
    result["other_benign_at_1"] = float(
        (score[(label == 0) & ~support] > recall_at(harmless, score[:0], 0.01)[1]).mean()
    )
    if told.without == "none":
        keep_small(told.out / "injection.npz", network)
    return result


def run_reader(
    told: argparse.Namespace, tokenizer: Tokenizer, table: nn.Embedding, device: str, budget: int
) -> dict[str, Any]:
    """Intents and entities in one network; accuracy on what was written apart."""
    network = Reader(6, len(INTENTS), len(TAGS)).to(device)
    network.whole.body.load_state_dict(load_kept(told.out / "b_body.pt"))
    intents = read(told.data / "intents.jsonl.gz", told.limit)
    entities = read(told.data / "entities.jsonl.gz", told.limit)
    train = [r for r in intents if r["part"] == "train"]
    tasks = [
        intent_task(train, tokenizer, network, device, budget // 4),
        entity_task(entities, tokenizer, network, device, budget // 2),
    ]
    fit(
        tasks,
        table,
        steps=told.steps,
        seconds=told.seconds,
        rate=1.5e-4,
        table_rate=0.0,
        name="c-reader",
        rounding=0.5,
    )
    keep_small(told.out / "reader.npz", network)
    held = [r for r in intents if r["part"] == "heldout"]
    lines, _ = read_lines(tokenizer, held, 160, device)
    out = predict(network, table, lines, device, budget)
    result: dict[str, Any] = {}
    for language in sorted({r["lang"] for r in held}):
        mine = [i for i, r in enumerate(held) if r["lang"] == language]
        result[language] = float(np.mean([out[i].argmax() == INTENTS.index(held[i]["label"]) for i in mine]))
    return result


def run_embed(
    told: argparse.Namespace, tokenizer: Tokenizer, table: nn.Embedding, device: str, budget: int
) -> dict[str, Any]:
    """The sentence vectors, over the frozen table and rounded."""
    body = Body(6).to(device)
    body.load_state_dict(load_kept(told.out / "b_body.pt"))
    task = distil_task(told, tokenizer, body, device, budget)
    fit(
        [task],
        table,
        steps=told.steps,
        seconds=told.seconds,
        rate=2e-4,
        table_rate=0.0,
        name="c-embed",
        rounding=0.3,
    )
    keep_small(told.out / "embed.npz", body)
    return {}


def main() -> None:
    """Tune one network; ``--without`` names the source to leave out."""
    ask = arguments()
    ask.add_argument("what", choices=["nli", "injection", "reader", "embed"])
    ask.add_argument("--without", default="none")
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = 49152 if device == "cuda" else 1024
    torch.manual_seed(3)
    random.seed(3)
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    stage = "a" if told.what == "injection" and told.without != "none" else "b"
    whole, scale = quantised_rows(load_kept(told.out / f"{stage}_table.pt")["weight"].numpy())
    table = nn.Embedding.from_pretrained(torch.from_numpy(whole.astype(np.float32) * scale), freeze=True).to(device)
    run = {"nli": run_nli, "injection": run_injection, "reader": run_reader, "embed": run_embed}[told.what]
    result = run(told, tokenizer, table, device, budget)
    name = f"{told.what}-{told.without}"
    (told.out / f"result-{name}.json").write_text(json.dumps(result))
    print(name, json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
