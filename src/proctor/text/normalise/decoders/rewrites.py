"""Find where a word-by-word rewriting (cipher, reversal, look-alikes) turns noise into language."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from proctor.text.normalise.language_likeness import common_words, cost, known_words, per_letter, ranks
from proctor.text.normalise.layer import STRIDE, Layer, Word

__all__ = ["is_alone_telling", "is_telling", "rewritten_stretches"]

_GAIN = 24.0  # minimum gain of a stretch in bits; chance gives a few
_BITS = 5.2  # maximum bits per letter of a stretch afterwards
_NEUTRAL = -6.0
_NOISE = 5.8  # bits per letter: hardly any language in Latin script is above
_FEWEST_WORDS = 4
_FEWEST_LETTERS = 24
_LONGEST_WORD = 40
_LONG_WORD = 6
_CHANCE = 40  # one common word in this many unknown ones is chance


def is_telling(words: Collection[str]) -> bool:
    """Whether these common words, found after a rewriting, are more than chance: two, one of them long."""
    telling = [word for word in words if len(word) > 2]
    return len(telling) > 1 and max(map(len, telling)) > 3


def is_alone_telling(word: str) -> bool:
    """Whether one such word is enough: it is long and in the word list."""
    return len(word) >= _LONG_WORD and word in ranks()


def rewritten_stretches(
    layer: Layer, rewrite: Callable[[str], str], margin: float
) -> tuple[list[Word], list[tuple[int, int]]]:
    """Return the words of a text, and the index ranges of words that become language when rewritten.

    ``rewrite`` changes a word, or many separated by spaces. ``margin``: how many bits per letter a text in an unknown
    language must gain, because it has no common words.
    """
    if not is_telling(known_words(set(rewrite(" ".join(layer.unknown)).split()))):
        whole = _reads_better(layer, rewrite, margin)
        return (layer.places, [(0, len(layer.places))]) if whole else ([], [])
    words = layer.places
    regions = [(0, len(words))] if len(words) <= 2 * STRIDE else _telling_regions(layer, rewrite)
    return words, [
        _widened(words, first + start, first + end, rewrite)
        for first, after in regions
        for start, end in _stretches(words[first:after], rewrite)
    ]


def _reads_better(layer: Layer, rewrite: Callable[[str], str], margin: float) -> bool:
    """Whether a text that is not language becomes more like one, by bits per letter."""
    if layer.noise < _NOISE or len(layer.words) < _FEWEST_WORDS:
        return False
    sample = [word for word in layer.words[:60] if len(word) > 1 and word.isascii()]
    after = per_letter([rewrite(word) for word in sample])
    return sum(map(len, sample)) >= _FEWEST_LETTERS and after < _NOISE and layer.noise - after >= margin


def _widened(words: Sequence[Word], first: int, after: int, rewrite: Callable[[str], str]) -> tuple[int, int]:
    """Extend the range by adjacent neutral words, such as names; to the whole text if it covers nearly all."""
    while first > 0 and _is_neutral(words[first - 1][2], rewrite):
        first -= 1
    while after < len(words) and _is_neutral(words[after][2], rewrite):
        after += 1
    covered = sum(end - start for start, end, _ in words[first:after])
    if covered * 10 >= sum(end - start for start, end, _ in words) * 8:
        return 0, len(words)
    return first, after


def _is_neutral(word: str, rewrite: Callable[[str], str]) -> bool:
    return word not in common_words() and _gain(word, rewrite) > _NEUTRAL


def _gain(word: str, rewrite: Callable[[str], str]) -> float:
    return cost(word) - cost(rewrite(word)) if len(word) <= _LONGEST_WORD else -1.0


def _telling_regions(layer: Layer, rewrite: Callable[[str], str]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a long text in which the rewriting gives more common words than chance."""
    flagged: list[int] = []
    for number, unknown in enumerate(layer.unknown_by_window):
        found = known_words(set(rewrite(" ".join(unknown)).split()))
        if is_telling(found) and len(found) * _CHANCE >= len(unknown):
            flagged.append(number)
    first = last = -4
    for number in flagged:
        if number - last > 3:
            if last >= 0:
                yield _region(first, last, len(layer.places))
            first = number
        last = number
    if last >= 0:
        yield _region(first, last, len(layer.places))


def _region(first: int, last: int, count: int) -> tuple[int, int]:
    """Return a range of windows as a range of words, with some margin."""
    return max(0, (first - 1) * STRIDE), min(count, (last + 3) * STRIDE)


def _stretches(words: Sequence[Word], rewrite: Callable[[str], str]) -> Iterator[tuple[int, int]]:
    total = best = 0.0
    first = last = 0
    for number, (_, _, word) in enumerate(words):
        gain = _gain(word, rewrite)
        if total <= 0:
            if best >= _GAIN and _becomes_language(words[first : last + 1], rewrite):
                yield first, last + 1
            total, best, first = 0.0, 0.0, number
        total += gain
        if total > best:
            best, last = total, number
    if best >= _GAIN and _becomes_language(words[first : last + 1], rewrite):
        yield first, last + 1


def _becomes_language(words: Sequence[Word], rewrite: Callable[[str], str]) -> bool:
    after = [rewrite(word) for _, _, word in words]
    known = common_words()
    gained = {new for (_, _, old), new in zip(words, after, strict=True) if new in known and old not in known}
    return is_telling(gained) and per_letter([word for word in after if len(word) > 1]) < _BITS
