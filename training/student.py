"""Trains the multilingual student: first its sentence vectors, then all bodies over one shared table."""

from __future__ import annotations

import argparse
import collections
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.batches import Lines, encode, encode_pairs, shuffled
from training.data import LABELS, read
from training.keeping import keep, load_kept
from training.network import Body, Headed, load_body, load_table, mean_pool, quantised_rows, rounded
from training.plan import planned

__all__ = ["Pairs", "Task", "fit", "injection_loss", "injection_rows", "injection_task", "nli_pairs", "nli_task"]

Loss = Callable[[Any, torch.Tensor], torch.Tensor]
WORTH = {"en": 1.0, "ja": 1.0}  # of a translated pair against a written one, where it is not 0.6


class Task:
    """Lines, the network that reads them and the loss of its output; gives batches without end."""

    def __init__(self, lines: Lines, network: nn.Module, loss: Loss, budget: int, seed: int) -> None:
        if not len(lines):
            raise ValueError("a task without rows would be waited for without end")
        self.lines, self.network, self.loss, self.budget = lines, network, loss, budget
        self.dice = random.Random(seed)
        self.groups = self._endless()

    def _endless(self) -> Iterator[tuple[torch.Tensor, int]]:
        while True:
            yield from shuffled(self.lines, self.budget, self.dice)

    def steps(self) -> int:
        """Batches in one pass."""
        return sum(1 for _ in planned(self.lines.lengths, self.budget, None))


def fit(
    tasks: Sequence[Task],
    table: nn.Embedding,
    *,
    steps: int,
    seconds: float,
    rate: float,
    table_rate: float,
    name: str,
    rounding: float = 2.0,
) -> None:
    """Train the networks of the tasks, one batch of each a step, until the steps or the seconds are spent.

    The table is trained too when its rate is not zero. From the share ``rounding`` of the way on, every product is
    rounded as the int8 network will round it.
    """
    device = table.weight.device.type
    seen: dict[int, nn.Parameter] = {}
    for task in tasks:
        task.network.train()
        seen |= {id(p): p for p in task.network.parameters()}
    groups: list[dict[str, Any]] = [{"params": list(seen.values()), "lr": rate, "weight_decay": 0.01, "top": rate}]
    table.weight.requires_grad_(table_rate > 0)
    if table_rate:
        groups.append({"params": [table.weight], "lr": table_rate, "weight_decay": 0.0, "top": table_rate})
    opt = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=device == "cuda")
    began, gone, step, total = time.time(), 0.0, 0, [0.0] * len(tasks)
    while gone < 1:
        for group in opt.param_groups:
            group["lr"] = group["top"] * min(gone / 0.05 + 0.01, 1.02 - gone)
        if gone >= rounding:
            for task in tasks:
                rounded(task.network)
            rounding = 2.0
        opt.zero_grad(set_to_none=True)
        for i, task in enumerate(tasks):
            rows, longest = next(task.groups)
            ids, mask, types = task.lines.batch(rows, longest)
            with torch.autocast(device, dtype=torch.bfloat16):
                out = task.network(table(ids), mask, types)
            loss = task.loss((out, mask), rows) if isinstance(task.network, Body) else task.loss(_wide(out), rows)
            loss.backward()
            total[i] = 0.98 * total[i] + 0.02 * loss.detach()
        nn.utils.clip_grad_norm_(list(seen.values()), 1.0)
        opt.step()
        step += 1
        gone = max(step / steps, (time.time() - began) / seconds)
        if step % 200 == 0 or gone >= 1:
            losses = " ".join(f"{float(x):.4f}" for x in total)
            print(name, step, steps, losses, f"{time.time() - began:.0f}s", flush=True)


def _wide(out: Any) -> Any:
    return tuple(x.float() for x in out) if isinstance(out, tuple) else out.float()


