"""The rows written for this project: complete, of known classes, and apart from what they are measured on."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from training.augment import CATEGORIES
from training.data import LABELS, clean, written
from training.marking import INTENTS

FOLDER = Path(__file__).parents[2] / "training" / "written"
BENIGN = {"assistant", "device", "support", "about", "document"}
# short messages that stand word for word on both sides: the shipped weights saw them, so they stay and are listed
SHARED = {
    ("en", "Are you a robot?"),
    ("es", "Nos vemos en el juzgado"),
    ("hi", "अब जीने का मन नहीं करता"),
    ("hi", "नमस्ते"),
    ("ja", "出るとこ出てもいいんですよ、こっちは。"),
    ("ja", "こんにちは"),
    ("ja", "死ぬほど美味しかったです、また頼みます!"),
    ("sv", "Jag orkar inte leva längre."),
    ("zh", "我不想活了"),
    ("zh", "在吗"),
}


# and two that begin like a row that was trained on
ALIKE = [
    "Les escribo por última vez de forma amistosa. La próxima comunicación llevará membrete de un bufete.",
    "La trottinette s'est cassée en deux en pleine descente, mon fils a le poignet fracturé et le menton ouvert.",
]


def folded(text: str) -> str:
    return re.sub(r"[\W_]+", "", clean(text).lower())


@pytest.mark.parametrize(("kind", "shared", "alike"), [("intent_safety", SHARED, ALIKE), ("injection", set(), [])])
def test_held_out_rows_are_not_in_the_training_part(kind: str, shared: set[tuple[str, str]], alike: list[str]) -> None:
    train = {folded(r["text"]) for r in written(kind)}
    held = list(written(kind, "heldout"))
    assert {(r["lang"], r["text"]) for r in held if folded(r["text"]) in train} == shared
    starts = {t[:40] for t in train if len(t) >= 40}
    assert [r["text"] for r in held if folded(r["text"])[:40] in starts] == alike


def test_every_row_has_a_known_class() -> None:
    for part in ("train", "heldout"):
        assert {r["label"] for r in written("intent_safety", part)} == set(INTENTS)
        for row in written("injection", part):
            assert row["cat"] in (CATEGORIES if row["label"] else BENIGN)
    assert {r["label"] for r in written("nli")} == set(LABELS)


def test_the_readme_counts_what_is_there() -> None:
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    for kind in ("intent_safety", "injection", "nli", "turns"):
        for part in ("train", "heldout"):
            count = sum(1 for _ in written(kind, part))
            assert not count or f"{count:,}" in told, (kind, part, count)
    for text in [text for _, text in SHARED] + ALIKE:
        assert text in told


def test_every_file_is_of_its_language_and_holds_no_row_twice() -> None:
    for file in FOLDER.glob("*/*.jsonl"):
        found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        own = file.name.split(".")[1]
        assert all(own in r["lang"].split("-") for r in found), file  # "de-en" is a German source with an English claim
        fields = ("text", "before", "premise", "hypothesis", "source", "customer", "answer", "messages", "sources")
        twice = Counter(json.dumps([r.get(name) for name in fields]) for r in found)
        assert max(twice.values()) == 1, file
