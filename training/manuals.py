"""Passages of technical documentation as harmless documents: full of orders, all of them meant for people.

Reads source distributions of packages under MIT, BSD, Apache or ISC licences (their ``docs`` folders and READMEs).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.data import clean

__all__ = ["passages", "texts_of"]

_TEXT = re.compile(
    r"(^|/)(docs?|documentation)/.*\.(rst|md|txt)$|(^|/)(readme|install|contributing)[^/]*$", re.IGNORECASE
)
_SKIP = re.compile(r"change|history|release|license|authors|index\.|/api/|whatsnew", re.IGNORECASE)
MOST_OF_ONE = 150  # passages of one package


def texts_of(archive: Path) -> Iterator[str]:
    """The pages of documentation in a source distribution."""
    with tarfile.open(archive) as kept:
        for member in kept:
            if (
                member.isfile()
                and member.size < 400_000
                and _TEXT.search(member.name)
                and not _SKIP.search(member.name)
            ):
                content = kept.extractfile(member)
                if content is not None:
                    yield content.read().decode("utf-8", "replace")


def passages(texts: Iterator[str], dice: random.Random, most: int = MOST_OF_ONE) -> list[str]:
    """Stretches of one to six paragraphs, 120 to 900 characters long."""
    found: list[str] = []
    for text in texts:
        parts = [part for part in re.split(r"\n\s*\n", text) if any(map(str.isalpha, part))]
        at = 0
        while at < len(parts):
            many = dice.randint(1, 6)
            passage = clean("\n".join(parts[at : at + many]))[:900]
            at += many
            if len(passage) >= 120:
                found.append(passage)
    dice.shuffle(found)
    return found[:most]


def main() -> None:
    """Write ``manuals.jsonl.gz``."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("archives", type=Path, help="a folder of source distributions (*.tar.gz)")
    ask.add_argument("out", type=Path)
    told = ask.parse_args()
    dice = random.Random(81)
    count = 0
    with gzip.open(told.out, "wt", encoding="utf-8") as out:
        for archive in sorted(told.archives.glob("*.tar.gz")):
            for text in passages(texts_of(archive), dice):
                row: dict[str, Any] = {"text": text, "label": 0, "cat_id": -1, "src": "manuals", "lang": "en"}
                out.write(json.dumps(row | {"part": "train", "w": 0.6, "ch": "document"}, ensure_ascii=False) + "\n")
                count += 1
    print("passages", count)


if __name__ == "__main__":
    main()
