"""Infer the format of a structured input from its samples: parts and separators."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["TextShape", "fit_word", "is_http", "shape_of"]

_SEPARATORS = ("\t", " | ", "|", "; ", ";", " :: ", " => ", " -> ", "\n---\n")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_HTTP = re.compile(r"\s*(?:get|post|put|patch|delete|head|options)\s+\w+://", re.IGNORECASE)
_LONGEST_TAIL = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class TextShape:
    """A text, a separator, and one or more short parts; ``inside`` if a short part occurs in the text."""

    separator: str
    parts: int
    inside: bool
    tails: tuple[tuple[str, ...], ...]

    def fill(self, text: str, number: int) -> str:
        """Return a value of this format with the given text."""
        clean = text.replace(self.separator, ", ").replace(self.separator.strip() or self.separator, ",")
        if self.separator.strip() != "---":
            clean = " ".join(clean.split())
        tails = list(self.tails[number % len(self.tails)])
        if self.inside:
            tails[-1] = fit_word(clean, number) or tails[-1]
        return self.separator.join([clean, *tails])

    def split(self, value: str) -> list[str]:
        """Split a value into its parts."""
        return value.split(self.separator)

    def wrong_with(self, value: str) -> str:
        """Return why a value does not have this format; empty if it does."""
        parts = self.split(value)
        if len(parts) != self.parts:
            return f"it has {len(parts)} of {self.parts} parts with {self.separator.strip() or 'a tab'!r} between them"
        if not all(part.strip() for part in parts):
            return "a part of it is empty"
        if self.inside and parts[-1].strip().lower() not in parts[0].lower():
            return f"{parts[-1].strip()[:40]!r} does not occur in what stands before it"
        return ""


def shape_of(examples: Sequence[Any]) -> TextShape | None:
    """Return the format all examples share; ``None`` if they are plain texts or have no clear parts."""
    texts = [example for example in examples if isinstance(example, str) and example.strip()]
    if not texts:
        return None
    for separator in _SEPARATORS:
        split = [text.split(separator) for text in texts]
        counts = {len(parts) for parts in split}
        if len(counts) != 1 or counts == {1} or max(counts) > 4:
            continue
        if not all(part.strip() and len(part) <= _LONGEST_TAIL for parts in split for part in parts[1:]):
            continue
        inside = all(_occurs(parts[-1], parts[0]) for parts in split)
        if inside or len(texts) > 1 or separator in ("\t", " | ", " :: "):
            return TextShape(
                separator=separator, parts=counts.pop(), inside=inside, tails=tuple(tuple(parts[1:]) for parts in split)
            )
    return None


def is_http(value: Any) -> bool:
    """Whether a value begins with an HTTP method and an address."""
    return isinstance(value, str) and _HTTP.match(value) is not None


def fit_word(text: str, number: int) -> str:
    """Return a word that occurs in the text, depending on the number."""
    words: list[str] = list(dict.fromkeys(_WORD.findall(text)))
    if not words:
        return text.strip()[:1]
    return words[(number * 7 + len(words) // 2) % len(words)]


def _occurs(word: str, text: str) -> bool:
    return bool(word.strip()) and re.search(rf"(?<!\w){re.escape(word.strip())}(?!\w)", text, re.IGNORECASE) is not None
