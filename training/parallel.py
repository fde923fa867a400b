"""Sentences beside their English, from tab-separated files: one file a language, English first.

The files that were used are Tatoeba's sentence pairs (CC-BY 2.0 FR). A network that judges the English pair teaches the
same judgement of the pair in another language, and of mixed pairs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from training.data import clean

__all__ = ["neighbours", "sentences"]

NEAR = 6  # lines: sentences that stand near each other begin alike
SHORTEST = 14  # characters of the English


def sentences(folder: Path, most: int) -> Iterator[dict[str, str]]:
    """The sentences of each file in its order, the longer ones when there are too many."""
    for file in sorted(folder.glob("*.txt")):
        found: dict[str, str] = {}
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            parts = line.split("\t")
            if len(parts) >= 2 and len(parts[0]) >= SHORTEST:
                found.setdefault(clean(parts[0]), clean(parts[1]))
        for english, text in list(found.items())[-most:]:
            yield {"lang": file.stem, "en": english, "text": text}


def neighbours(
    rows: Sequence[dict[str, Any]], seed: int = 17
) -> Iterator[tuple[tuple[str, str], tuple[str, str] | None]]:
    """Pairs to judge, and the English pair that is judged in their place (None: the second translates the first)."""
    dice = random.Random(seed)
    for at, row in enumerate(rows):
        near = rows[max(0, min(len(rows) - 1, at + dice.choice((-1, 1)) * dice.randint(1, NEAR)))]
        other = near if dice.random() < 0.7 else dice.choice(rows)
        if other["lang"] == row["lang"] and other["en"] != row["en"]:
            english = row["en"], other["en"]
            kind = dice.random()
            first = row["text"] if kind < 0.75 else row["en"]
            second = other["text"] if kind < 0.5 or kind >= 0.75 else other["en"]
            yield (first, second), english
        if dice.random() < 0.3:
            yield ((row["text"], row["en"]) if dice.random() < 0.5 else (row["en"], row["text"])), None


def main() -> None:
    """Write ``parallel.jsonl.gz``."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("folder", type=Path)
    ask.add_argument("out", type=Path)
    ask.add_argument("--most", type=int, default=30000, help="sentences of one language")
    told = ask.parse_args()
    count = 0
    with gzip.open(told.out, "wt", encoding="utf-8") as out:
        for row in sentences(told.folder, told.most):
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
    print("sentences", count)


if __name__ == "__main__":
    main()