@torch.no_grad()
def english_vectors(folder: Path, texts: Sequence[str], device: str, budget: int) -> torch.Tensor:
    """The sentence vectors of the English teacher (all-MiniLM-L6-v2)."""
    body = load_body(dict(np.load(folder / "minilm_body.npz")), range(6)).to(device).eval()
    kept = np.load(folder / "minilm_words.npz")
    key = next(k for k in kept.files if not k.endswith("|s"))
    words = nn.Embedding.from_pretrained(torch.from_numpy(kept[key].astype(np.float32) * kept[key + "|s"])).to(device)
    tokenizer = Tokenizer.from_file(str(folder / "minilm_tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    lines = Lines([np.array(x.ids, np.int32) for x in tokenizer.encode_batch(list(texts))], None, device)
    found = torch.zeros(len(lines), 384, dtype=torch.float16, device=device)
    for group in planned(lines.lengths, budget * 4, None):
        ids, mask, types = lines.batch(group)
        with torch.autocast(device, dtype=torch.bfloat16):
            hidden = body(words(ids), mask, types)
        found[group] = F.normalize(mean_pool(hidden.float(), mask), dim=-1).half()
    return found


def translations(told: argparse.Namespace) -> dict[str, dict[str, str]]:
    """Language to English sentence to translation; empty when nothing was translated."""
    found: dict[str, dict[str, str]] = collections.defaultdict(dict)
    if told.translated and told.translated.exists():
        for row in read(told.translated, None):
            found[row["lang"]][row["en"]] = row["text"]
    return found


def distil_task(told: argparse.Namespace, tokenizer: Tokenizer, body: Body, device: str, budget: int) -> Task:
    """Every text towards the English teacher's vector of its English."""
    number: dict[str, int] = {}
    texts: list[tuple[str, int]] = []
    for row in read(told.data / "distil.jsonl.gz", told.limit):
        at = number.setdefault(row["en"], len(number))
        texts += [(row["en"], at), *((t, at) for t in row["other"].values())]
    for spoken in translations(told).values():
        texts += [(text, number.setdefault(english, len(number))) for english, text in spoken.items()]
    more = {t for r in read(told.data / "nli.jsonl.gz", told.limit) if r["lang"] == "en" for t in (r["p"], r["h"])}
    more |= {r["text"][:300] for r in read(told.data / "injection.jsonl.gz", told.limit) if r["lang"].startswith("en")}
    for text in random.Random(3).sample(sorted(more), min(len(more), 120000)):
        texts.append((text, number.setdefault(text, len(number))))
    vectors = english_vectors(told.weights, list(number), device, budget)
    where = torch.tensor([i for _, i in texts], device=device)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        hidden, mask = out
        mine = F.normalize(mean_pool(hidden.float(), mask), dim=-1)
        theirs = vectors[where[group]].float()
        alike = (mine * theirs).sum(-1)
        close = F.mse_loss(mine @ mine.T, theirs @ theirs.T)  # keep distances between sentences, not only the sentences
        return 10 * (1 - alike).mean() + 20 * close

    return Task(encode(tokenizer, [t for t, _ in texts], 128, device), body, loss, budget, 3)


class Pairs:
    """Pairs with their labels (-1 for none), a teacher's logits (nan for none) and what each is worth."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []
        self.labels: list[int] = []
        self.soft: list[np.ndarray] = []
        self.worth: list[float] = []

    def add(self, a: str, b: str, label: int, soft: np.ndarray | None, worth: float = 1.0) -> None:
        """One more pair; a pair that nobody judged is not kept."""
        if soft is not None and np.isnan(soft[0]):
            soft = None
        if label < 0 and soft is None:
            return
        self.pairs.append((a, b))
        self.labels.append(label)
        self.soft.append(np.full(3, np.nan, np.float32) if soft is None else soft.astype(np.float32))
        self.worth.append(worth)


def nli_pairs(told: argparse.Namespace, share: float = 1.0) -> Pairs:
    """Written pairs, their reverse, translations of both, and what the second teacher judged, where there is one."""
    dice = random.Random(14)
    rows = read(told.data / "nli.jsonl.gz", told.limit)
    first = dict(np.load(told.teacher))
    second = dict(np.load(told.second)) if told.second and told.second.exists() else {}
    spoken = translations(told)
    found = Pairs()
    at = -1
    for i, row in enumerate(rows):
        english = row["lang"] == "en"
        at += english
        if dice.random() >= share:
            continue
        a, b, label = row["p"], row["h"], LABELS.index(row["y"])
        own = first["nli"][at] if english else None
        if "nli" in second and not np.isnan(second["nli"][i][0]):
            own = second["nli"][i] if own is None else (own + second["nli"][i]) / 2
        found.add(a, b, label, own, 3.0 if row["src"].startswith("written") else 1.0)
        if not english:
            continue
        if at % 3 == 0:
            found.add(b, a, -1, first["nli_back"][at])
        for language, known in spoken.items():
            _add_spoken(found, known, (a, b), label, own, WORTH.get(language, 0.6), dice)
    _add_judged(told, found, first, second, share, dice)
    return found


def _add_spoken(
    found: Pairs,
    known: dict[str, str],
    pair: tuple[str, str],
    label: int,
    own: np.ndarray | None,
    worth: float,
    dice: random.Random,
) -> None:
    """An English pair as far as it was translated into one language: both parts, or one against the other's English."""
    a, b = pair
    if a in known and b in known:
        found.add(known[a], known[b], label, own, worth)
        if dice.random() < 0.15:
            found.add(a, known[b], label, own, worth)
        elif dice.random() < 0.15:
            found.add(known[a], b, label, own, worth)
    elif b in known:
        found.add(a, known[b], label, own, worth)
    elif a in known:
        found.add(known[a], b, label, own, worth)


def _add_judged(
    told: argparse.Namespace,
    found: Pairs,
    first: dict[str, np.ndarray],
    second: dict[str, np.ndarray],
    share: float,
    dice: random.Random,
) -> None:
    """Pairs that have no label, only a teacher's judgement."""
    for i, row in enumerate(read(told.data / "silver.jsonl.gz", told.limit)):
        if "ko" in row["other"] and dice.random() < share:  # PAWS-X alone
            for a, b in [row["en"], *row["other"].values()]:
                found.add(a, b, -1, first["silver"][i], 0.7)
    if "more" in second:
        for row, soft in zip(read(told.data / "more.jsonl.gz", told.limit), second["more"], strict=True):
            if row["kind"] == "mix" and dice.random() < share:
                found.add(row["pair"][0], row["pair"][1], -1, soft)


def nli_task(lines: Lines, pairs: Pairs, network: nn.Module, device: str, budget: int, seed: int = 4) -> Task:
    """Labels where there are labels, the teachers' judgement where there is one; entailed also means supported."""
    hard = torch.tensor(pairs.labels, device=device)
    soft = np.stack(pairs.soft)
    known = torch.tensor(~np.isnan(soft[:, 0]), device=device)
    wish = torch.tensor(np.nan_to_num(soft), device=device).div(1.5).softmax(-1)
    worth = torch.tensor(pairs.worth, device=device)

    def loss(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
        y, has = hard[group], known[group].float()
        three = out[:, :3]
        by_label = F.cross_entropy(three, y, ignore_index=-1, reduction="none") * (y >= 0) * (1 - 0.6 * has)
        by_teacher = -(wish[group] * F.log_softmax(three / 1.5, -1)).sum(-1) * has * torch.where(y >= 0, 0.9, 1.0)
        follows = torch.where(y >= 0, (y == 0).float(), wish[group][:, 0]) * 0.98 + 0.01
        support = F.binary_cross_entropy_with_logits(out[:, 3], follows, reduction="none") * 0.3
        return ((by_label + by_teacher + support) * worth[group]).mean()

    return Task(lines, network, loss, budget, seed)


def injection_rows(told: argparse.Namespace) -> list[dict[str, Any]]:
    """The packed rows, and the everyday messages in every language that they were translated into."""
    found = read(told.data / "injection.jsonl.gz", told.limit)
    plain = {r["text"] for r in read(told.data / "everyday.jsonl.gz", told.limit)}
    for language, known in translations(told).items():
        for english, text in known.items():
            if english in plain:
                row = {"text": text, "label": 0, "cat_id": -1, "src": "everyday", "lang": language}
                found.append(row | {"part": "train", "w": 1.0})
    return found


def injection_loss(rows: Sequence[dict[str, Any]], device: str, guide: torch.Tensor | None = None) -> Loss:
    """Yes or no with a margin for harmless texts, the category where known, and a guide's logits when given."""
    y = torch.tensor([float(r["label"]) for r in rows], device=device)
    kind = torch.tensor([r["cat_id"] for r in rows], device=device)
    weight = torch.tensor([r.get("w", 1.0) for r in rows], device=device)

    def loss(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
        want = y[group]
        first = F.binary_cross_entropy_with_logits(out[:, 0], want * 0.98 + 0.01, reduction="none")
        margin = F.relu(out[:, 0] + 3) * (1 - want) * 0.15
        sort = F.cross_entropy(out[:, 1:], kind[group], ignore_index=-1, reduction="none") * 0.2
        total = ((first + margin + sort) * weight[group]).mean()
        if guide is not None:
            total = total + 0.7 * F.binary_cross_entropy_with_logits(out[:, 0], guide[group].sigmoid())
        return total

    return loss


def injection_task(
    rows: Sequence[dict[str, Any]],
    tokenizer: Tokenizer,
    network: nn.Module,
    device: str,
    budget: int,
    guide: torch.Tensor | None = None,
    seed: int = 5,
) -> Task:
    """Injection rows, read by the network."""
    lines = encode(tokenizer, [r["text"] for r in rows], 192, device)
    return Task(lines, network, injection_loss(rows, device, guide), budget, seed)


def arguments() -> argparse.ArgumentParser:
    """What every stage is told."""
    ask = argparse.ArgumentParser()
    ask.add_argument("--weights", type=Path, required=True)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--teacher", type=Path, help="judgements of the English teacher")
    ask.add_argument("--second", type=Path, help="judgements of the multilingual teacher, where there are any")
    ask.add_argument("--translated", type=Path)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--steps", type=int, default=100000)
    ask.add_argument("--seconds", type=float, default=200)
    ask.add_argument("--limit", type=int)
    return ask


def main() -> None:
    """Stage ``a``: sentence vectors. Stage ``b``: vectors, entailment and injection together."""
    ask = arguments()
    ask.add_argument("stage", choices=["a", "b"])
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = 65536 if device == "cuda" else 512
    torch.manual_seed(2)
    told.out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    start = torch.from_numpy(load_table(str(told.weights / "table.npz")))
    table = nn.Embedding.from_pretrained(start, freeze=False).to(device)
    body = load_body(dict(np.load(told.weights / "minilm_body.npz")), range(6)).to(device)
    steps: dict[str, Any] = {"steps": told.steps, "seconds": told.seconds}
    if told.stage == "a":
        task = distil_task(told, tokenizer, body, device, budget)
        fit([task], table, rate=4e-4, table_rate=1e-3, name="a", **steps)
        keep(told.out / "a_body.pt", body)
        keep(told.out / "a_table.pt", table)
        return
    body.load_state_dict(load_kept(told.out / "a_body.pt"))
    table.load_state_dict(load_kept(told.out / "a_table.pt"))
    deep = dict(np.load(told.weights / "gte_body.npz"))
    depth = 12 if not told.limit else 2
    nli, injection = Headed(depth, 4, entry=True).to(device), Headed(6, 7).to(device)
    nli.body.load_state_dict(load_body(deep, range(depth)).state_dict())
    injection.body.load_state_dict(body.state_dict())
    rows = [r for r in injection_rows(told) if r["part"] == "train"]
    pairs = nli_pairs(told)
    print("pairs", len(pairs.pairs), flush=True)
    lines = encode_pairs(tokenizer, pairs.pairs, 192, device)
    tasks = [
        nli_task(lines, pairs, nli, device, budget),
        distil_task(told, tokenizer, body, device, budget // 2),
        injection_task(rows, tokenizer, injection, device, budget // 4),
    ]
    print("steps a pass", [t.steps() for t in tasks], flush=True)
    fit(tasks, table, rate=2e-4, table_rate=4e-4, name="b", **steps)
    for name, part in (("nli", nli), ("injection", injection), ("body", body), ("table", table)):
        keep(told.out / f"b_{name}.pt", part)
    whole, scale = quantised_rows(table.weight.detach().float().cpu().numpy())
    np.savez_compressed(told.out / "table-int8.npz", q=whole, s=scale)
    (told.out / "b.done").touch()


if __name__ == "__main__":
    main()
