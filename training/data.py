"""Reads the public training data: JSON lines, gzip, under ``$PROCTOR_DATA``."""

from __future__ import annotations

import gzip
import json
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["clean", "data_root", "parallel", "rows", "shippable"]


def data_root() -> Path:
    """The folder of the data: ``$PROCTOR_DATA``, or ``../shared/data`` beside the project."""
    return Path(os.environ.get("PROCTOR_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def rows(name: str, root: Path | None = None) -> Iterator[dict[str, Any]]:
    """The rows of ``<root>/<name>.jsonl.gz``, in file order."""
    with gzip.open((root or data_root()) / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


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
    for name in ("paraphrase/stsb_multi/train",):
        yield from _join(_numbered(rows(name, root)), ("sentence1", "sentence2"))


def _numbered(found: Iterator[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    seen: dict[str, int] = {}
    for row in found:
        number = seen.get(row["lang"], 0)
        seen[row["lang"]] = number + 1
        yield number, row


def _join(found: Iterator[tuple[int, dict[str, Any]]], fields: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    numbered = list(found)
    english = {number: row for number, row in numbered if row["lang"] == "en"}
    for number, row in numbered:
        if row["lang"] != "en" and number in english:
            for field in fields:
                if row[field] and english[number][field]:
                    yield row["lang"], row[field], english[number][field]
