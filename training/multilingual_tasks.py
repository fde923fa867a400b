"""The lines that the multilingual network learns from, what is wanted of each, and how an answer is judged.

Five kinds: pairs (entailment), claims with their evidence, answers of an agent (does one promise something), messages
and documents (an attack or not), and messages (which danger).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from training.data import read
from training.entail import LEFT, assemble
from training.guards import LEFT as NEVER
from training.marking import INTENTS
from training.plan import planned
from training.qwen_layers import STARTS
from training.token_lines import Lines, alone_lines, flattened, lines_of

__all__ = ["KINDS", "Task", "Wanted"]

Near = Callable[[torch.Tensor], torch.Tensor]  # how far an answer is from what the teacher said

KINDS = ("pairs", "ground", "acts", "guard", "danger")
WARMTH = 1.5


class Task:
    """Lines with what is wanted of them; gives batches without end."""

    def __init__(self, lines: Lines, loss: Any, budget: int, seed: int) -> None:
        self.lines, self.loss, self.budget, self.dice = lines, loss, budget, random.Random(seed)
        self.groups = self._endless()

    def _endless(self) -> Any:
        while True:
            yield from planned(self.lines.lengths, self.budget, self.dice)


class Wanted:
    """Every training line of the five kinds, and their labels."""

    def __init__(self, data: Path, tokenizer: Tokenizer, device: str, limit: int | None) -> None:
        file = data / "lines.npz"  # to number the tokens takes longer than to load them
        if not file.exists():
            np.savez(file, **_numbered(data, tokenizer, limit))
        kept = np.load(file)
        self.lines = {name: Lines((kept[f"{name}_flat"], kept[f"{name}_sizes"]), device) for name in KINDS}
        self.label = {
            name: torch.from_numpy(kept[name]).to(device)
            for name in kept.files
            if not name.endswith(("_flat", "_sizes"))
        }
        print({name: (len(x.lengths), sum(x.lengths)) for name, x in self.lines.items()}, flush=True)

    def tasks(self, budget: int, said: dict[str, torch.Tensor] | None) -> list[Task]:
        """Losses by the labels, and by what the teacher said."""
        label = self.label

        def pairs(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            y = label["hard"][group]
            three, labelled = out[:, :3], (y >= 0).float()
            each = F.cross_entropy(three, y.clamp(min=0), reduction="none", label_smoothing=0.02) * labelled
            also = F.binary_cross_entropy_with_logits(out[:, 3], (y == 0).float() * 0.98 + 0.01, reduction="none")
            each = each + 0.2 * also * labelled
            if said is not None:
                each = 0.5 * each + _near(out, said["pairs"][group])
            return (each * label["worth"][group]).sum() / max(len(group), 1)

        def told(name: str, each: torch.Tensor, group: torch.Tensor, near: Near) -> torch.Tensor:
            """Half of what the label asks, and what the teacher said; rows written since come last, without one."""
            if said is None:
                return each
            known = (group < len(said[name])).float()
            return (1 - 0.5 * known) * each + known * near(said[name][group.clamp(max=len(said[name]) - 1)])

        def ground(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            want = label["y"][group]
            each = F.binary_cross_entropy_with_logits(out[:, 3], want * 0.96 + 0.02, reduction="none")
            against = out[:, 0] - torch.logsumexp(out[:, 1:3], -1)
            each = each + 0.2 * F.binary_cross_entropy_with_logits(against, want * 0.9 + 0.05, reduction="none")
            each = told("ground", each, group, partial(_near, out))
            return (each * label["ground_worth"][group]).mean()

        def yes(name: str, at: int, out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            want = label[f"{name}_yes"][group] * 0.98 + 0.01
            each = F.binary_cross_entropy_with_logits(out[:, at], want, reduction="none")
            each = told(name, each, group, partial(_near_yes, out[:, at], at))
            return (each * label[f"{name}_worth"][group]).mean()

        def acts(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            return 0.5 * yes("acts", 4, out, group)

        def guard(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            return yes("guard", 5, out, group)

        def danger(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            each = F.cross_entropy(out[:, 6:], label["danger_kind"][group], reduction="none", label_smoothing=0.02)
            each = told("danger", each, group, partial(_near_kind, out[:, 6:]))
            return 0.5 * (each * label["danger_worth"][group]).mean()

        # Attacks and dangers are what the product asks it about; pairs have the most rows.
        shares = {"pairs": 0.6, "ground": 0.4, "acts": 0.1, "guard": 0.55, "danger": 0.15}
        losses = (pairs, ground, acts, guard, danger)
        return [
            Task(self.lines[name], loss, int(budget * shares[name]), 4 + at)
            for at, (name, loss) in enumerate(zip(KINDS, losses, strict=True))
        ]


def _numbered(data: Path, tokenizer: Tokenizer, limit: int | None) -> dict[str, np.ndarray]:
    many = assemble(data, limit)
    lines = {"pairs": lines_of(tokenizer, many.pairs, 200)}
    ground = [r for r in read(data / "grounding.jsonl.gz", limit) if r["ok"] and r["src"] not in LEFT]
    rows = [(r["p"], r["h"], float(r["y"]), 1.0) for r in ground]
    rows += [(p, c, 1.0, 0.5) for r in ground if r["y"] for p, c in r["claims"]]
    left = {name.split("/")[0] for name in LEFT if "/" not in name}
    for row in read(data / "more.jsonl.gz", limit):
        if row["kind"] != "mix" and row["src"] not in left:
            rows.append((row["pair"][0], row["pair"][1], float(row["y"]), 0.4))
    if (data / "answers.jsonl.gz").exists():
        rows += [(r["p"], r["h"], float(r["y"]), 1.5) for r in read(data / "answers.jsonl.gz", limit)]
    lines["ground"] = lines_of(tokenizer, [(a, b) for a, b, _, _ in rows], 320)
    acts = _answers(data, limit)
    lines["acts"] = lines_of(tokenizer, [(a, b) for a, b, _, _ in acts], 220, STARTS[3:])
    guard = [r for r in read(data / "guard.jsonl.gz", limit) if r["part"] == "train" and r["src"] not in NEVER]
    guard += _written_since(data / "guard-since.jsonl.gz")
    lines["guard"] = alone_lines(tokenizer, [(r["ch"], r["text"]) for r in guard], 224)
    danger = [r for r in read(data / "guard-intents.jsonl.gz", limit) if r["part"] == "train"]
    danger = [r for r in danger if r["src"] not in {f"general/{name}" for name in NEVER}]
    danger += _written_since(data / "danger-since.jsonl.gz")
    lines["danger"] = alone_lines(tokenizer, [("user", r["text"]) for r in danger], 160)
    flat = {name: flattened(lines[name]) for name in KINDS}
    return {
        **{f"{name}_flat": two[0] for name, two in flat.items()},
        **{f"{name}_sizes": two[1] for name, two in flat.items()},
        "hard": np.array(many.labels, np.int64),
        "worth": np.array(many.worth, np.float32),
        "y": np.array([r[2] for r in rows], np.float32),
        "ground_worth": np.array([r[3] for r in rows], np.float32),
        "acts_yes": np.array([r[2] for r in acts], np.float32),
        "acts_worth": np.array([r[3] for r in acts], np.float32),
        "guard_yes": np.array([float(r["label"]) for r in guard], np.float32),
        "guard_worth": np.array([float(r["w"]) for r in guard], np.float32),
        "danger_kind": np.array([INTENTS.index(r["label"]) for r in danger], np.int64),
        "danger_worth": np.array([float(r["w"]) for r in danger], np.float32),
    }


def _answers(data: Path, limit: int | None) -> list[tuple[str, str, float, float]]:
    """Answers with and without a promise, a customer before two of three; what sources say promises nothing."""
    dice = random.Random(3)
    found = [
        (r["customer"] if dice.random() < 0.67 else "", r["answer"], float(bool(r["acts"])), 1.0)
        for r in read(data / "acts.jsonl.gz", limit)
    ]
    told = sorted({r["h"] for r in read(data / "written-facts.jsonl.gz", limit)})
    asked = [r["text"] for r in read(data / "guard-intents.jsonl.gz", limit) if 20 < len(r["text"]) < 200]
    for text in dice.sample(told, min(len(told), len(found) // 2)):
        found.append((dice.choice(asked) if dice.random() < 0.67 else "", text, 0.0, 0.5))
    for row in _written_since(data / "acts-since.jsonl.gz"):
        found.append((row["customer"] if dice.random() < 0.67 else "", row["answer"], float(bool(row["acts"])), 1.5))
    return found


def _written_since(file: Path) -> list[dict[str, Any]]:
    """Rows that were written after the teacher was asked."""
    return read(file) if file.exists() else []


def _near(out: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
    wish = (said[:, :3] / WARMTH).softmax(-1)
    three = -(wish * F.log_softmax(out[:, :3] / WARMTH, -1)).sum(-1)
    soft = (said[:, 3] / WARMTH).sigmoid()
    return three + 0.5 * F.binary_cross_entropy_with_logits(out[:, 3] / WARMTH, soft, reduction="none")


def _near_yes(mine: torch.Tensor, at: int, said: torch.Tensor) -> torch.Tensor:
    soft = (said[:, at] / WARMTH).sigmoid()
    return F.binary_cross_entropy_with_logits(mine / WARMTH, soft, reduction="none")


def _near_kind(mine: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
    wish = (said[:, 6:] / WARMTH).softmax(-1)
    return -(wish * F.log_softmax(mine / WARMTH, -1)).sum(-1)
