"""Writes the card of each model beside its weights: base, data by source, recipe, limits and hash."""

from __future__ import annotations

import argparse
import collections
import json
from collections.abc import Mapping
from pathlib import Path

from training.data import read

__all__ = ["card"]

SETS = {"injection": ["guard"], "nli": ["nli", "grounding"], "embed": [], "reader": ["intents"]}


def card(name: str, digest: str, counts: Mapping[str, int]) -> str:
    """The card as Markdown: the prose of ``wording/card.<name>.md`` with the hash and the rows by source."""
    wording = Path(__file__).parent / "wording"
    prose = (wording / f"card.{name}.md").read_text(encoding="utf-8")
    for part in ("base", "recipe"):
        prose = prose.replace("{" + part + "}", (wording / f"card.{part}.txt").read_text(encoding="utf-8").strip())
    table = ["| source | rows |", "|---|---|", *(f"| {source} | {n:,} |" for source, n in sorted(counts.items()))]
    return prose.replace("{digest}", digest).replace("{data}", "\n".join(table))


def main() -> None:
    """Write the card of each network."""
    ask = argparse.ArgumentParser()
    ask.add_argument("data", type=Path, help="packed data")
    ask.add_argument("weights", type=Path)
    told = ask.parse_args()
    files = json.loads((told.weights / "manifest.json").read_text(encoding="utf-8"))["files"]
    for name, sets in SETS.items():
        counts: collections.Counter[str] = collections.Counter()
        for kind in sets:
            found = read(told.data / f"{kind}.jsonl.gz")
            counts.update(r["src"] for r in found if r.get("ok", True) and r.get("part", "train") == "train")
        (told.weights / f"{name}.md").write_text(card(name, files[f"{name}.onnx"], counts), encoding="utf-8")


if __name__ == "__main__":
    main()
