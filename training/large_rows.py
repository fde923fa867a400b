"""Writes the lines of conversations that the large network learns from, and those that it is measured on."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from training.aside import kept
from training.talk_swaps import swapped_talks
from training.talks import BLIND, LEFT_SETS, answer_talks, talk_arrays, talks_of, training_talks, written_answers

__all__ = ["main"]


def main() -> None:
    """Write ``talks.npz`` (conversations), ``singles.npz`` (answers), and what is measured of both."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("tokenizer", type=Path)
    ask.add_argument("data", type=Path, help="packed rows; the files are written there")
    told = ask.parse_args()
    tokenizer = Tokenizer.from_file(str(told.tokenizer))
    held = [row for name in LEFT_SETS for row in talks_of(BLIND / name)]
    sets = {
        "talks": list(training_talks()),
        "swaps": list(swapped_talks(training_talks())),
        "singles": list(answer_talks(told.data)),
        "talks-held": held,
        "singles-held": list(written_answers(kept("answers"))),
    }
    for name, rows in sets.items():
        found = talk_arrays(rows, lambda text: tokenizer.encode(text).ids)
        np.savez_compressed(told.data / f"{name}.npz", **found)
        print(name, len(rows), "conversations,", int(found["talks_sizes"].sum()), "tokens")


if __name__ == "__main__":
    main()
