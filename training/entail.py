"""Teaches entailment anew: a deep and a shallow network side by side over one table of their own.

Both learn the labels and an English teacher's judgement (all-mpnet-base-v2, tuned here first), the shallow one also
what the deep one answers in the same step. In the last part the table is frozen as int8 and every product is rounded
as it will run. Whole sources of grounding rows are left out for good (``LEFT_SOURCES``), so that support is measured on
kinds of text that no step saw. A second run in float goes on where the first one stopped.
"""

from __future__ import annotations

import argparse
import collections
import json
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

from training.batches import encode_pairs
from training.data import LABELS, LEFT_SOURCES, read
from training.finetune import predict
from training.halve import body_of
from training.keeping import keep_small
from training.network import Headed, load_body, quantised_rows
from training.parallel import neighbours
from training.student import Task, fit
from training.swaps import swapped
from training.teacher import Teacher, judge, train
from training.teacher import _lines as teacher_lines
from training.teacher import _weights as teacher_weights

__all__ = ["Both", "assemble", "judged"]

WARMTH = 1.5
FACTS, TRANSLATED, MIX, WRITTEN = 0.7, 0.8, 0.6, 3.0  # what such a pair is worth against a written one


class Both(nn.Module):
    """A deep network and a shallow one that read the same lines: both answers, and how far apart their layers are."""

    def __init__(self, deep: Headed, shallow: Headed) -> None:
        super().__init__()
        self.deep, self.shallow = deep, shallow

    def forward(self, pieces: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Logits of the deep one, of the shallow one, and the distance of their layers."""
        mine, theirs = list[torch.Tensor](), list[torch.Tensor]()
        hooks = [x.register_forward_hook(lambda _m, _i, out: theirs.append(out)) for x in body_of(self.deep).layers]
        hooks += [x.register_forward_hook(lambda _m, _i, out: mine.append(out)) for x in body_of(self.shallow).layers]
        try:
            long, short = self.deep(pieces, mask, types), self.shallow(pieces, mask, types)
        finally:
            for hook in hooks:
                hook.remove()
        real, step = mask[:, :, None], len(theirs) // len(mine)
        apart = torch.zeros((), device=mask.device)
        for i, own in enumerate(mine):
            wide = own.float() - theirs[(i + 1) * step - 1].detach().float()
            apart = apart + (wide**2 * real).sum() / (real.sum() * own.shape[-1])
        return long, short, apart / len(mine)


class Rows:
    """Pairs, the number of the English pair that a teacher judged for each (-1 for none), label and worth."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []
        self.asked: list[tuple[str, str]] = []
        self.number: dict[tuple[str, str], int] = {}
        self.by: list[int] = []
        self.labels: list[int] = []
        self.worth: list[float] = []
        self.composed: list[bool] = []

    def add(
        self,
        pair: tuple[str, str],
        label: str | None,
        worth: float,
        english: tuple[str, str] | None,
        *,
        composed: bool = False,
    ) -> None:
        """One more; ``english`` is the pair that the teacher is asked about; a composed pair has its label for sure."""
        by = -1
        if english is not None:
            by = self.number.setdefault(english, len(self.asked))
            if by == len(self.asked):
                self.asked.append(english)
        self.pairs.append(pair)
        self.labels.append(LABELS.index(label) if label else -1)
        self.worth.append(worth)
        self.by.append(by)
        self.composed.append(composed)


def assemble(data: Path, limit: int | None, seed: int = 14) -> Rows:
    """Every pair that entailment learns from."""
    dice, found = random.Random(seed), Rows()
    for row in read(data / "nli.jsonl.gz", limit):
        pair = row["p"], row["h"]
        english = row["lang"] == "en"
        found.add(pair, row["y"], 2.0 if row["src"].startswith("written") else 1.0, pair if english else None)
        if english and dice.random() < 0.25:
            back = row["h"], row["p"]
            found.add(back, None, MIX, back)
    numbers: list[tuple[str, str]] = []
    files = [data / f"{name}.jsonl.gz" for name in ("translated", "rendered")]
    for row in (row for file in files if file.exists() for row in read(file, limit)):
        a, b = row["p"], row["h"]
        english = row["en"][0], row["en"][1]
        found.add((a, b), row["y"], TRANSLATED, english)
        if dice.random() < 0.2:
            crossed = (english[0], b) if dice.random() < 0.5 else (a, english[1])
            found.add(crossed, row["y"], 0.6, english)
        numbers += [(row["lang"], a), (row["lang"], b), ("en", english[0])]
    for row in read(data / "more.jsonl.gz", limit):
        if row["kind"] == "mix":
            pair = row["pair"][0], row["pair"][1]
            found.add(pair, None, MIX, pair)
    for row in read(data / "facts.jsonl.gz", limit):
        found.add((row["p"], row["h"]), row["y"], FACTS, None, composed=True)
    if (data / "written-facts.jsonl.gz").exists():
        for row in read(data / "written-facts.jsonl.gz", limit):
            found.add((row["p"], row["h"]), row["y"], WRITTEN, None)
    for first, second, label, _ in swapped(dict.fromkeys(numbers)):
        found.add((first, second), label, 0.5, None, composed=True)
    _add_parallel(data, limit, found, dice)
    add_sentences(data, limit, found)
    return found


def _add_parallel(data: Path, limit: int | None, found: Rows, dice: random.Random) -> None:
    """Pairs in several languages beside their English, and sentences beside their translation or a stranger."""
    for row in read(data / "silver.jsonl.gz", limit):
        english = row["en"][0], row["en"][1]
        for a, b in [row["en"], *row["other"].values()]:
            found.add((a, b), None, 0.5, english)
    spoken = read(data / "distil.jsonl.gz", limit)
    for row in spoken:
        for language, text in row["other"].items():
            if language in ("ar", "hi", "ru", "ko", "bn") or dice.random() < 0.25:
                stranger = dice.choice(spoken)["en"]
                pair = (text, row["en"]) if dice.random() < 0.5 else (row["en"], text)
                found.add(pair, "entailment", 0.5, None, composed=True)
                if stranger != row["en"]:
                    found.add((text, stranger), None, 0.5, (row["en"], stranger))


def add_sentences(data: Path, limit: int | None, found: Rows) -> None:
    """Pairs of sentences in another language, as the teacher judges their English; a translation follows."""
    if (data / "parallel.jsonl.gz").exists():
        for pair, english in neighbours(read(data / "parallel.jsonl.gz", limit)):
            found.add(pair, None if english else "entailment", 0.5, english)


def teach(told: argparse.Namespace, asked: Sequence[tuple[str, str]], device: str) -> np.ndarray:
    """Tunes the English teacher and writes what it says to each pair."""
    from transformers import MPNetConfig

    budget = 16384 if device == "cuda" else 1024
    config = MPNetConfig.from_json_file(told.weights / "mpnet_config.json")
    if told.limit:
        config.num_hidden_layers = 1
    model = Teacher(config)
    model.body.load_state_dict(teacher_weights(told.weights), strict=False)
    model.to(device)
    tokenizer = Tokenizer.from_file(str(told.weights / "mpnet_tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows = [r for r in read(told.data / "nli.jsonl.gz", told.limit) if r["lang"] == "en"]
    rows += [r for r in read(told.data / "facts.jsonl.gz", told.limit) if r["lang"] == "en"]
    lines = teacher_lines(tokenizer, [(r["p"], r["h"]) for r in rows])
    labels = [LABELS.index(r["y"]) for r in rows]
    train(model, lines, labels, epochs=told.epochs, budget=budget, device=device, rate=6e-5)
    held = [r for r in read(told.data / "judge.jsonl.gz", told.limit) if r["lang"] == "en"]
    held = random.Random(5).sample(held, min(len(held), 9000))
    seen = judge(model, teacher_lines(tokenizer, [(r["p"], r["h"]) for r in held]), budget=4 * budget, device=device)
    _tell("teacher", held, seen)
    return judge(model, teacher_lines(tokenizer, list(asked)), budget=4 * budget, device=device)


def _tell(name: str, rows: Sequence[dict[str, Any]], out: np.ndarray) -> dict[str, Any]:
    """The share that is right, for each source and language."""
    right = np.array([o[:3].argmax() == LABELS.index(r["y"]) for o, r in zip(out, rows, strict=True)])
    keys = np.array([f"{r['src'].split('/')[-1] if 'facts' not in r['src'] else 'facts'}|{r['lang']}" for r in rows])
    found = {str(k): [int((keys == k).sum()), round(float(right[keys == k].mean()), 4)] for k in np.unique(keys)}
    print(name, json.dumps(found), flush=True)
    return found


def pair_loss(rows: Rows, seen: np.ndarray | None, device: str, apart_worth: float) -> Any:
    """Labels, the teacher's judgement where there is one, and for the shallow network what the deep one says."""
    hard = torch.tensor(rows.labels, device=device)
    by = np.array(rows.by)
    known = (
        torch.tensor(by >= 0, device=device)
        if seen is not None
        else torch.zeros(len(by), dtype=torch.bool, device=device)
    )
    logits = (
        seen[np.maximum(by, 0)].astype(np.float32)
        if seen is not None and len(seen)
        else np.zeros((len(by), 3), np.float32)
    )
    wish = torch.tensor(logits, device=device).div(WARMTH).softmax(-1)
    worth = torch.tensor(rows.worth, device=device)

    def own(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
        y, has = hard[group], known[group].float()
        three = out[:, :3]
        by_label = (
            F.cross_entropy(three, y.clamp(min=0), reduction="none", label_smoothing=0.02) * (y >= 0) * (1 - 0.5 * has)
        )
        by_teacher = -(wish[group] * F.log_softmax(three / WARMTH, -1)).sum(-1) * has
        follows = torch.where(y >= 0, (y == 0).float(), wish[group][:, 0]) * 0.98 + 0.01
        support = F.binary_cross_entropy_with_logits(out[:, 3], follows, reduction="none") * 0.3
        return by_label + by_teacher + support

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        long, short, apart = out
        told = worth[group]
        return ((own(long, group) + 0.5 * own(short, group) + _after(short, long)) * told).mean() + apart_worth * apart

    return loss


def _after(short: torch.Tensor, long: torch.Tensor) -> torch.Tensor:
    """How far the shallow network's answer is from the deep one's."""
    wanted = (long[:, :3].detach() / WARMTH).softmax(-1)
    three = -(wanted * F.log_softmax(short[:, :3] / WARMTH, -1)).sum(-1)
    return three + F.mse_loss(short[:, 3].clamp(-8, 8), long[:, 3].detach().clamp(-8, 8), reduction="none") * 0.1


def ground_task(told: argparse.Namespace, tokenizer: Tokenizer, network: nn.Module, device: str, budget: int) -> Task:
    """Responses with their label, claims of supported ones, and claims with one fact changed."""
    rows = [r for r in read(told.data / "grounding.jsonl.gz", told.limit) if r["ok"] and r["src"] not in LEFT_SOURCES]
    pairs = [(r["p"], r["h"], float(r["y"]), 1.0) for r in rows]
    pairs += [(p, c, 1.0, 0.5) for r in rows if r["y"] for p, c in r["claims"]]
    left = {name.split("/")[0] for name in LEFT_SOURCES if "/" not in name}
    for row in read(told.data / "more.jsonl.gz", told.limit):
        if row["kind"] != "mix" and row["src"] not in left:
            pairs.append((row["pair"][0], row["pair"][1], float(row["y"]), 0.4))
    y = torch.tensor([x[2] for x in pairs], device=device)
    weight = torch.tensor([x[3] for x in pairs], device=device)

    def own(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
        each = F.binary_cross_entropy_with_logits(out[:, 3], y[group] * 0.96 + 0.02, reduction="none")
        three = out[:, :3]
        against = torch.logsumexp(three[:, 1:], -1)
        also = F.binary_cross_entropy_with_logits(three[:, 0] - against, y[group] * 0.9 + 0.05, reduction="none")
        return each + 0.2 * also

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        long, short, apart = out
        return (
            (own(long, group) + 0.5 * own(short, group) + 0.5 * _after(short, long)) * weight[group]
        ).mean() + 0.3 * apart

    return Task(encode_pairs(tokenizer, [(a, b) for a, b, _, _ in pairs], 288, device), network, loss, budget, 6)


def auroc(score: np.ndarray, label: np.ndarray) -> float:
    """The chance that a row of label 1 stands above one of label 0."""
    order = np.argsort(score, kind="stable")
    rank = np.empty(len(score))
    rank[order] = np.arange(1, len(score) + 1)
    ones = label == 1
    n, m = int(ones.sum()), int((~ones).sum())
    return float((rank[ones].sum() - n * (n + 1) / 2) / max(1, n * m))


def judged(
    told: argparse.Namespace, tokenizer: Tokenizer, both: Both, table: nn.Embedding, device: str, few: bool
) -> dict[str, Any]:
    """Figures on held-out rows: entailment, composed facts, support of sources that were left out, dialogue."""
    budget = 49152 if device == "cuda" else 1024
    held = read(told.data / "judge.jsonl.gz", told.limit)
    by: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for row in held:
        if row["y"] in LABELS:
            by[row["src"] + row["lang"]].append(row)
    most = 400 if few else 5000
    rows = [r for many in by.values() for r in random.Random(5).sample(many, min(len(many), most))]
    rows += [r for r in read(told.data / "facts-held.jsonl.gz", told.limit)][: most * 4]
    lines = encode_pairs(tokenizer, [(r["p"], r["h"]) for r in rows], 224, device)
    ground = [r for r in read(told.data / "grounding.jsonl.gz") if r["src"] in LEFT_SOURCES or not r["ok"]][
        : told.limit
    ]
    ground = ground if not few else random.Random(6).sample(ground, min(len(ground), 1500))
    evidence = encode_pairs(tokenizer, [(r["p"], r["h"]) for r in ground], 288, device)
    talk = read(told.data / "decode.jsonl.gz", told.limit)[: 1000 if few else 100000]
    spoken = encode_pairs(tokenizer, [(r["p"], r["h"]) for r in talk], 192, device)
    result = {}
    for name, network in (("deep", both.deep), ("shallow", both.shallow)):
        found = _tell(name, rows, predict(network, table, lines, device, budget))
        out = predict(network, table, evidence, device, budget)
        y = np.array([r["y"] for r in ground])
        names = np.array([r["src"].split("/")[0] if not r["ok"] else r["src"] for r in ground])
        for source in np.unique(names):
            mine = names == source
            found[f"ground|{source}"] = [int(mine.sum()), round(auroc(out[mine, 3], y[mine]), 4)]
        out = predict(network, table, spoken, device, budget)
        share = torch.tensor(out[:, :3]).softmax(-1).numpy()[:, 2]
        found["decode"] = [len(talk), round(auroc(share, np.array([int(r["y"] == "contradiction") for r in talk])), 4)]
        print(name, {k: v for k, v in found.items() if "ground" in k or k == "decode"}, flush=True)
        result[name] = found
    return result


def begin(told: argparse.Namespace, device: str) -> tuple[Both, nn.Embedding]:
    """gte-small's layers for the deep network, every second of them for the shallow one, and the first table."""
    kept = np.load(told.weights / "gte_body.npz")
    whole = {
        k: kept[k].astype(np.float32) * (kept[k + "|s"] if k + "|s" in kept.files else 1.0)
        for k in kept.files
        if not k.endswith("|s")
    }
    depth = 12 if not told.limit else 2
    deep, shallow = Headed(depth, 4), Headed(depth // 2, 4)
    deep.body.load_state_dict(load_body(whole, range(depth)).state_dict())
    shallow.body.load_state_dict(load_body(whole, range(1, depth, 2)).state_dict())
    first = np.load(told.weights / "nli_table.npz")
    table = nn.Embedding.from_pretrained(torch.from_numpy(first["q"].astype(np.float32) * first["s"]), freeze=False)
    return Both(deep, shallow).to(device), table.to(device)


def frozen(table: nn.Embedding, device: str) -> tuple[nn.Embedding, np.ndarray, np.ndarray]:
    """The table as it will run."""
    whole, scale = quantised_rows(table.weight.detach().float().cpu().numpy())
    found = nn.Embedding.from_pretrained(torch.from_numpy(whole.astype(np.float32) * scale), freeze=True)
    return found.to(device), whole, scale


def keep_all(told: argparse.Namespace, both: Both, whole: np.ndarray, scale: np.ndarray) -> None:
    """Both networks and the table, in files of a size that can be sent."""
    told.out.mkdir(parents=True, exist_ok=True)
    keep_small(told.out / "nli.npz", both.shallow)
    keep_small(told.out / "nli_deep.npz", both.deep)
    whole_deep = dict(np.load(told.out / "nli_deep.npz"))
    names = sorted(whole_deep)
    np.savez_compressed(told.out / "nli_deep_a.npz", **{n: whole_deep[n] for n in names[: len(names) // 2]})
    np.savez_compressed(told.out / "nli_deep_b.npz", **{n: whole_deep[n] for n in names[len(names) // 2 :]})
    middle = len(whole) // 2
    np.savez_compressed(told.out / "nli_table_a.npz", q=whole[:middle], s=scale[:middle])
    np.savez_compressed(told.out / "nli_table_b.npz", q=whole[middle:], s=scale[middle:])


def main() -> None:  # noqa: PLR0915 - the steps of one run, in order
    """Teacher, first part in float with the table, second part rounded over the frozen table."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--weights", type=Path, required=True)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--state", type=Path, required=True, help="where float state and judgements stay between parts")
    ask.add_argument("--part", choices=["teacher", "float", "rounded"], required=True)
    ask.add_argument("--seconds", type=float, default=200)
    ask.add_argument("--until", type=float, help="time of day in seconds, instead of --seconds")
    ask.add_argument("--steps", type=int, default=100000)
    ask.add_argument("--epochs", type=float, default=2.0)
    ask.add_argument("--rate", type=float, default=1.5e-4)
    ask.add_argument("--table-rate", type=float, default=5e-4)
    ask.add_argument("--limit", type=int)
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = 65536 if device == "cuda" else 1024
    torch.manual_seed(4)
    random.seed(4)
    torch.backends.cuda.matmul.allow_tf32 = True
    told.state.mkdir(parents=True, exist_ok=True)
    began = time.time()
    rows = assemble(told.data, told.limit)
    print("pairs", len(rows.pairs), "asked", len(rows.asked), f"{time.time() - began:.0f}s", flush=True)
    if told.part == "teacher":
        np.save(told.state / "seen.npy", teach(told, rows.asked, device))
        print("teacher done", f"{time.time() - began:.0f}s", flush=True)
        return
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    lines = encode_pairs(tokenizer, rows.pairs, 192, device)
    print("lines", f"{time.time() - began:.0f}s", flush=True)
    while not (told.state / "seen.npy").exists():
        time.sleep(0.5)
    time.sleep(1)
    seen = np.load(told.state / "seen.npy")
    both, table = begin(told, device)
    if (told.state / "both.pt").exists():
        both.load_state_dict(torch.load(told.state / "both.pt", weights_only=True))
        table.load_state_dict(torch.load(told.state / "table.pt", weights_only=True))
    if told.part == "rounded":
        table, whole, scale = frozen(table, device)
    loss = pair_loss(rows, seen, device, 0.3)
    tasks = [Task(lines, both, loss, budget, 4), ground_task(told, tokenizer, both, device, budget // 3)]
    print("steps a pass", [t.steps() for t in tasks], f"{time.time() - began:.0f}s", flush=True)
    rounding = 0.0 if told.part == "rounded" else 2.0
    fit(
        tasks,
        table,
        steps=told.steps,
        seconds=told.until - time.time() if told.until else told.seconds,
        rate=told.rate,
        table_rate=0.0 if told.part == "rounded" else told.table_rate,
        name=told.part,
        rounding=rounding,
    )
    if told.part == "float":
        torch.save(both.state_dict(), told.state / "both.pt")
        torch.save(table.state_dict(), told.state / "table.pt")
        table, whole, scale = frozen(table, device)
    keep_all(told, both, whole, scale)
    result = judged(told, tokenizer, both, table, device, told.part == "float")
    (told.out / f"result-{told.part}.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main()
