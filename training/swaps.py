"""Pairs from real sentences with numbers: the same sentence follows, the same with another number contradicts."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

from training.fact_words import NUMBERS

__all__ = ["swapped"]

_DIGITS = re.compile(r"(?<![\d.,:/-])\d{1,6}(?![\d.,:/-]*\d)")


def swapped(sentences: Iterable[tuple[str, str]], seed: int = 31) -> Iterator[tuple[str, str, str, str]]:
    """Premise, hypothesis, label and language, of (language, sentence) that holds a number; two pairs of each."""
    dice = random.Random(seed)
    for tongue, text in sentences:
        found = list(_DIGITS.finditer(text))
        if not found or len(text) > 300:
            continue
        match = dice.choice(found)
        number = int(match.group())
        near = [number + 1, number + 2, number * 2, number * 10, number + 10, number // 2, number - 1, number + 5]
        other = dice.choice([n for n in near if n != number and n > 0])
        changed = text[: match.start()] + str(other) + text[match.end() :]
        alike = text
        if tongue in NUMBERS and 1 < number <= 20 and tongue not in ("ru", "ja", "zh"):  # their words bend or join
            alike = text[: match.start()] + NUMBERS[tongue][number - 1] + text[match.end() :]
        first, second = (text, alike) if dice.random() < 0.5 else (alike, text)
        yield first, second, "entailment", tongue
        yield (
            (text, changed, "contradiction", tongue)
            if dice.random() < 0.7
            else (alike, changed, "contradiction", tongue)
        )
