"""Sets what the manifest says beside the weights: thresholds, calibration, the first stage's cut, and the hashes."""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from training.data import rows
from training.teacher import read

__all__ = ["manifest", "platt", "threshold"]

SUPPORT = ("banking77", "bitext", "clinc150", "cucom_ecom", "dstc11", "xsid", "turkish_dlg")
FILES = (".npy", ".npz", ".onnx")


def platt(logits: np.ndarray, labels: np.ndarray, weights: np.ndarray, steps: int = 200) -> tuple[float, float]:
    """Slope and offset that make sigmoid(slope * logit + offset) a probability (Newton steps)."""
    x = np.stack([logits, np.ones_like(logits)], 1)
    wanted = labels * 0.998 + 0.001

    def loss(at: np.ndarray) -> float:
        z = x @ at
        return float((weights * (np.logaddexp(0, z) - wanted * z)).sum())

    found = np.array([1.0, 0.0])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x @ found, -40, 40)))
        slope = x.T @ (weights * (p - wanted))
        bend = (x * (weights * p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        move = np.linalg.solve(bend, slope)
        while loss(found - move) > loss(found) and np.abs(move).max() > 1e-9:
            move = move / 2  # a whole Newton step can leap over the valley
        found = found - move
        if np.abs(move).max() <= 1e-9:
            break
    return float(found[0]), float(found[1])


def threshold(benign: np.ndarray, rate: float) -> float:
    """The smallest score that flags at most ``rate`` of the benign."""
    return float(np.sort(benign)[int(np.ceil(len(benign) * (1 - rate))) - 1])


def tempered(logits: np.ndarray, labels: np.ndarray, steps: int = 3000) -> tuple[float, list[float]]:
    """Temperature and three biases that make softmax((logits + bias) / temperature) a probability."""
    scale, bias = 1.0, np.zeros(3)
    wanted = np.eye(3)[labels]
    for _ in range(steps):
        x = (logits + bias) * scale
        p = np.exp(x - x.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        wrong = (p - wanted) / len(labels)
        bias = bias - 0.5 * wrong.sum(0)
        scale -= 0.05 * float((wrong * (logits + bias)).sum())
    return 1 / scale, [float(b) for b in bias - bias.mean()]


def entailment(folder: Path, each: int = 300) -> tuple[float, list[float]]:
    """Calibrates the entailment model on ``nli/dev``, which was not trained on, languages alike."""
    from proctor.models.local.nli import LocalEntailer

    by: dict[tuple[str, str], list[dict[str, Any]]] = collections.defaultdict(list)
    for row in rows("nli/dev"):
        if row["lang"] in ("en", "ja", "zh", "es", "de", "fr", "ar", "hi", "id", "pt", "fa"):
            by[row["source"], row["lang"]].append(row)
    some = [
        r
        for many in by.values()
        for r in random.Random(4).sample(many, min(each * (2 if many[0]["lang"] == "en" else 1), len(many)))
    ]
    model = LocalEntailer(folder=folder)
    shares = np.array(
        [
            x
            for i in range(0, len(some), 64)
            for x in model.readings([(r["premise"], r["hypothesis"]) for r in some[i : i + 64]])
        ]
    )
    names = ("entailment", "neutral", "contradiction")
    return tempered(np.log(np.maximum(shares, 1e-7)), np.array([names.index(r["label"]) for r in some]))


def manifest(folder: Path, settings: dict[str, Any]) -> None:
    """Write the manifest of a weights folder."""
    files = {
        p.name: hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.iterdir())
        if p.suffix in FILES or p.name == "tokenizer.json"
    }
    (folder / "manifest.json").write_text(
        json.dumps({"files": files, "settings": settings}, indent=1) + "\n", encoding="utf-8"
    )


def main() -> None:
    """Read the held-out part of the training data, never the test, and write the manifest."""
    ask = argparse.ArgumentParser()
    ask.add_argument("data", type=Path, help="packed data")
    ask.add_argument("weights", type=Path)
    ask.add_argument("--low", type=float, default=-9.0)
    told = ask.parse_args()
    from proctor.models.local.injection import InjectionClassifier

    base: dict[str, Any] = {
        "injection": {"low": told.low, "slope": 1.0, "offset": 0.0, "thresholds": {}},
        "nli": {"temperature": 1.0, "bias": [0.0, 0.0, 0.0]},
    }
    manifest(told.weights, base)
    held = [r for r in read(told.data / "injection.jsonl.gz") if r["part"] == "dev"]
    found = InjectionClassifier(folder=told.weights)
    readings = [r for i in range(0, len(held), 256) for r in found.readings([x["text"] for x in held[i : i + 256]])]
    logits = np.array([r.logit for r in readings])
    labels = np.array([r["label"] for r in held], float)
    support = np.array([r["src"] in SUPPORT for r in held]) & (labels == 0)
    slope, offset = platt(logits, labels, np.where(labels == 1, 0.2, 1.0))  # attacks are rarer than in the data

    def probability(logit: float) -> float:
        return float(1 / (1 + np.exp(-(slope * logit + offset))))

    cuts = {name: probability(threshold(logits[support], rate)) for name, rate in (("1%", 0.01), ("0.1%", 0.001))}
    base["injection"] |= {"slope": slope, "offset": offset, "thresholds": cuts}
    temperature, bias = entailment(told.weights)
    base["nli"] = {"temperature": temperature, "bias": bias}
    manifest(told.weights, base)
    print(
        json.dumps(base),
        "support",
        int(support.sum()),
        "read by the transformer",
        float(np.mean([r.read for r in np.array(readings)[support]])),
    )
    for rate in (0.01, 0.001):
        cut = threshold(logits[support], rate)
        print(
            rate,
            "cut",
            cut,
            "attacks",
            float((logits[labels == 1] > cut).mean()),
            "other benign",
            float((logits[(labels == 0) & ~support] > cut).mean()),
        )


if __name__ == "__main__":
    main()
