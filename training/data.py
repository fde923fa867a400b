"""Reads the data: public sets under ``$PROCTOR_DATA``, rows written for this project, and files that pack wrote."""

from __future__ import annotations

import gzip
import json
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["LABELS", "LEFT_SOURCES", "clean", "data_root", "parallel", "read", "rows", "shippable", "written"]

LABELS = ("entailment", "neutral", "contradiction")
# Sources of grounding rows that nothing is trained on; sources without a licence are not either.
LEFT_SOURCES = ("q2", "summedits/news", "summedits/podcast")


def data_root() -> Path:
    """The folder of the data: ``$PROCTOR_DATA``, or ``../shared/data`` beside the project."""
    return Path(os.environ.get("PROCTOR_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def rows(name: str, root: Path | None = None) -> Iterator[dict[str, Any]]:
    """The rows of ``<root>/<name>.jsonl.gz``, in file order."""
    with gzip.open((root or data_root()) / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def written(kind: str, part: str = "train") -> Iterator[dict[str, Any]]:
    """The rows written for this project, beside the recipes: ``kind`` is a folder, ``part`` is train or heldout."""
    for file in sorted((Path(__file__).parent / "written" / kind).glob(f"{part}.*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def read(path: Path, limit: int | None = None) -> list[dict[str, Any]]:
    """The rows of a packed file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line, _ in zip(lines, range(limit or 10**9), strict=False)]


def shippable(row: dict[str, Any]) -> bool:
    """Whether weights that ship may be trained on this row."""
    return bool(row.get("lic", "ok") == "ok")


def clean(text: str) -> str:
    """The text as every model of the house reads it: NFKC, invisible characters gone, blanks joined."""
    folded = unicodedata.normalize("NFKC", text)
    kept = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cf", "Cc", "Cs") else " " for c in folded)
    return " ".join(kept.split())


def parallel(root: Path | None = None) -> Iterator[tuple[str, str, str]]:
    """Sentences with their English: (language, text, English), from sources that may be used for any purpose."""
    for name in ("paraphrase/paws/pawsx_dev", "paraphrase/paws/pawsx_test"):
        yield from _join(((r["idx"], r) for r in rows(name, root)), ("sentence1", "sentence2"))


def _join(found: Iterator[tuple[int, dict[str, Any]]], fields: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    numbered = list(found)
    english = {number: row for number, row in numbered if row["lang"] == "en"}
    for number, row in numbered:
        if row["lang"] != "en" and number in english:
            for field in fields:
                if row[field] and english[number][field]:
                    yield row["lang"], row[field], english[number][field]
