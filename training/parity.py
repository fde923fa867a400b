"""Compares int8 and float networks on real inputs, and counts what decoding adds on harmless traffic."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np

from proctor.models.local.injection import InjectionClassifier
from proctor.models.local.tokenizer import END, START, Line, Pieces, open_pieces
from proctor.models.local.weights import open_weights
from training.data import rows
from training.export import agreement

__all__ = ["batches", "decoded_false_alarms"]

DECIDES = {"nli": 3, "injection": 1}  # how many of the outputs decide: the others only describe


def batches(pieces: Pieces, name: str, count: int) -> list[dict[str, np.ndarray]]:
    """Real lines for one network, sixteen at a time, alike in length."""
    dice = random.Random(6)
    if name == "nli":
        pairs = dice.sample([(r["premise"], r["hypothesis"]) for r in rows("nli/dev")], count)
        first = pieces.numbers([a for a, _ in pairs])
        second = pieces.numbers([b for _, b in pairs])
        lines = [
            Line((START, *a[:150], END, *b[:60], END), min(len(a), 150) + 2) for a, b in zip(first, second, strict=True)
        ]
    else:
        texts = dice.sample([r["text"] for r in rows("injection/test")], count)
        lines = [Line((START, *n[:150], END)) for n in pieces.numbers(texts)]
    lines.sort(key=lambda line: len(line.ids))
    return [pieces.feed(lines[i : i + 16]) for i in range(0, count, 16)]


def decoded_false_alarms(count: int) -> dict[str, int]:
    """Harmless messages in which something seems hidden, and those flagged for it."""
    model = InjectionClassifier()
    texts = [r["text"] for name in ("test", "train") for r in rows(f"injection/{name}") if not r["label"]]
    texts = random.Random(7).sample(texts, min(count, len(texts)))
    hidden = flagged = 0
    cut = model.threshold("0.1%")
    settings = open_weights().settings["injection"]
    for i in range(0, len(texts), 256):
        for reading in model.readings(texts[i : i + 256]):
            if reading.hidden:
                hidden += 1
                flagged += 1 / (1 + np.exp(-(settings["slope"] * reading.logit + settings["offset"]))) > cut
    return {"texts": len(texts), "decided by a decoded view": hidden, "flagged for it": int(flagged)}


def main() -> None:
    """Print the agreement of each network and the false alarms of decoding."""
    ask = argparse.ArgumentParser()
    ask.add_argument("floats", type=Path, help="folder of the .float.onnx files")
    ask.add_argument("--count", type=int, default=1000)
    ask.add_argument("--benign", type=int, default=30000)
    told = ask.parse_args()
    weights = open_weights()
    pieces = open_pieces(weights)
    for name in ("injection", "nli", "embed", "reader"):
        inputs = batches(pieces, name, told.count)
        seen = agreement(told.floats / f"{name}.float.onnx", weights.path(f"{name}.onnx"), inputs, DECIDES.get(name))
        print(name, seen, flush=True)
    print(decoded_false_alarms(told.benign), flush=True)


if __name__ == "__main__":
    main()
