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

from training.data import read, rows, written

__all__ = ["manifest", "platt", "threshold"]

SUPPORT = ("banking77", "bitext", "clinc150", "cucom_ecom", "dstc11", "xsid", "turkish_dlg")
# what may be flagged at each level of ordinary messages outside English, of which there are few and a third are hard
SPOKEN = {"1%": 0.04, "0.5%": 0.03, "0.1%": 0.015}
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


def tempered(logits: np.ndarray, labels: np.ndarray) -> float:
    """The temperature that makes softmax(logits / temperature) a probability.

    Biases would fit one set's share of labels and cost another's: Japanese lost four points to English's one.
    """

    def loss(warmth: float) -> float:
        x = logits / warmth
        x = x - x.max(1, keepdims=True)
        return float(np.mean(np.log(np.exp(x).sum(1)) - x[np.arange(len(labels)), labels]))

    return min(np.arange(0.5, 4.0, 0.02).tolist(), key=loss)


def entailment(folder: Path, each: int = 300) -> float:
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


def ordinary() -> list[str]:
    """Ordinary messages outside English: every second of the held-out ones; the others measure what came of it."""
    found = [
        r for r in written("injection", "heldout") if not r["label"] and r["cat"] == "support" and r["lang"] != "en"
    ]
    return [r["text"] for r in found if r["id"] % 2]


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


def injection(folder: Path, held: list[dict[str, Any]]) -> dict[str, Any]:
    """Slope, offset and thresholds of the cascade, from the held-out part of the training sources."""
    from proctor.models.local.injection import InjectionClassifier

    found = InjectionClassifier(folder=folder)
    readings = [r for i in range(0, len(held), 256) for r in found.readings([x["text"] for x in held[i : i + 256]])]
    logits = np.array([r.logit for r in readings])
    labels = np.array([r["label"] for r in held], float)
    sources = np.array([r["src"] for r in held])
    support = np.isin(sources, SUPPORT) & (labels == 0)
    slope, offset = platt(logits, labels, np.where(labels == 1, 0.2, 1.0))  # attacks are rarer than in the data
    spoken = np.array([r.logit for r in found.readings(ordinary())])
    cuts = {}
    for name, rate in (("1%", 0.01), ("0.5%", 0.005), ("0.1%", 0.001)):
        # traffic that nobody has seen resembles the most awkward source more than the mean of all
        each = [logits[support & (sources == s)] for s in SUPPORT]
        cut = max(threshold(many, rate) for many in [logits[support], *each] if len(many) >= 2 / rate)
        # documents, code and prompts are read as well: of those no more than fourteen times that share
        cut = max(cut, threshold(logits[(labels == 0) & ~support], 14 * rate))
        cut = max(cut, threshold(spoken, SPOKEN[name]))
        cuts[name] = float(1 / (1 + np.exp(-(slope * cut + offset))))
        print(
            "injection",
            name,
            f"cut {cut:.2f}",
            f"support {(logits[support] > cut).mean():.4f}",
            f"other benign {(logits[(labels == 0) & ~support] > cut).mean():.4f}",
            f"attacks {(logits[labels == 1] > cut).mean():.4f}",
            f"read by the transformer {np.mean([r.read for r, s in zip(readings, support, strict=True) if s]):.3f}",
        )
    return {"slope": slope, "offset": offset, "thresholds": cuts}


def support(readings: Path, grounding: list[dict[str, Any]]) -> dict[str, float]:
    """Slope and offset of "supported", from networks that had not seen the source they read."""
    logits, labels, weights = [], [], []
    for file in sorted(readings.glob("grounding-*.npz")):
        if file.stem == "grounding-none":
            continue
        kept = np.load(file)
        least: dict[int, float] = {}
        for owner, claim in zip(kept["owner"].astype(int), kept["claims"], strict=True) if "owner" in kept else ():
            least[owner] = min(least.get(owner, np.inf), float(claim[3]))
        rows_of = kept["rows"].astype(int).tolist()
        wanted = np.array([grounding[i]["y"] for i in rows_of], float)
        logits += [(float(w[3]) + least.get(i, float(w[3]))) / 2 for i, w in zip(rows_of, kept["whole"], strict=True)]
        labels += wanted.tolist()
        weights += np.where(wanted == 1, 1 / max(1, wanted.sum()), 1 / max(1, (1 - wanted).sum())).tolist()
    slope, offset = platt(np.array(logits), np.array(labels), np.array(weights) * len(labels))
    return {"slope": slope, "offset": offset}


def intents(folder: Path, held: list[dict[str, Any]], seen: set[str]) -> dict[str, Any]:
    """Thresholds of the dangerous intents, on support messages that were not trained on."""
    from proctor.models.local.intents import LocalIntents

    model = LocalIntents(folder=folder)
    texts = [r["text"] for r in held if r["src"] in SUPPORT and not r["label"] and r["text"] not in seen]
    shares = [s for i in range(0, len(texts), 256) for s in model.readings(texts[i : i + 256])]
    risk = np.array([1 - s["none"] for s in shares])
    spoken = np.array([1 - s["none"] for s in model.readings(ordinary())])
    return {
        "temperature": 1.0,
        "thresholds": {
            name: max(threshold(risk, rate), threshold(spoken, share))
            for name, rate, share in (("1%", 0.01, 0.12), ("0.5%", 0.005, 0.08), ("0.1%", 0.001, 0.03))
        },
    }


def main() -> None:
    """Read the held-out part of the training data, never the test, and write one part of the manifest.

    One part a process: a process reads the manifest once.
    """
    ask = argparse.ArgumentParser()
    ask.add_argument("part", choices=["injection", "nli", "support", "reader"])
    ask.add_argument("data", type=Path, help="packed data")
    ask.add_argument("weights", type=Path)
    ask.add_argument("--readings", type=Path, help="folder of the grounding-*.npz that training left")
    ask.add_argument("--low", type=float, default=-7.0, help="what the first stage finds below this is not read")
    told = ask.parse_args()
    file = told.weights / "manifest.json"
    plain: dict[str, Any] = {
        "injection": {"low": told.low, "slope": 1.0, "offset": 0.0, "thresholds": {}},
        "nli": {"temperature": 1.0, "bias": [0.0, 0.0, 0.0], "support": {"slope": 1.0, "offset": 0.0}},
        "reader": {"temperature": 1.0, "thresholds": {}},
    }
    base = plain | (json.loads(file.read_text(encoding="utf-8"))["settings"] if file.exists() else {})
    part = told.part
    if part != "support":
        kept = {"nli": "support", "reader": "low"}.get(part, "")  # what another step of the recipe has set
        base[part] = plain[part] | ({kept: base[part][kept]} if kept in base[part] else {})
    manifest(told.weights, base)  # the raw outputs are what is calibrated
    held = [r for r in read(told.data / "injection.jsonl.gz") if r["part"] == "dev"]
    if part == "injection":
        base[part] |= injection(told.weights, held)
    elif part == "nli":
        base[part] |= {"temperature": entailment(told.weights)}
    elif part == "support":
        base["nli"]["support"] = support(told.readings, read(told.data / "grounding.jsonl.gz"))
    else:
        base[part] |= intents(told.weights, held, {r["text"] for r in read(told.data / "intents.jsonl.gz")})
    manifest(told.weights, base)
    print(part, json.dumps(base[part if part != "support" else "nli"]), flush=True)


if __name__ == "__main__":
    main()
