"""Trains the multilingual student: first its sentence vectors, then all three bodies over one shared table."""

from __future__ import annotations

import argparse
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

from training.batches import collate, encode, encode_pairs, planned
from training.network import Body, Headed, load_body, load_table, mean_pool, quantised_rows
from training.teacher import LABELS, read

__all__ = ["Task", "fit", "injection_loss", "injection_task", "nli_lines", "nli_task"]

Lines = Sequence[Any]
Loss = Callable[[torch.Tensor, list[int]], torch.Tensor]


class Task:
    """Lines, the network that reads them and the loss of its output; gives batches without end."""

    def __init__(self, lines: Lines, network: nn.Module, loss: Loss, budget: int, seed: int) -> None:
        self.lines, self.network, self.loss, self.budget = lines, network, loss, budget
        self.lengths = [len(x[0]) if isinstance(x, tuple) else len(x) for x in lines]
        self.dice = random.Random(seed)
        self.groups = self._endless()

    def _endless(self) -> Iterator[list[int]]:
        while True:
            yield from planned(self.lengths, self.budget, self.dice)

    def steps(self) -> int:
        """Batches in one pass."""
        return sum(1 for _ in planned(self.lengths, self.budget, None))


def fit(
    tasks: Sequence[Task], table: nn.Embedding, *, steps: int, rate: float, table_rate: float, device: str, name: str
) -> None:
    """Train the networks of the tasks, one batch of each a step; the table too when its rate is not zero."""
    seen: dict[int, nn.Parameter] = {}
    for task in tasks:
        task.network.train()
        seen |= {id(p): p for p in task.network.parameters()}
    groups: list[dict[str, Any]] = [{"params": list(seen.values()), "lr": rate, "weight_decay": 0.01}]
    table.weight.requires_grad_(table_rate > 0)
    if table_rate:
        groups.append({"params": [table.weight], "lr": table_rate, "weight_decay": 0.0})
    opt = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=device == "cuda")
    plan = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min((s + 1) / (0.05 * steps + 1), max(0.0, 1 - s / steps)))
    began = time.time()
    for step in range(steps):
        opt.zero_grad(set_to_none=True)
        losses = []
        for task in tasks:
            group = next(task.groups)
            ids, mask, types = collate([task.lines[i] for i in group], device)
            with torch.autocast(device, dtype=torch.bfloat16):
                out = task.network(table(ids), mask, types)
            loss = task.loss((out, mask), group) if isinstance(task.network, Body) else task.loss(out.float(), group)  # type: ignore[arg-type]
            loss.backward()
            losses.append(loss.detach())
        nn.utils.clip_grad_norm_(list(seen.values()), 1.0)
        opt.step()
        plan.step()
        if step % 200 == 199:
            print(
                name,
                step + 1,
                steps,
                " ".join(f"{x.item():.4f}" for x in losses),
                f"{time.time() - began:.0f}s",
                flush=True,
            )


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
    lines = [np.array(x.ids, np.int32) for x in tokenizer.encode_batch(list(texts))]
    found = torch.zeros(len(lines), 384, dtype=torch.float16, device=device)
    for group in planned([len(x) for x in lines], budget * 4, None):
        ids, _, types = collate([lines[i] for i in group], device)
        lengths = torch.tensor([len(lines[i]) for i in group], device=device)
        mask = (torch.arange(ids.shape[1], device=device)[None] < lengths[:, None]).float()
        with torch.autocast(device, dtype=torch.bfloat16):
            hidden = body(words(ids), mask, types)
        found[group] = F.normalize(mean_pool(hidden.float(), mask), dim=-1).half()
    return found


def distil_task(told: argparse.Namespace, tokenizer: Tokenizer, body: Body, device: str, budget: int) -> Task:
    """Every text towards the English teacher's vector of its English."""
    english: list[str] = []
    texts: list[tuple[str, int]] = []
    for row in read(told.data / "distil.jsonl.gz", told.limit):
        english.append(row["en"])
        texts += [(row["en"], len(english) - 1), *((t, len(english) - 1) for t in row["other"].values())]
    more = {t for r in read(told.data / "nli.jsonl.gz", told.limit) if r["lang"] == "en" for t in (r["p"], r["h"])}
    more |= {r["text"][:300] for r in read(told.data / "injection.jsonl.gz", told.limit) if r["lang"].startswith("en")}
    for text in random.Random(3).sample(sorted(more), min(len(more), 150000)):
        english.append(text)
        texts.append((text, len(english) - 1))
    vectors = english_vectors(told.weights, english, device, budget)
    where = torch.tensor([i for _, i in texts], device=device)

    def loss(out: Any, group: list[int]) -> torch.Tensor:
        hidden, mask = out
        mine = F.normalize(mean_pool(hidden.float(), mask), dim=-1)
        theirs = vectors[where[group]].float()
        alike = (mine * theirs).sum(-1)
        close = F.mse_loss(mine @ mine.T, theirs @ theirs.T)  # keep distances between sentences, not only the sentences
        return 10 * (1 - alike).mean() + 20 * close

    return Task(encode(tokenizer, [t for t, _ in texts], 128), body, loss, budget, 3)


