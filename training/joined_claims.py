"""Pairs of several written sources and one or two claims of them: most answers say more than one thing.

Run ``python -m training.joined_claims WORK/d`` after ``training.retune --pack``; it writes that file again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from training.data import read

__all__ = ["joined"]

_ENDS = ".!?。！？।"
_UNSPACED = ("ja", "zh")


def joined(rows: Sequence[dict[str, Any]], seed: int = 8) -> Iterator[dict[str, Any]]:
    """Two or three sources of one language, and claims of them: all follow, or exactly one does not."""
    dice = random.Random(seed)
    by: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in rows:
        by.setdefault(row["lang"], {}).setdefault(row["p"], []).append(row)
    for language, sources in by.items():
        names, space = list(sources), "" if language in _UNSPACED else " "
        if len(names) < 3:
            continue
        for _ in range(int(len(names) * 2.5)):
            shown = dice.sample(names, dice.choice([2, 2, 3]))
            wanted = dice.choice(["entailment", "entailment", "contradiction", "neutral"])
            chosen = _claims([sources[name] for name in dice.sample(shown, dice.choice([1, 2, 2]))], wanted, dice)
            if chosen:
                yield {
                    "p": space.join(_closed(name, language) for name in shown),
                    "h": space.join(_closed(row["h"], language) for row in chosen),
                    "y": wanted,
                    "lang": language,
                    "kind": "joined",
                }


def _claims(
    sources: Sequence[Sequence[dict[str, Any]]], wanted: str, dice: random.Random
) -> list[dict[str, Any]] | None:
    found = []
    for at, rows in enumerate(sources):
        fitting = [row for row in rows if row["y"] == (wanted if at == 0 else "entailment")]
        if not fitting:
            return None
        found.append(dice.choice(fitting))
    dice.shuffle(found)
    return found


def _closed(text: str, language: str) -> str:
    text = text.strip()
    return text if text[-1:] in _ENDS else text + ("。" if language in _UNSPACED else ".")


def main() -> None:
    """Write the file again with the joined rows in it."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("data", type=Path)
    file = ask.parse_args().data / "written-facts.jsonl.gz"
    rows = [row for row in read(file) if row["kind"] != "joined"]
    more = list(joined(rows))
    with gzip.open(file, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in [*rows, *more])
    print(file.name, len(rows), "and joined", len(more))


if __name__ == "__main__":
    main()
