"""The lines that the multilingual network learns from, what is wanted of each, and how an answer is judged.

Six kinds: pairs (entailment), claims with their evidence, answers of an agent (does one promise something), messages
and documents (an attack or not), messages (which danger), and turns of a conversation (what each does). Rows that
``aside`` keeps out are not among them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from training.aside import kept, split
from training.data import LEFT_SOURCES, clean, read
from training.entail import assemble
from training.guards import LEFT as NEVER
from training.marking import INTENTS
from training.plan import planned
from training.qwen_layers import STARTS, TURNS
from training.qwen_network import ACTS_AT, FAULT_AT, ROLES
from training.token_lines import Lines, alone_lines, flattened, lines_of

__all__ = ["KINDS", "Task", "Wanted", "acts_of", "role_of", "turn_lines"]

Near = Callable[[torch.Tensor], torch.Tensor]  # how far an answer is from what the teacher said

KINDS = ("pairs", "ground", "acts", "guard", "danger", "turns")
WARMTH = 1.5
LABELLED = 0.5  # what a label is worth where a teacher has judged the row too
# What a teacher is asked, in this order and at most so many lines: of composed pairs it could only repeat the label.
ASKED = {"acts": 40_000, "turns": 14_000, "ground": 90_000, "danger": 20_000, "guard": 90_000, "pairs": 180_000}
COMPOSED = 0.2  # of the pairs with a composed label, the share that a teacher learns from
SHARES = {"pairs": 0.5, "ground": 0.42, "acts": 0.1, "guard": 0.5, "danger": 0.13, "turns": 0.05}
EVERY = {"turns": 3}  # in every third step: they have few rows, and are soon known by heart
UNKNOWN = -1.0  # the label of a line that only the teacher judges
TEACHING = {"pairs": 0.38, "ground": 0.18, "acts": 0.03, "guard": 0.12, "danger": 0.03, "turns": 0.03}


class Task:
    """Lines with what is wanted of them; gives batches of the chosen ones without end."""

    def __init__(
        self, lines: Lines, loss: Any, budget: int, seed: int, chosen: np.ndarray | None = None, every: int = 1
    ) -> None:
        self.lines, self.loss, self.budget, self.dice, self.every = lines, loss, budget, random.Random(seed), every
        self.chosen = list(range(len(lines.lengths))) if chosen is None else chosen.tolist()
        self.groups = self._endless()

    def _endless(self) -> Any:
        lengths = [self.lines.lengths[at] for at in self.chosen]
        while True:
            for group in planned(lengths, self.budget, self.dice):
                yield [self.chosen[at] for at in group]


class Wanted:
    """Every training line of the six kinds, and their labels."""

    def __init__(self, data: Path, tokenizer: Tokenizer, device: str, limit: int | None) -> None:
        file = data / "lines.npz"  # to number the tokens takes longer than to load them
        if not file.exists():
            np.savez_compressed(file, **_numbered(data, tokenizer, limit))
        kept_ = np.load(file)
        self.lines = {
            name: Lines((kept_[f"{name}_flat"].astype(np.int32), kept_[f"{name}_sizes"].astype(np.int64)), device)
            for name in KINDS
        }
        self.label = {
            name: torch.from_numpy(kept_[name]).to(device)
            for name in kept_.files
            if not name.endswith(("_flat", "_sizes", "_asked"))
        }
        self.asked = {name: kept_[f"{name}_asked"] for name in KINDS}
        print({name: (len(x.lengths), sum(x.lengths)) for name, x in self.lines.items()}, flush=True)

    def tasks(self, budget: int, said: dict[str, torch.Tensor] | None, *, teacher: bool = False) -> list[Task]:
        """Losses by the labels, and by what the teacher said; a ``teacher`` itself learns from what it is asked."""
        label = self.label

        def told(name: str, by_label: torch.Tensor, group: torch.Tensor, near: Near) -> torch.Tensor:
            """What the label asks; less of it, and what the teacher said, where it was asked."""
            if said is None:
                return by_label
            heard = said[name][group]
            known = heard[:, 0].isfinite().float()
            return (1 - (1 - LABELLED) * known) * by_label + known * near(heard.nan_to_num())

        def pairs(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            y = label["hard"][group]
            three, labelled = out[:, :3], (y >= 0).float()
            each = F.cross_entropy(three, y.clamp(min=0), reduction="none", label_smoothing=0.02) * labelled
            also = F.binary_cross_entropy_with_logits(out[:, 3], (y == 0).float() * 0.98 + 0.01, reduction="none")
            each = told("pairs", each + 0.2 * also * labelled, group, partial(_near, out))
            return (each * label["worth"][group]).sum() / max(len(group), 1)

        def ground(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            y = label["y"][group]
            want, labelled = y.clamp(min=0), (y != UNKNOWN).float()
            each = F.binary_cross_entropy_with_logits(out[:, 3], want * 0.96 + 0.02, reduction="none")
            against = out[:, 0] - torch.logsumexp(out[:, 1:3], -1)
            each = each + 0.2 * F.binary_cross_entropy_with_logits(against, want * 0.9 + 0.05, reduction="none")
            each = told("ground", each * labelled, group, partial(_near, out))
            return (each * label["ground_worth"][group]).mean()

        def yes(name: str, at: int, out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            yes = label[f"{name}_yes"][group]
            want, labelled = yes.clamp(min=0) * 0.98 + 0.01, (yes != UNKNOWN).float()
            each = labelled * F.binary_cross_entropy_with_logits(out[:, at], want, reduction="none")
            each = told(name, each, group, partial(_near_yes, out[:, at], at))
            return (each * label[f"{name}_worth"][group]).mean()

        def acts(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            return 0.5 * yes("acts", 4, out, group)

        def guard(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            return yes("guard", 5, out, group)

        def danger(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            kinds = out[:, 6:ACTS_AT]
            each = F.cross_entropy(kinds, label["danger_kind"][group], reduction="none", label_smoothing=0.02)
            each = told("danger", each, group, partial(_near_kind, kinds))
            return 0.5 * (each * label["danger_worth"][group]).mean()

        def turns(out: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
            want, asked, mine = label["turns_does"][group], label["turns_role"][group], out[:, ACTS_AT:FAULT_AT]
            each = F.binary_cross_entropy_with_logits(mine, want * 0.96 + 0.02, reduction="none")
            each = (each * asked).sum(-1) / asked.sum(-1) * label["turns_known"][group]
            near = partial(_near_acts, mine, asked)
            return 0.5 * told("turns", each, group, near).mean()

        losses = (pairs, ground, acts, guard, danger, turns)
        shares = TEACHING if teacher else SHARES
        return [
            Task(lines, loss, int(budget * shares[name]), 4 + at, chosen, 1 if teacher else EVERY.get(name, 1))
            for at, (name, loss) in enumerate(zip(KINDS, losses, strict=True))
            for lines, chosen in [(self.lines[name], self._useful(name, said, teacher))]
        ]

    def _useful(self, name: str, said: dict[str, torch.Tensor] | None, teacher: bool) -> np.ndarray:
        """The lines with a label, or with what the teacher said; a teacher sees few of the composed pairs."""
        labels = {"pairs": "hard", "ground": "y", "acts": "acts_yes", "turns": "turns_known"}
        if name not in labels:
            return np.arange(len(self.lines[name].lengths))
        told = self.label[labels[name]].cpu().numpy()
        useful = told > 0 if name == "turns" else told >= 0
        if teacher and name == "pairs":
            useful &= self.asked[name] | (np.random.default_rng(3).random(len(told)) < COMPOSED)
        if said is not None:
            useful |= said[name][:, 0].isfinite().cpu().numpy()
        return np.flatnonzero(useful)


def _numbered(data: Path, tokenizer: Tokenizer, limit: int | None) -> dict[str, np.ndarray]:
    many = assemble(data, limit)
    lines = {"pairs": lines_of(tokenizer, many.pairs, 200)}
    asked = {"pairs": ~np.array(many.composed)}
    rows = _claims(data, limit)
    lines["ground"] = lines_of(tokenizer, [(a, b) for a, b, *_ in rows], 320)
    acts = _answers(data, limit)
    lines["acts"] = lines_of(tokenizer, [(a, b) for a, b, *_ in acts], 220, STARTS[3:])
    guard = _guarded(data, limit)
    lines["guard"] = alone_lines(tokenizer, [(r["ch"], r["text"]) for r in guard], 224)
    danger = _dangers(data, limit)
    lines["danger"] = alone_lines(tokenizer, [("user", r["text"]) for r in danger], 160)
    turns = _turns(limit)
    lines["turns"] = turn_lines(tokenizer, turns)
    asked["ground"] = np.array([r[4] for r in rows])
    dice = np.random.default_rng(12)
    for name in KINDS:
        which = asked.get(name, np.ones(len(lines[name]), bool))
        if which.sum() > ASKED[name]:
            which = which & (dice.random(len(which)) < ASKED[name] / which.sum())
        asked[name] = which
    flat = {name: flattened(lines[name]) for name in KINDS}
    return {
        **{f"{name}_flat": two[0].astype(np.uint16) for name, two in flat.items()},
        **{f"{name}_sizes": two[1].astype(np.uint16) for name, two in flat.items()},
        **{f"{name}_asked": each for name, each in asked.items()},
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
        "turns_does": np.stack([acts_of(r) for r in turns]),
        "turns_role": np.stack([role_of(r["role"]) for r in turns]),
        "turns_known": np.array([float("known" not in r) for r in turns], np.float32),
    }


def _claims(data: Path, limit: int | None) -> list[tuple[str, str, float, float, bool]]:
    """Evidence, claim, whether it is supported, what it is worth, and whether a teacher is asked."""
    ground = [r for r in read(data / "grounding.jsonl.gz", limit) if r["ok"] and r["src"] not in LEFT_SOURCES]
    rows = [(r["p"], r["h"], float(r["y"]), 1.0, True) for r in ground]
    rows += [(p, c, 1.0, 0.5, True) for r in ground if r["y"] for p, c in r["claims"]]
    left = {name.split("/")[0] for name in LEFT_SOURCES if "/" not in name}
    for row in read(data / "more.jsonl.gz", limit):
        if row["kind"] != "mix" and row["src"] not in left:
            rows.append((row["pair"][0], row["pair"][1], float(row["y"]), 0.4, False))
    dice = random.Random(15)
    from training.unjudged import unjudged_claims  # reads conversations; where lines are numbered already, none is

    rows += [(p, h, UNKNOWN, 0.7, True) for p, h in unjudged_claims(limit)]
    for row in split("answers")[0][:limit]:
        for whole in (row["sources"], dice.sample(row["sources"], len(row["sources"]))):
            told = clean(" ".join(whole))
            rows += [(told, clean(text), 1.0, 2.0, True) for text in row["right"]]
            rows += [(told, clean(each["answer"]), 0.0, 2.0, True) for each in row["wrong"]]
    return rows


def _guarded(data: Path, limit: int | None) -> list[dict[str, Any]]:
    """Attacks and harmless texts by channel: packed ones, and those written since."""
    packed = [r for r in read(data / "guard.jsonl.gz", limit) if r["part"] == "train" and r["src"] not in NEVER]
    left = {clean(r["text"]) for name in ("injection", "documents", "intent_safety") for r in kept(name)}
    found = [r for r in packed if clean(r["text"]) not in left]
    known = {clean(r["text"]) for r in packed}
    for name, channel in (("injection", "user"), ("documents", "document"), ("intent_safety", "user")):
        for row in split(name)[0][:limit]:
            text, label = clean(row["text"]), int(row["label"] in (1, True))
            if text not in known and text not in left:
                worth = (4.0 if channel == "document" else 2.0) if row.get("pair") is not None else 1.0
                found.append({"text": text, "label": label, "ch": channel, "w": worth})
    return found


def _dangers(data: Path, limit: int | None) -> list[dict[str, Any]]:
    """Messages with their danger or none: packed ones, and those written since."""
    packed = [r for r in read(data / "guard-intents.jsonl.gz", limit) if r["part"] == "train"]
    packed = [r for r in packed if r["src"] not in {f"general/{name}" for name in NEVER}]
    left = {clean(r["text"]) for name in ("injection", "intent_safety") for r in kept(name)}
    found = [r for r in packed if clean(r["text"]) not in left]
    known = {clean(r["text"]) for r in packed}
    for row in split("intent_safety")[0][:limit]:
        if (text := clean(row["text"])) not in known:
            found.append({"text": text, "label": row["label"], "w": 1.5})
    return found


def _answers(data: Path, limit: int | None) -> list[tuple[str, str, float, float]]:
    """Answers with and without a promise, a customer before two of three; what sources say promises nothing."""
    dice = random.Random(3)
    found = [
        (clean(r.get("customer", ""))[:600] if dice.random() < 0.67 else "", clean(r["answer"]), bool(r["acts"]), 1.0)
        for r in split("commitments")[0][:limit]
    ]
    told = sorted({r["h"] for r in read(data / "written-facts.jsonl.gz", limit)})
    asked = [r["text"] for r in read(data / "guard-intents.jsonl.gz", limit) if 20 < len(r["text"]) < 200]
    for text in dice.sample(told, min(len(told), len(found) // 2)):
        found.append((dice.choice(asked) if dice.random() < 0.67 else "", text, False, 0.5))
    for row in split("answers")[0][:limit]:  # ordinary answers: what is right promises nothing that is not so
        for text in row["right"]:
            found.append((clean(row["customer"]) if dice.random() < 0.67 else "", clean(text), False, 0.7))
    from training.unjudged import unjudged_answers

    told_ = [(a, b, float(y), w) for a, b, y, w in found]
    return told_ + [(a, b, UNKNOWN, 1.0) for a, b in unjudged_answers(limit)]


def _turns(limit: int | None) -> list[dict[str, Any]]:
    """Turns with their acts; and answers and what customers asked, whose acts only the teacher tells."""
    found = split("turns")[0][:limit]
    asked: dict[str, dict[str, Any]] = {}
    for row in [*split("commitments")[0], *split("answers")[0]][:limit]:
        customer = row.get("customer") or ""
        for text in row.get("right", [row.get("answer")])[:1]:
            asked.setdefault(text, {"role": "agent", "before": customer, "text": text})
        if customer:
            asked.setdefault(customer, {"role": "customer", "before": "", "text": customer})
    return found + [row | {"acts": (), "known": False} for row in asked.values()]


def turn_lines(tokenizer: Tokenizer, rows: Sequence[dict[str, Any]]) -> list[list[int]]:
    """A turn after the one before it; the beginning says whose it is."""
    found: list[list[int]] = [[]] * len(rows)
    for role, starts in TURNS.items():
        mine = [at for at, row in enumerate(rows) if row["role"] == role]
        pairs = [(clean(rows[at]["before"] or ""), clean(rows[at]["text"])) for at in mine]
        for at, line in zip(mine, lines_of(tokenizer, pairs, 200, starts), strict=True):
            found[at] = line
    return found


def acts_of(row: dict[str, Any]) -> np.ndarray:
    """1 for each act of the turn, in the order of the outputs."""
    does = [float(role == row["role"] and act in row["acts"]) for role, acts in ROLES.items() for act in acts]
    return np.array(does, np.float32)


def role_of(role: str) -> np.ndarray:
    """1 for each output that is asked of this role."""
    return np.array([float(name == role) for name, acts in ROLES.items() for _ in acts], np.float32)


def _near(out: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
    wish = (said[:, :3] / WARMTH).softmax(-1)
    three = -(wish * F.log_softmax(out[:, :3] / WARMTH, -1)).sum(-1)
    soft = (said[:, 3] / WARMTH).sigmoid()
    return three + 0.5 * F.binary_cross_entropy_with_logits(out[:, 3] / WARMTH, soft, reduction="none")


def _near_yes(mine: torch.Tensor, at: int, said: torch.Tensor) -> torch.Tensor:
    soft = (said[:, at] / WARMTH).sigmoid()
    return F.binary_cross_entropy_with_logits(mine / WARMTH, soft, reduction="none")


def _near_acts(mine: torch.Tensor, asked: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
    soft = (said[:, ACTS_AT:FAULT_AT] / WARMTH).sigmoid()
    each = F.binary_cross_entropy_with_logits(mine / WARMTH, soft, reduction="none")
    return (each * asked).sum(-1) / asked.sum(-1)


def _near_kind(mine: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
    wish = (said[:, 6:ACTS_AT] / WARMTH).softmax(-1)
    return -(wish * F.log_softmax(mine / WARMTH, -1)).sum(-1)
