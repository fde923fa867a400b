"""Trains the second opinions beside ``injection`` and ``reader``: hashed n-grams, and how they are combined.

``train`` writes ``second_opinion.npz`` of a weights folder, ``read`` keeps what network and linear model say about
messages that neither was trained on (``unseen_messages.py``), ``combine`` fits the numbers of the manifest on them. A
CPU is enough for all of it.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proctor.models.local.ngrams import BITS, features
from proctor.models.local.second_opinion import MAX_LOGIT, SIZE, SecondOpinion, piece_features
from proctor.models.local.tokenizer import open_pieces
from proctor.models.local.weights import open_weights
from training.calibrate import manifest
from training.data import clean, rows, shippable, written
from training.guards import general, triggers
from training.pack import commands, statements
from training.splits import once, without_leakage
from training.unseen_messages import NEW_INTENTS, dangers, messages

__all__ = ["combine", "danger_rows", "in_network_units", "injection_rows", "source_weights", "train"]

EACH = 2500  # rows of one public source and label
ALPHA = 2e-6
PASSES = 6
ATTACKS = 0.2  # share of attacks, or of dangers, that a probability assumes
PLAIN = {"network": 1.0, "ngrams": 0.0, "offset": 0.0}

Row = dict[str, Any]
Array = np.ndarray[Any, Any]


def _written_intents(*, new: bool) -> Iterator[Row]:
    for file in sorted((Path(__file__).parent / "written" / "intent_safety").glob("train.*.jsonl")):
        if new or not any(name in file.name for name in NEW_INTENTS):
            yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def injection_rows(seed: int = 5) -> list[Row]:
    """Attacks and harmless texts of both channels, without those that the combination is fitted on."""
    dice = random.Random(seed)
    public = once((r for r in rows("injection/train") if shippable(r) and r["text"].strip()), lambda r: str(r["text"]))
    public = without_leakage(public, [*rows("injection/test"), *messages()], lambda r: str(r["text"]))
    found = [
        {"text": clean(r["text"][:2000])[:900], "label": r["label"], "src": r["src"]}
        for r in public
        # many of these only ask about leaks, or set a scene
        if r.get("cat") not in ("Prompt_Leaking", "Role_Play_Instruction") or dice.random() < 0.3
    ]
    found += [*general(), *triggers(6000)]
    by: dict[tuple[str, int], list[Row]] = collections.defaultdict(list)
    for row in found:
        by[row["src"], row["label"]].append(row)
    kept = [row for _, many in sorted(by.items()) for row in dice.sample(many, min(EACH, len(many)))]
    kept += [{"text": clean(r["text"]), "label": r["label"], "src": "written"} for r in written("injection")]
    kept += [{"text": clean(r["text"]), "label": 0, "src": "written_intent"} for r in _written_intents(new=False)]
    kept += [{"text": text, "label": 0, "src": "statement"} for _, text in statements()]
    kept += [{"text": text, "label": 0, "src": "hwu64"} for text in commands()]
    dice.shuffle(kept)
    sizes = collections.Counter((r["src"], r["label"]) for r in kept)
    return [r | {"w": sizes[r["src"], r["label"]] ** -0.5} for r in kept]


def danger_rows(injection: Sequence[Row], seed: int = 4) -> list[Row]:
    """Written messages with a danger or none, and harmless texts of the rows of ``injection_rows``."""
    dice = random.Random(seed)
    kept = [
        {"text": clean(r["text"]), "label": int(r["label"] != "none"), "w": 1.0} for r in _written_intents(new=True)
    ]
    plain = [r for r in injection if not r["label"] and r["src"] != "written_intent" and len(r["text"]) < 500]
    kept += [{"text": r["text"], "label": 0, "w": 0.3} for r in dice.sample(plain, min(12_000, len(plain)))]
    dice.shuffle(kept)
    return kept


def _matrix(texts: Sequence[str], folder: Path) -> Any:
    from scipy.sparse import csr_matrix

    pieces = open_pieces(open_weights(folder))
    places, values, ends = [], [], [0]
    for at in range(0, len(texts), 512):
        some = list(texts[at : at + 512])
        for text, ids in zip(some, pieces.numbers(some), strict=True):
            letters, tokens = features(text), piece_features(ids)
            places += [letters, tokens + 2**BITS]
            values += [np.full(len(each), max(1, len(each)) ** -0.5, np.float32) for each in (letters, tokens)]
            ends.append(ends[-1] + len(letters) + len(tokens))
    return csr_matrix((np.concatenate(values), np.concatenate(places), ends), shape=(len(texts), SIZE))


def train(found: Sequence[Row], folder: Path, seed: int = 9) -> tuple[Array, float, float]:
    """Return the weights of a linear model as int8, their scale and the bias."""
    from sklearn.linear_model import SGDClassifier

    labels, weights = np.array([r["label"] for r in found]), np.array([r["w"] for r in found])
    weights[labels == 1] *= weights[labels == 0].sum() / weights[labels == 1].sum()  # both labels weigh alike
    model = SGDClassifier(loss="log_loss", alpha=ALPHA, max_iter=PASSES, tol=None, average=True, random_state=seed)
    model.fit(_matrix([r["text"] for r in found], folder), labels, sample_weight=weights / weights.mean())
    flat = model.coef_[0]
    scale = float(min(np.abs(flat).max(), np.quantile(np.abs(flat), 0.9999) * 1.5) / 127)
    return np.clip(np.round(flat / scale), -127, 127).astype(np.int8), scale, float(model.intercept_[0])


def _opinions(name: str, folder: Path, texts: Sequence[str]) -> Array:
    """Return the logits of the linear model alone."""
    with np.load(folder / "second_opinion.npz", allow_pickle=False) as kept:
        weights, scale, bias = kept[f"{name}_weights"], float(kept[f"{name}_scale"]), float(kept[f"{name}_bias"])
    model = SecondOpinion(weights, scale=scale, bias=bias, combination=PLAIN)
    pieces = open_pieces(open_weights(folder))
    return np.array([model.logit(text, pieces.numbers([text])[0]) for text in texts])


def network_logits(name: str, folder: Path, texts: Sequence[str]) -> tuple[Array, Array]:
    """Return the logits of the network alone, and whether each text was read; the manifest must have no combination."""
    if name == "injection":
        from proctor.models.local.injection import InjectionClassifier

        found = [r for text in texts for r in InjectionClassifier(folder=folder).readings([text])]
        return np.array([r.logit for r in found]), np.array([r.read for r in found])
    from proctor.models.local.reader import LocalReader

    read = [r for text in texts for r in LocalReader(folder=folder).readings([text])]
    risk = np.clip([1 - r.shares[0] for r in read], 1e-6, 1 - 1e-6)
    return np.log(risk / (1 - risk)), np.array([r.read for r in read])


def source_weights(found: Sequence[Row]) -> Array:
    """Return weights by which a source counts as the root of its size, and label 1 is ``ATTACKS`` of all."""
    sizes = collections.Counter((r["src"], r["kind"], r["label"]) for r in found)
    weights = np.array([sizes[r["src"], r["kind"], r["label"]] ** -0.5 for r in found])
    labels = np.array([r["label"] for r in found])
    for label, share in ((1, ATTACKS), (0, 1 - ATTACKS)):
        weights[labels == label] *= share / weights[labels == label].sum()
    return weights * len(found)


def combine(logits: Array, opinions: Array, labels: Array, weights: Array) -> dict[str, float]:
    """Return the numbers that make the sigmoid of the weighted sum a probability."""
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1.0).fit(np.stack([logits, opinions], 1), labels, sample_weight=weights)
    network, ngrams = (float(x) for x in fitted.coef_[0])
    return {"network": network, "ngrams": ngrams, "offset": float(fitted.intercept_[0])}


def in_network_units(found: dict[str, float], slope: float, offset: float) -> dict[str, float]:
    """Return the numbers for a logit that the manifest's slope and offset turn into the same probability."""
    shifted = found | {"offset": found["offset"] - offset}
    return {key: round(value / slope, 5) for key, value in shifted.items()}


