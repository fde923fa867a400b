"""Finds passages by their words: policies, questions and answers, tours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from math import log
from typing import Any

from .office import Row

__all__ = ["Found", "find", "in_force", "passage", "words_of"]

_STOP = (
    "a about after again all am an and any are as asked at be been before book booked but by can conditions could did "
    "do does for from get give got had happens has have hello hi how i if in is it its just know like long me mean my "
    "no not now of old on one or our out place please policies policy question rule rules say so start started starts "
    "tell that the their them then there they this to today too under until up us was we what when where which who "
    "will with would yes you your "
)
STOP = frozenset(_STOP.split())
WORD = re.compile(r"[^\W_]+")
IN_TEXT = 0.7  # what a word in the text is worth beside one in the title
ENDINGS = ("ing", "ies", "ed", "es", "s", "e")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage and how much of the question it has words for, from 0 to 1."""

    row: Row
    score: float


def find(question: str, rows: Sequence[Row], fields: tuple[str, ...], *, most: int = 2) -> list[Found]:
    """The passages that have most of a question's words, the best first.

    A rare word weighs more than a common one, one that no passage has weighs most, and one in the title (the first
    field) more than one in the text.
    """
    asked = words_of(question)
    read = [(row, words_of(str(row[fields[0]])), words_of(" ".join(str(row[name]) for name in fields))) for row in rows]
    weight = {word: log(1 + len(read) / (0.5 + sum(word in inside for _, _, inside in read))) for word in asked}
    whole = sum(weight.values())
    found = []
    for row, title, inside in read:
        hits = sum(weight[word] * (1.0 if word in title else IN_TEXT) for word in asked & inside)
        if hits:
            found.append(Found(row=row, score=round(hits / whole, 3)))
    return sorted(found, key=lambda each: -each.score)[:most]


def in_force(rows: Iterable[Row], day: date) -> list[Row]:
    """The versions of policies that hold on a day."""
    return [row for row in rows if not row["valid_to"] or str(row["valid_to"]) >= day.isoformat()]


@lru_cache(maxsize=4_096)  # the same passages are searched for every question
def words_of(text: str) -> frozenset[str]:
    """The words that carry meaning, each without its ending."""
    return frozenset(_stem(word) for word in WORD.findall(text.lower()) if word not in STOP)


def _stem(word: str) -> str:
    if word.startswith("cancel"):
        return "cancel"
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def passage(row: Row, score: float | None = None) -> dict[str, Any]:
    """A row as the source of an answer."""
    dated = row.get("valid_from") or row.get("date")
    made = {"id": row["id"], "text": row["text"], "date": dated, "title": row.get("title") or row.get("question")}
    return {key: value for key, value in {**made, "score": score}.items() if value is not None}
