"""Accuracy of the entailment and grounding models that ship, over evenly spaced rows of their data; and predicates.

Run ``python -m benchmarks.model_accuracy [ROWS]`` with ``$PROCTOR_DATA``. The rows for grounding were used in training:
the figures show whether a change of code changed a verdict, not how good the models are.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.predicates import PAIRS, RULES, outputs
from proctor.models.local.grounding import LocalGrounder
from proctor.models.local.nli import LocalEntailer
from proctor.text.predicates import parse

__all__ = ["main"]

_BATCH = 25
_SUPPORTED = 0.5


def main() -> None:
    count = int(sys.argv[1]) if sys.argv[1:] else 400
    data = Path(os.environ.get("PROCTOR_DATA", "../shared/data"))  # noqa: TID251 - not the program
    asyncio.run(_print_models(data, count))
    rules = [parse(each) for each in RULES]
    found = Counter(rule.check(text).ok for text in outputs(PAIRS // len(rules)) for rule in rules)
    print(f"predicates: {found[True]} kept, {found[False]} broken, {found[None]} not told of {found.total()} checks")


async def _print_models(data: Path, count: int) -> None:
    rows = _rows(data / "nli" / "test.jsonl.gz", count)
    shares = [each for part in _parts(rows) for each in await LocalEntailer().entails(_pairs(part, "premise"))]
    right = sum(max(each, key=each.__getitem__) == row["label"] for each, row in zip(shares, rows, strict=True))
    print(f"entailment: {right} of {len(rows)} right")
    rows = _rows(data / "grounding" / "train.jsonl.gz", count)
    marks = [each for part in _parts(rows) for each in await LocalGrounder().supports(_pairs(part, "context"))]
    right = sum((each >= _SUPPORTED) == bool(row["label"]) for each, row in zip(marks, rows, strict=True))
    print(f"grounding: {right} of {len(rows)} right")


def _rows(path: Path, count: int) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return rows[:: max(1, len(rows) // count)][:count]


def _parts(rows: Sequence[dict[str, Any]]) -> list[Sequence[dict[str, Any]]]:
    return [rows[at : at + _BATCH] for at in range(0, len(rows), _BATCH)]


def _pairs(rows: Sequence[dict[str, Any]], first: str) -> list[tuple[str, str]]:
    second = "hypothesis" if first == "premise" else "response"
    return [(row[first], row[second]) for row in rows]


if __name__ == "__main__":
    main()
