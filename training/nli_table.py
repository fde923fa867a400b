"""The first vectors of entailment's own table: gte-small's where it has the word, else mapped from the shared table."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from training.network import quantised_rows

__all__ = ["first_table", "twins"]

MARKS = {"<s>": "[CLS]", "</s>": "[SEP]", "<pad>": "[PAD]", "<unk>": "[UNK]"}


def twins(tokenizer: Tokenizer, words: dict[str, int]) -> dict[int, int]:
    """Which of our pieces is which word or part of a word in a WordPiece vocabulary."""
    found = {}
    for piece, number in tokenizer.get_vocab().items():
        if piece in MARKS:
            twin = words.get(MARKS[piece])
        elif piece.startswith("▁"):
            twin = words.get(piece[1:])
        else:
            twin = words.get(piece) if not piece[:1].isalnum() else words.get("##" + piece)
        if twin is not None:
            found[number] = twin
    return found


def first_table(shared: np.ndarray, theirs: np.ndarray, same: dict[int, int]) -> tuple[np.ndarray, float]:
    """A vector for each piece, and how well the map fits on pieces it was not fitted on."""
    ours, other = (np.array(part) for part in zip(*sorted(same.items()), strict=True))
    dice = np.random.default_rng(1).random(len(ours)) < 0.9
    x = np.concatenate([shared, np.ones((len(shared), 1), np.float32)], 1)

    def fitted(rows: np.ndarray) -> np.ndarray:
        a, b = x[ours[rows]], theirs[other[rows]]
        return np.linalg.solve(a.T @ a + 0.5 * np.eye(a.shape[1]) * len(a) / 1000 * np.var(shared), a.T @ b)

    guess = x[ours[~dice]] @ fitted(dice)
    wanted = theirs[other[~dice]]
    fit = 1 - ((guess - wanted) ** 2).sum() / ((wanted - wanted.mean(0)) ** 2).sum()
    found = x @ fitted(np.ones(len(ours), bool))
    # what a map shrinks is stretched to the length that words have
    usual = np.median(np.linalg.norm(theirs, axis=1)) / np.median(np.linalg.norm(found, axis=1))
    found = found * min(usual, 1.3)
    found[ours] = theirs[other]
    return found.astype(np.float32), float(fit)


def main() -> None:
    """Write ``nli_table.npz`` (int8 rows and scales)."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("weights", type=Path, help="folder with table.npy, scales.npy and tokenizer.json")
    ask.add_argument("words", type=Path, help="gte-small's word vectors (.npy)")
    ask.add_argument("vocabulary", type=Path, help="gte-small's vocab.txt")
    ask.add_argument("out", type=Path)
    told = ask.parse_args()
    shared = np.load(told.weights / "table.npy").astype(np.float32) * np.load(told.weights / "scales.npy")
    words = {w: i for i, w in enumerate(told.vocabulary.read_text(encoding="utf-8").rstrip("\n").split("\n"))}
    same = twins(Tokenizer.from_file(str(told.weights / "tokenizer.json")), words)
    table, fit = first_table(shared, np.load(told.words).astype(np.float32), same)
    whole, scale = quantised_rows(table)
    np.savez_compressed(told.out, q=whole, s=scale)
    print("pieces with a twin", len(same), "of", len(table), f"fit of the map {fit:.3f}")


if __name__ == "__main__":
    main()