def _unseen(name: str) -> list[Row]:
    return list(messages() if name == "injection" else dangers())


def _train(folder: Path) -> None:
    injection = injection_rows()
    kept: dict[str, Any] = {}
    for name, found in (("injection", injection), ("reader", danger_rows(injection))):
        weights, scale, bias = train(found, folder)
        kept |= {f"{name}_weights": weights, f"{name}_scale": scale, f"{name}_bias": bias}
        print(name, len(found), "rows,", sum(r["label"] for r in found), "of label 1", flush=True)
    np.savez_compressed(folder / "second_opinion.npz", **kept)


def _read(name: str, folder: Path, out: Path) -> None:
    """Keep what the network and the linear model say about the unseen messages."""
    found = _unseen(name)
    texts = [r["text"] for r in found]
    logits, is_read = network_logits(name, folder, texts)
    np.savez(out, logits=logits, is_read=is_read, opinions=_opinions(name, folder, texts))


def _combine(name: str, folder: Path, readings: Path) -> None:
    found, kept = _unseen(name), np.load(readings)
    used = np.array([r["fit"] for r in found]) & kept["is_read"]
    labels, opinions = np.array([r["label"] for r in found]), np.clip(kept["opinions"], -MAX_LOGIT, MAX_LOGIT)
    numbers = combine(kept["logits"][used], opinions[used], labels[used], source_weights(found)[used])
    settings = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["settings"]
    slope, offset = (float(settings[name].get(key, plain)) for key, plain in (("slope", 1.0), ("offset", 0.0)))
    settings[name]["second_opinion"] = in_network_units(numbers, slope, offset)
    manifest(folder, settings)
    print(name, json.dumps(numbers), json.dumps(settings[name]["second_opinion"]))


def main() -> None:
    """Train, read and combine; a process does one of them."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("step", choices=["train", "read", "combine"])
    ask.add_argument("weights", type=Path, help="weights folder")
    ask.add_argument("--name", choices=["injection", "reader"], default="injection")
    ask.add_argument("--readings", type=Path, help="file that read writes and combine reads")
    told = ask.parse_args()
    if told.step == "train":
        _train(told.weights)
    elif told.step == "read":
        _read(told.name, told.weights, told.readings)
    else:
        _combine(told.name, told.weights, told.readings)


if __name__ == "__main__":
    main()
