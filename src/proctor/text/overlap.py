"""Overlap metrics of two texts: ROUGE-L, BLEU and chrF, each in [0, 1].

Implemented here because the libraries need numpy, nltk or tokeniser downloads. The tests use those libraries as oracles
and require the same figures.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence

from proctor.text.split import spread, tokens

__all__ = ["TooLongError", "bleu", "chrf", "longest_common", "rouge_l"]

BLEU_ORDER = 4
CHRF_ORDER = 6
CHRF_BETA = 2
# The work grows with the product of both lengths, 64 cells a step: this takes well under a second.
MOST_CELLS = 4_000_000_000
MOST_GRAMS = 3_000_000
FEW_GRAMS = 64

_SYMBOLS = re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])")
_STOP_AFTER_OTHER = re.compile(r"([^0-9])([\.,])")
_STOP_BEFORE_OTHER = re.compile(r"([\.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")


class TooLongError(ValueError):
    """The texts are too long to be compared in bounded time."""


def rouge_l(answer: str, reference: str, *, by_character: bool = False) -> float:
    """Return ROUGE-L: F1 of the longest common subsequence of words (or characters)."""
    left, right = _rouge_tokens(answer, by_character), _rouge_tokens(reference, by_character)
    if not left or not right:
        return 0.0
    common = longest_common(left, right)
    return 2 * common / (len(left) + len(right))


def _rouge_tokens(text: str, by_character: bool) -> Sequence[str]:
    return "".join(text.lower().split()) if by_character else tokens(text)


def longest_common(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    Bit-parallel: a table row is one integer, so a step handles all of its cells.

    Raises:
        TooLongError: the table would be too large.
    """
    if len(left) > len(right):
        left, right = right, left
    if len(left) * len(right) > MOST_CELLS:
        raise TooLongError(f"{len(left):,} and {len(right):,} tokens are too many to compare")
    places: dict[Hashable, int] = {}
    for index, item in enumerate(left):
        places[item] = places.get(item, 0) | (1 << index)
    full = (1 << len(left)) - 1
    row = full
    for item in right:
        matches = row & places.get(item, 0)
        if matches:
            row = ((row + matches) | (row - matches)) & full
    return len(left) - row.bit_count()


def bleu(answer: str, reference: str, *, by_character: bool = False) -> float:
    """Return sentence BLEU: n-grams up to four, exponential smoothing, effective order."""
    left, right = _bleu_tokens(answer, by_character), _bleu_tokens(reference, by_character)
    if not left or not right:
        return 0.0
    found, possible = _gram_counts(left, right)
    if not any(found):
        return 0.0
    logs: list[float] = []
    smoothing = 1.0
    for matched, total in zip(found, possible, strict=True):
        if total == 0:  # the answer has fewer words than this
            break
        if matched == 0:
            smoothing *= 2
        logs.append(math.log(matched / total if matched else 1 / (smoothing * total)))
    brevity = min(0.0, 1 - len(right) / len(left))
    return min(1.0, math.exp(brevity + sum(logs) / len(logs)))


def _gram_counts(left: Sequence[str], right: Sequence[str]) -> tuple[list[int], list[int]]:
    if max(len(left), len(right)) * BLEU_ORDER > MOST_GRAMS:
        raise TooLongError(f"{len(left):,} and {len(right):,} tokens are too many to compare")
    found, possible = [], []
    for order in range(1, BLEU_ORDER + 1):
        wanted = Counter(zip(*(right[start:] for start in range(order)), strict=False))
        made = Counter(zip(*(left[start:] for start in range(order)), strict=False))
        found.append(sum(min(count, wanted[gram]) for gram, count in made.items() if gram in wanted))
        possible.append(max(0, len(left) - order + 1))
    return found, possible


def _bleu_tokens(text: str, by_character: bool) -> list[str]:
    """Return the tokens of mteval-v13a; characters of unspaced scripts are separate tokens."""
    text = text.rstrip()
    if by_character:
        return list("".join(text.split()))
    text = spread(text).replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for written, meant in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(written, meant)
    text = _SYMBOLS.sub(r" \1 ", f" {text} ")
    text = _STOP_AFTER_OTHER.sub(r"\1 \2 ", text)
    text = _STOP_BEFORE_OTHER.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", text).split()


def chrf(answer: str, reference: str) -> float:
    """Return chrF2: F-score of character n-grams up to six, with recall weighted double; spaces are ignored."""
    left, right = "".join(answer.split()), "".join(reference.split())
    if max(len(left), len(right)) * CHRF_ORDER > 2 * MOST_GRAMS:
        raise TooLongError(f"{len(left):,} and {len(right):,} characters are too many to compare")
    precision = recall = 0.0
    orders = 0
    for order in range(1, min(CHRF_ORDER, len(left), len(right)) + 1):
        matched = _matched_grams(left, right, order)
        precision += matched / (len(left) - order + 1)
        recall += matched / (len(right) - order + 1)
        orders += 1
    if not orders or not precision + recall:
        return 0.0
    precision, recall = precision / orders, recall / orders
    factor = CHRF_BETA**2
    return min(1.0, (1 + factor) * precision * recall / (factor * precision + recall))


def _matched_grams(left: str, right: str, order: int) -> int:
    # Only n-grams of the shorter text can match.
    if len(left) > len(right):
        left, right = right, left
    wanted = Counter(left[start : start + order] for start in range(len(left) - order + 1))
    if len(wanted) <= FEW_GRAMS:  # a short text in a long one: search each n-gram instead of counting all
        return sum(_times(right, gram, most) for gram, most in wanted.items())
    made = Counter(gram for start in range(len(right) - order + 1) if (gram := right[start : start + order]) in wanted)
    return sum(min(count, wanted[gram]) for gram, count in made.items())


def _times(text: str, gram: str, most: int) -> int:
    """Return how often the n-gram occurs, with overlaps, up to ``most``."""
    found, start = 0, text.find(gram)
    while start >= 0 and found < most:
        found += 1
        start = text.find(gram, start + 1)
    return found
