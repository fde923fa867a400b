"""Teaches networks of half the depth what the shipped ones know: every second layer to begin with, then their answers.

``pack WORK/w`` here puts the shipped weights into files that are small enough to send; ``teach NAME`` on a machine
with a GPU reads them and the packed data. The student learns the teacher's answers on every text, its layers on the
way, and the labels where there are any: where a teacher contradicts a label it is not believed.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.batches import Lines, encode, encode_pairs
from training.data import LABELS, read
from training.export import build
from training.figures import recall_at
from training.finetune import SUPPORT, predict
from training.guards import LEFT, LEFT_TONGUES
from training.keeping import keep_small, load_small
from training.marking import INTENTS
from training.network import Body
from training.reader import read_lines
from training.student import Task, fit

__all__ = ["Taught", "halved", "mean", "pack", "teach"]

WARMTH = 1.5  # of the shares that are compared
NETWORKS = ("injection", "reader", "nli")


def pack(folder: Path) -> None:
    """The shipped networks and their table, as training keeps them."""
    from proctor.models.local.model_registry import weights_of
    from training.onnx_weights import state_of

    weights = weights_of()
    folder.mkdir(parents=True, exist_ok=True)
    for name in NETWORKS:
        shipped = state_of(weights.path(f"{name}.onnx"))
        state = {key: torch.from_numpy(np.array(value)) for key, value in shipped.items()}
        keep_small(folder / f"{name}.npz", build(name, state)[0])
    table, scales = (np.load(weights.path(f"{part}.npy")) for part in ("table", "scales"))
    np.savez_compressed(folder / "table-int8.npz", q=table, s=scales.astype(np.float32))
    shutil.copy(weights.path("tokenizer.json"), folder / "tokenizer.json")


def body_of(network: nn.Module) -> Body:
    """The body of a network of any kind."""
    found = network.whole.body if hasattr(network, "whole") else network.body
    assert isinstance(found, Body)
    return found


def halved(state: dict[str, torch.Tensor], keep: Sequence[int]) -> dict[str, torch.Tensor]:
    """The weights of a network with the layers named in ``keep``, in that order."""
    found = {}
    for name, value in state.items():
        head, layers, tail = name.partition("layers.")
        if not layers:
            found[name] = value
            continue
        number, _, rest = tail.partition(".")
        if int(number) in keep:
            found[f"{head}layers.{keep.index(int(number))}.{rest}"] = value
    return found


class Taught(nn.Module):
    """A student beside its teacher: gives what both answer, and how far apart they are on the way."""

    def __init__(self, student: nn.Module, teacher: nn.Module, keep: Sequence[int], *, plain: bool = False) -> None:
        super().__init__()
        self.student, self.keep = student, list(keep)
        self.plain = plain  # whether the teacher knows no channels: all is of the first part to it
        self._teacher = [teacher.eval()]  # in a list, so that it is not trained, rounded or kept

    @property
    def teacher(self) -> nn.Module:
        """The network that teaches."""
        return self._teacher[0]

    def forward(self, pieces: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The student's outputs, the teacher's outputs, and the distance of their layers."""
        mine, theirs = list[torch.Tensor](), list[torch.Tensor]()
        teacher = self._teacher[0]
        hooks = [
            layer.register_forward_hook(lambda _m, _i, out: mine.append(out)) for layer in body_of(self.student).layers
        ]
        hooks += [
            layer.register_forward_hook(lambda _m, _i, out: theirs.append(out)) for layer in body_of(teacher).layers
        ]
        try:
            with torch.no_grad():
                wanted = _several(teacher(pieces, mask, torch.zeros_like(types) if self.plain else types))
            given = _several(self.student(pieces, mask, types))
        finally:
            for hook in hooks:
                hook.remove()
        real = mask[:, :, None]
        apart = torch.zeros((), device=mask.device)
        for own, number in zip(mine, self.keep, strict=True):
            apart = apart + (((own.float() - theirs[number].float()) ** 2) * real).sum() / (real.sum() * own.shape[-1])
        return *given, *wanted, apart / len(mine)


def _several(out: Any) -> tuple[torch.Tensor, ...]:
    return out if isinstance(out, tuple) else (out,)


