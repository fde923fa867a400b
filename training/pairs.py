"""Pairs without labels of their own, for a teacher to judge: recombined sentences, and claims with one fact changed."""

from __future__ import annotations

import collections
import random
from typing import Any

from proctor.models.local.evidence import select_evidence, sentences
from training.corrupt import corrupted, names_in
from training.data import clean, rows, shippable

__all__ = ["changed_claims", "recombined"]


def recombined(pairs: list[dict[str, Any]], most: int, seed: int = 21) -> list[dict[str, Any]]:
    """Hypotheses of one premise against each other, hypotheses against their premise, and some strangers."""
    dice = random.Random(seed)
    by: dict[str, list[str]] = collections.defaultdict(list)
    for row in pairs:
        if row["lang"] == "en" and row["src"].startswith(("nli_mnli", "nli_snli", "nli_cad")):
            by[row["p"]].append(row["h"])
    found: list[tuple[str, str]] = []
    for premise, many in by.items():
        for i, one in enumerate(many):
            other = many[(i + 1) % len(many)]
            if one != other:
                found.append((one, other))
            if len(premise) < 200 and dice.random() < 0.35:
                found.append((one, premise))
    premises = list(by)
    for _ in range(most // 10):
        found.append((dice.choice(premises), dice.choice(by[dice.choice(premises)])))
    dice.shuffle(found)
    return [{"pair": list(pair), "src": "nli", "kind": "mix"} for pair in dict.fromkeys(found)][:most]


def changed_claims(most_a_source: int = 3500, seed: int = 22) -> list[dict[str, Any]]:
    """For passages that may ship: a supported claim (``y`` 1) and the same with one fact changed (``y`` 0)."""
    dice = random.Random(seed)
    by: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for row in rows("grounding/train"):
        if shippable(row):
            by[row["source"].split("/")[0]].append(row)
    names = [n for many in by.values() for r in dice.sample(many, min(300, len(many))) for n in names_in(r["context"])]
    found: list[dict[str, Any]] = []
    for source, many in by.items():
        dice.shuffle(many)
        count = 0
        for row in many:
            parts = [s for s in sentences(row["context"]) if 40 < len(s) < 260]
            claims = [(s, True) for s in dice.sample(parts, min(2, len(parts)))]
            if row["label"] and source != "halueval_qa":
                claims += [(s, False) for s in sentences(clean(row["response"]))[:3] if len(s) > 20]
            for claim, copied in claims:
                text = clean(claim)
                passage = row["context"]
                if copied and dice.random() < 0.5 and ", " in text:  # a shorter copy is still supported
                    text = text[: text.rindex(", ")].rstrip(".") + "."
                evidence = clean(select_evidence(passage, text, budget=600))
                new = corrupted(text, passage, names, dice)
                if new:
                    found.append({"pair": [evidence, new], "src": source, "kind": "changed", "y": 0})
                    found.append({"pair": [evidence, text], "src": source, "kind": "kept", "y": 1})
                    count += 1
                elif dice.random() < 0.3:
                    found.append({"pair": [evidence, text], "src": source, "kind": "kept", "y": 1})
            if count >= most_a_source:
                break
    return found
