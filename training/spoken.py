"""What is translated into which language, and whether a translation can be believed."""

from __future__ import annotations

import random
import re
from pathlib import Path

from training.data import read

__all__ = ["SHARES", "believable", "wanted"]

SHARES = {"ja": 1.0, "zh": 0.35, "de": 0.4, "fr": 0.4, "es": 0.4, "ar": 0.4, "hi": 0.15}
LETTERS = {"ja": "\u3040-\u30ff\u4e00-\u9fff", "zh": "\u4e00-\u9fff", "ar": "\u0600-\u06ff", "hi": "\u0900-\u097f"}


def believable(english: str, other: str, language: str) -> bool:
    """Whether a translation is in its language, of a fitting length and not the English again."""
    if not other or "\n" in other or other.lower() == english.lower():
        return False
    ratio = len(other) / max(1, len(english))
    low, high = (0.12, 1.3) if language in ("ja", "zh") else (0.45, 2.2)
    if not low <= ratio <= high:
        return False
    if language in LETTERS:
        own = len(re.findall(f"[{LETTERS[language]}]", other))
        return own / max(1, len(re.findall(r"\w", other))) > 0.6
    return True


def wanted(folder: Path, count: int, limit: int | None) -> dict[str, list[str]]:
    """The English sentences to translate, by language: those of entailment pairs first, then everyday messages."""
    rows = [
        r for r in read(folder / "nli.jsonl.gz", limit) if r["lang"] == "en" and len(r["p"]) < 240 and len(r["h"]) < 200
    ]
    rows = [r for r in rows if r["src"].startswith(("nli_snli", "nli_mnli", "nli_cad", "contra_dnli"))]
    random.Random(12).shuffle(rows)
    plain = [r["text"] for r in read(folder / "everyday.jsonl.gz", limit)]
    found = {}
    for language, share in SHARES.items():
        kept = rows[: int(count * share)]
        found[language] = sorted({t for r in kept for t in (r["p"], r["h"])} | set(plain))
    return found