def _shares(mine: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    """How far the shares of the student are from those of the teacher, for each row or piece."""
    wanted = (theirs / WARMTH).softmax(-1)
    return -(wanted * (F.log_softmax(mine / WARMTH, -1) - wanted.clamp(min=1e-9).log())).sum(-1) * WARMTH**2


def injection_tasks(
    told: argparse.Namespace, tokenizer: Tokenizer, network: Taught, device: str, budget: int
) -> list[Task]:
    """The packed rows: their label, and the teacher's answer where it does not contradict the label."""
    name = "guard.jsonl.gz" if told.guard else "injection.jsonl.gz"
    rows = [r for r in read(told.data / name, told.limit) if r["part"] == "train" and not _is_left(told, r)]
    y = torch.tensor([float(r["label"]) for r in rows], device=device)
    kind = torch.tensor([r["cat_id"] for r in rows], device=device)
    weight = torch.tensor([float(r.get("w", 1.0)) for r in rows], device=device)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        mine, theirs, apart = out
        want, worth = y[group], weight[group]
        agrees = ((theirs[:, 0] > 0) == (want > 0.5)).float()
        soft = F.mse_loss(mine[:, 0].clamp(-9, 9), theirs[:, 0].clamp(-9, 9), reduction="none") * 0.1
        hard = F.binary_cross_entropy_with_logits(mine[:, 0], want * 0.98 + 0.01, reduction="none")
        margin = F.relu(mine[:, 0] + 3) * (1 - want) * 0.15
        sort = F.cross_entropy(mine[:, 1:], kind[group], ignore_index=-1, reduction="none") * 0.2
        alike = _shares(mine[:, 1:], theirs[:, 1:]) * 0.2 * want
        return ((soft * agrees + hard + margin + sort + alike) * worth).mean() + told.near * apart

    pages = [r.get("ch") == "document" for r in rows]
    lines = encode(tokenizer, [r["text"] for r in rows], 192, device, pages)
    return [Task(lines, network, loss, budget // 2, told.seed + 2)]


def _is_left(told: argparse.Namespace, row: dict[str, Any]) -> bool:
    """Whether a row is of a source or a language that is left out."""
    return told.left and (row["src"] in LEFT or row["lang"] in LEFT_TONGUES)


def reader_tasks(
    told: argparse.Namespace, tokenizer: Tokenizer, network: Taught, device: str, budget: int
) -> list[Task]:
    """Messages with an intent, texts with marked names, and any text at all, as the teacher reads it."""
    more = "guard-" if told.guard else ""
    intents = [r for r in read(told.data / f"{more}intents.jsonl.gz", told.limit) if r["part"] == "train"]
    entities = read(told.data / f"{more}entities.jsonl.gz", told.limit)
    dice = random.Random(11)
    plain_texts = "guard.jsonl.gz" if told.guard else "injection.jsonl.gz"
    some = [r["text"][:600] for r in read(told.data / plain_texts, told.limit) if r["part"] == "train"]
    pairs = [t for r in read(told.data / "nli.jsonl.gz", told.limit) for t in (r["p"], r["h"])]
    some += dice.sample(pairs, min(60000, len(pairs)))
    some += [r["text"] for r in entities]
    dice.shuffle(some)
    plain = [{"text": t} for t in dict.fromkeys(some)]
    held = told.near / 2
    return [
        _intents(intents, tokenizer, network, device, budget // 4, held),
        _entities(entities, tokenizer, network, device, budget // 4, held),
        _any(plain, tokenizer, network, device, budget // 2, held),
    ]


def _intents(
    rows: Sequence[dict[str, Any]], tokenizer: Tokenizer, network: Taught, device: str, budget: int, held: float
) -> Task:
    lines, _ = read_lines(tokenizer, rows, 160, device)
    y = torch.tensor([INTENTS.index(r["label"]) for r in rows], device=device)
    weight = torch.tensor([float(r.get("w", 1.0)) for r in rows], device=device)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        text, tags, wished, wished_tags, apart = out
        agrees = (wished.argmax(-1) == y[group]).float()
        each = F.cross_entropy(text, y[group], reduction="none", label_smoothing=0.03)
        told = ((each + 0.3 * agrees * _shares(text, wished)) * weight[group]).mean()
        return told + _tags(tags, wished_tags) + held * apart

    return Task(lines, network, loss, budget, 15)


def _entities(
    rows: Sequence[dict[str, Any]], tokenizer: Tokenizer, network: Taught, device: str, budget: int, held: float
) -> Task:
    lines, tags = read_lines(tokenizer, rows, 160, device)
    wide = max(len(t) for t in tags)
    y = torch.full((len(tags), wide), -1, dtype=torch.long)
    for i, many in enumerate(tags):
        y[i, : len(many)] = torch.tensor(many)
    y = y.to(device)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        text, mine, wished, theirs, apart = out
        want = F.pad(y[group], (0, max(0, mine.shape[1] - wide)), value=-1)[:, : mine.shape[1]]
        each = F.cross_entropy(mine.transpose(1, 2), want, ignore_index=-1, reduction="none")
        kept = (want >= 0).float()
        agrees = kept * (theirs.argmax(-1) == want).float()
        found = (0.3 * each * kept + _shares(mine, theirs) * agrees).sum() / kept.sum().clamp(min=1.0)
        return found + held * (0.2 * _shares(text, wished).mean() + apart)

    return Task(lines, network, loss, budget, 16)


def _any(
    rows: Sequence[dict[str, Any]], tokenizer: Tokenizer, network: Taught, device: str, budget: int, held: float
) -> Task:
    lines, _ = read_lines(tokenizer, rows, 160, device)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        text, tags, wished, wished_tags, apart = out
        return 2 * _tags(tags, wished_tags) + held * (0.1 * _shares(text, wished).mean() + 2 * apart)

    return Task(lines, network, loss, budget, 17)


def _tags(mine: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    """The distance of the shares of tags; pieces of which either makes something count more: they are few."""
    told = 1 + 4 * ((theirs.argmax(-1) != 0) | (mine.argmax(-1) != 0)).float()
    return (_shares(mine, theirs) * told).sum() / told.sum()


def nli_tasks(told: argparse.Namespace, tokenizer: Tokenizer, network: Taught, device: str, budget: int) -> list[Task]:
    """Labelled pairs, pairs that nobody labelled, and claims against their evidence, as the teacher judges them."""
    pairs: list[tuple[str, str]] = []
    labels: list[int] = []
    for row in read(told.data / "nli.jsonl.gz", told.limit):
        pairs += [(row["p"], row["h"]), (row["h"], row["p"])]
        labels += [LABELS.index(row["y"]), -1]
    other = list(_unlabelled(told))
    ground = [r for r in read(told.data / "grounding.jsonl.gz", told.limit) if r["ok"]]
    claims = [(r["p"], r["h"]) for r in ground] + [(p, c) for r in ground for p, c in r["claims"]]
    long = claims + [tuple(r["pair"]) for r in read(told.data / "more.jsonl.gz", told.limit) if r["kind"] != "mix"]
    return [
        _judged(
            encode_pairs(tokenizer, pairs + other, 192, device),
            labels + [-1] * len(other),
            network,
            device,
            budget // 2,
        ),
        _judged(encode_pairs(tokenizer, long, 288, device), [-1] * len(long), network, device, budget // 2, seed=6),
    ]


def _unlabelled(told: argparse.Namespace) -> Iterable[tuple[str, str]]:
    for row in read(told.data / "silver.jsonl.gz", told.limit):
        english = row["en"]
        for a, b in row["other"].values():
            yield from ((a, b), (english[0], b), (a, english[1]))
    for row in read(told.data / "more.jsonl.gz", told.limit):
        if row["kind"] == "mix":
            yield row["pair"][0], row["pair"][1]
    spoken = read(told.data / "distil.jsonl.gz", told.limit)
    for row, after in pairwise(spoken):
        for language, text in row["other"].items():
            yield row["en"], text
            if language in after["other"]:
                yield text, after["other"][language]


def _judged(lines: Lines, labels: Sequence[int], network: Taught, device: str, budget: int, seed: int = 4) -> Task:
    y = torch.tensor(labels, device=device)

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        mine, theirs, apart = out
        hard = F.cross_entropy(mine[:, :3], y[group].clamp(min=0), reduction="none") * (y[group] >= 0) * 0.3
        soft = _shares(mine[:, :3], theirs[:, :3])
        support = F.mse_loss(mine[:, 3].clamp(-8, 8), theirs[:, 3].clamp(-8, 8), reduction="none") * 0.1
        return (hard + soft + support).mean() + 2 * apart

    return Task(lines, network, loss, budget, seed)


TASKS = {"injection": injection_tasks, "reader": reader_tasks, "nli": nli_tasks}


def teach(told: argparse.Namespace) -> dict[str, Any]:
    """Train the student of one network and keep it; says what it gets right beside its teacher."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    budget = told.budget or (49152 if device == "cuda" else 1024)
    torch.manual_seed(told.seed)
    random.seed(told.seed)
    tokenizer = Tokenizer.from_file(str(told.weights / "tokenizer.json"))
    kept = np.load(told.weights / "table-int8.npz")
    table = nn.Embedding.from_pretrained(torch.from_numpy(kept["q"].astype(np.float32) * kept["s"]), freeze=True).to(
        device
    )
    state = load_small(told.weights / f"{told.what}.npz")
    teacher = build(told.what, state)[0].to(device)
    deep = len(body_of(teacher).layers)
    keep = [round((i + 1) * deep / told.depth) - 1 for i in range(told.depth)]
    begun = load_small(told.start) if told.start else halved(state, keep)
    student = build(told.what, begun)[0].to(device)
    tasks = TASKS[told.what](told, tokenizer, Taught(student, teacher, keep, plain=told.plain), device, budget)
    print(
        told.what,
        "layers",
        keep,
        "rows",
        [len(t.lines) for t in tasks],
        "steps a pass",
        [t.steps() for t in tasks],
        flush=True,
    )
    fit(
        tasks,
        table,
        steps=told.steps,
        seconds=told.seconds,
        rate=told.rate,
        table_rate=0.0,
        name=told.what,
        rounding=0.6,
    )
    told.out.mkdir(parents=True, exist_ok=True)
    keep_small(told.out / f"{told.what}.npz", student)
    both = {"teacher": teacher, "student": student}
    return {who: judged(told, tokenizer, network, table, device) for who, network in both.items()}


def judged(
    told: argparse.Namespace, tokenizer: Tokenizer, network: nn.Module, table: nn.Embedding, device: str
) -> dict[str, Any]:
    """A few figures on rows that were not trained on."""
    budget = 49152 if device == "cuda" else 1024
    if told.what == "injection":
        name = "guard.jsonl.gz" if told.guard else "injection.jsonl.gz"
        rows = [r for r in read(told.data / name, told.limit) if r["part"] == "dev"]
        pages = [r.get("ch") == "document" for r in rows]
        lines = encode(tokenizer, [r["text"] for r in rows], 192, device, pages)
        score = predict(network, table, lines, device, budget)[:, 0]
        label, support = np.array([r["label"] for r in rows]), np.array([r["src"] in SUPPORT for r in rows])
        harmless = score[support & (label == 0)]
        found = {f"recall at {rate}": recall_at(harmless, score[label == 1], rate)[0] for rate in (0.01, 0.001)}
        return found | {
            "other benign at 1%": float(
                (score[(label == 0) & ~support] > recall_at(harmless, score[:0], 0.01)[1]).mean()
            )
        }
    if told.what == "reader":
        name = "guard-intents.jsonl.gz" if told.guard else "intents.jsonl.gz"
        rows = [r for r in read(told.data / name, told.limit) if r["part"] == "heldout"]
        out = predict(network, table, read_lines(tokenizer, rows, 160, device)[0], device, budget)
        right = np.array([o.argmax() == INTENTS.index(r["label"]) for o, r in zip(out, rows, strict=True)])
        tongues = np.array([r["lang"] for r in rows])
        return {str(t): round(float(right[tongues == t].mean()), 3) for t in np.unique(tongues)}
    rows = read(told.data / "judge.jsonl.gz", told.limit)
    out = predict(
        network, table, encode_pairs(tokenizer, [(r["p"], r["h"]) for r in rows], 224, device), device, budget
    )
    right = np.array([o[:3].argmax() == LABELS.index(r["y"]) for o, r in zip(out, rows, strict=True)])
    names = np.array([f"{r['src']}|{r['lang']}" for r in rows])
    return {str(n): round(float(right[names == n].mean()), 3) for n in np.unique(names)}


def mean(what: str, files: Sequence[Path], out: Path) -> None:
    """The mean of networks that began as one: it judges better than each of them."""
    states = [load_small(file) for file in files]
    keep_small(out, build(what, {name: sum(s[name] for s in states) / len(states) for name in states[0]})[0])


def main() -> None:
    """Pack the shipped networks, teach one student, or take the mean of several."""
    ask = argparse.ArgumentParser(description=__doc__)
    verbs = ask.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("folder", type=Path)
    teaching = verbs.add_parser("teach")
    teaching.add_argument("what", choices=NETWORKS)
    teaching.add_argument("--weights", type=Path, required=True)
    teaching.add_argument("--data", type=Path, required=True)
    teaching.add_argument("--out", type=Path, required=True)
    teaching.add_argument("--depth", type=int, required=True)
    teaching.add_argument("--start", type=Path, help="a student of that depth to go on with")
    teaching.add_argument("--seconds", type=float, default=200)
    teaching.add_argument("--steps", type=int, default=100000)
    teaching.add_argument("--rate", type=float, default=2e-4)
    teaching.add_argument(
        "--near", type=float, default=2.0, help="how much injection and reader are held to the teacher on the way"
    )
    teaching.add_argument("--guard", action="store_true", help="with the rows of training.guards, by channel")
    teaching.add_argument("--plain", action="store_true", help="the teacher knows no channels")
    teaching.add_argument("--left", action="store_true", help="without the sources and languages that are left out")
    teaching.add_argument("--seed", type=int, default=3)
    teaching.add_argument("--limit", type=int)
    teaching.add_argument("--budget", type=int, help="pieces of a batch")
    meaning = verbs.add_parser("mean")
    meaning.add_argument("what", choices=NETWORKS)
    meaning.add_argument("out", type=Path)
    meaning.add_argument("files", type=Path, nargs="+")
    told = ask.parse_args()
    if told.verb == "mean":
        mean(told.what, told.files, told.out)
        return
    if told.verb == "pack":
        pack(told.folder)
        return
    result = teach(told)
    (told.out / f"result-{told.what}.json").write_text(json.dumps(result))
    print(told.what, json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