def nli_lines(
    told: argparse.Namespace, tokenizer: Tokenizer, longest: int = 224
) -> tuple[Lines, np.ndarray, np.ndarray]:
    """Pairs with their labels (-1 for none) and the teacher's logits (nan for none)."""
    rows = read(told.data / "nli.jsonl.gz", told.limit)
    judged = dict(np.load(told.teacher))
    pairs = [(r["p"], r["h"]) for r in rows]
    labels = [LABELS.index(r["y"]) for r in rows]
    nothing = np.full(3, np.nan, np.float16)
    at = iter(range(len(rows)))
    soft = [judged["nli"][next(at)] if r["lang"] == "en" else nothing for r in rows]
    english = [(r["p"], r["h"]) for r in rows if r["lang"] == "en"]
    for i, (a, b) in enumerate(english):
        if i % 2 == 0:
            pairs.append((b, a))
            soft.append(judged["nli_back"][i])
    for i, row in enumerate(read(told.data / "silver.jsonl.gz", told.limit)):
        for a, b in [row["en"], *row["other"].values()]:
            pairs += [(a, b), (b, a)]
            soft += [judged["silver"][i], judged["silver_back"][i]]
    labels += [-1] * (len(pairs) - len(labels))
    return encode_pairs(tokenizer, pairs, longest), np.array(labels), np.stack(soft).astype(np.float32)


def nli_task(
    lines: Lines, labels: np.ndarray, soft: np.ndarray, network: nn.Module, device: str, budget: int, seed: int = 4
) -> Task:
    """Labels where there are labels, the teacher's judgement where there is one."""
    hard = torch.tensor(labels, device=device)
    known = torch.tensor(~np.isnan(soft[:, 0]), device=device)
    wish = torch.tensor(np.nan_to_num(soft), device=device).div(1.5).softmax(-1)

    def loss(out: torch.Tensor, group: list[int]) -> torch.Tensor:
        y, has = hard[group], known[group].float()
        by_label = F.cross_entropy(out, y, ignore_index=-1, reduction="none") * (y >= 0) * (1 - 0.6 * has)
        by_teacher = -(wish[group] * F.log_softmax(out / 1.5, -1)).sum(-1) * has * torch.where(y >= 0, 0.9, 1.0)
        return (by_label + by_teacher).mean()

    return Task(lines, network, loss, budget, seed)


def injection_loss(rows: Sequence[dict[str, Any]], device: str, guide: torch.Tensor | None = None) -> Loss:
    """Yes or no with a margin for harmless texts, the category where known, and a guide's logits when given."""
    y = torch.tensor([float(r["label"]) for r in rows], device=device)
    kind = torch.tensor([r["cat_id"] for r in rows], device=device)
    weight = torch.tensor([r.get("w", 1.0) for r in rows], device=device)

    def loss(out: torch.Tensor, group: list[int]) -> torch.Tensor:
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
    return Task(
        encode(tokenizer, [r["text"] for r in rows], 192), network, injection_loss(rows, device, guide), budget, seed
    )


def _save(folder: Path, **parts: nn.Module) -> None:
    for name, part in parts.items():
        torch.save({k: v.detach().half().cpu() for k, v in part.state_dict().items()}, folder / f"{name}.pt")


def main() -> None:
    """Stage ``a``: sentence vectors. Stage ``b``: vectors, entailment and injection together."""
    ask = argparse.ArgumentParser()
    ask.add_argument("stage", choices=["a", "b"])
    ask.add_argument("--weights", type=Path, required=True)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--teacher", type=Path)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--steps", type=int, default=2600)
    ask.add_argument("--limit", type=int)
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = 32768 if device == "cuda" else 512
    torch.manual_seed(2)
    told.out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    table = nn.Embedding.from_pretrained(
        torch.from_numpy(load_table(str(told.weights / "table.npz"))), freeze=False
    ).to(device)
    body = load_body(dict(np.load(told.weights / "minilm_body.npz")), range(6)).to(device)
    if told.stage == "a":
        fit(
            [distil_task(told, tokenizer, body, device, budget)],
            table,
            steps=told.steps,
            rate=4e-4,
            table_rate=1e-3,
            device=device,
            name="a",
        )
        _save(told.out, a_body=body, a_table=table)
        return
    body.load_state_dict({k: v.float() for k, v in torch.load(told.out / "a_body.pt").items()})
    table.load_state_dict({k: v.float() for k, v in torch.load(told.out / "a_table.pt").items()})
    nli, injection = Headed(6, 3).to(device), Headed(6, 7).to(device)
    nli.body.load_state_dict(body.state_dict())
    injection.body.load_state_dict(body.state_dict())
    rows = [r for r in read(told.data / "injection.jsonl.gz", told.limit) if r["part"] == "train"]
    lines, labels, soft = nli_lines(told, tokenizer)
    tasks = [
        nli_task(lines, labels, soft, nli, device, budget),
        injection_task(rows, tokenizer, injection, device, budget // 2),
        distil_task(told, tokenizer, body, device, budget // 2),
    ]
    print("passes", [round(told.steps / t.steps(), 2) for t in tasks], flush=True)
    fit(tasks, table, steps=told.steps, rate=2e-4, table_rate=3e-4, device=device, name="b")
    _save(told.out, b_nli=nli, b_injection=injection, b_body=body, b_table=table)
    whole, scale = quantised_rows(torch.load(told.out / "b_table.pt")["weight"].float().numpy())
    np.savez_compressed(told.out / "table-int8.npz", q=whole, s=scale)
    (told.out / "b.done").touch()


if __name__ == "__main__":
    main()
