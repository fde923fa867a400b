"""Breaks fluent texts: words out of order, two sentences woven together, wrong forms, missing words, cut ends.

A broken text comes as its words, each marked 1 where it was moved, changed or put in. Scripts without spaces are cut
into short runs of one kind of character.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["KINDS", "Words", "broken", "spaced", "vocabulary", "words_in"]

Marked = list[tuple[str, int]]

_UNSPACED = re.compile(r"[぀-ヿ一-鿿฀-๿]")
_RUNS = re.compile(r"[一-鿿]{1,2}|[぀-ゟ]{1,2}|[゠-ヿー]+|[฀-๿]{1,3}|[a-zA-Z0-9.,%]+|\S")
FREQUENT = 60  # words of a language that are taken as its small words
KINDS = ("salad", "local", "mixed", "grammar", "cut", "repeated")
_SHARES = (0.20, 0.16, 0.13, 0.35, 0.10, 0.06)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language: its small words, and words by their first letters."""

    small: tuple[str, ...]
    alike: Mapping[str, tuple[str, ...]]


def spaced(text: str) -> bool:
    """Whether the words of a text stand apart."""
    return len(_UNSPACED.findall(text)) < 0.2 * len(text)


def words_in(text: str) -> list[str]:
    """The words of a text, or short runs of characters where it has no spaces."""
    return text.split() if spaced(text) else _RUNS.findall(text)


def vocabulary(texts: Iterable[str]) -> Words:
    """The words of some texts in one language."""
    counts: Counter[str] = Counter(word.strip(".,;:!?\"'()").lower() for text in texts for word in words_in(text))
    counts.pop("", None)
    small = tuple(word for word, _ in counts.most_common(FREQUENT) if word.isalpha())
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for word, _ in counts.most_common(30_000):
        if word.isalpha() and len(word) >= 3:
            alike[word[: max(2, len(word) - 3)][:5]].append(word)
    return Words(small, {head: tuple(some[:40]) for head, some in alike.items() if len(some) > 1})


def broken(text: str, other: str, known: Words, dice: random.Random) -> tuple[str, Marked]:
    """The kind of damage, and the marked words; ``other`` is another text of the language."""
    kind = dice.choices(KINDS, _SHARES)[0]
    given = words_in(text)
    if kind == "salad":
        return kind, _shuffled(given, dice)
    if kind == "local":
        return kind, _locally(given, dice)
    if kind == "mixed":
        return kind, _woven(given, words_in(other), dice)
    if kind == "cut":
        return kind, _cut(given, dice)
    if kind == "repeated":
        return kind, _repeated(given, dice)
    return kind, _ungrammatical(given, known, dice)


def _shuffled(given: Sequence[str], dice: random.Random) -> Marked:
    bare = [word.strip(".,;:!?。、") if dice.random() < 0.5 else word for word in given]
    order = [word for word in bare if word]
    dice.shuffle(order)
    end = [dice.choice(("", "."))] if spaced(" ".join(given)) else [dice.choice(("", "。"))]
    return [(word, 1) for word in order] + [(mark, 0) for mark in end if mark]


def _locally(given: Sequence[str], dice: random.Random) -> Marked:
    """Some windows of three to five words in another order."""
    found: Marked = []
    at = 0
    while at < len(given):
        size = dice.randint(3, 5)
        part = list(given[at : at + size])
        if dice.random() < 0.55 or (at == 0 and len(given) <= 8):
            turned = part[:]
            dice.shuffle(turned)
            found += [(word, int(word != was)) for word, was in zip(turned, part, strict=True)]
        else:
            found += [(word, 0) for word in part]
        at += size
    return found


def _woven(one: Sequence[str], other: Sequence[str], dice: random.Random) -> Marked:
    """Pieces of two texts in turn; every second piece does not belong."""
    left, right, found, turn = list(one), list(other[: len(one) + 4]), list[tuple[str, int]](), 0
    while left or right:
        source = (left, right)[turn % 2] or left or right
        for _ in range(dice.randint(1, 3)):
            if source:
                found.append((source.pop(0), 1))
        turn += 1
    return found


def _cut(given: Sequence[str], dice: random.Random) -> Marked:
    """The text up to some word, which may be cut too."""
    if len(given) < 3:
        return [(word, 1) for word in given[:1]]
    at = dice.randint(max(2, len(given) // 2), len(given) - 1)
    kept = [word for word in given[:at]]
    kept[-1] = kept[-1].rstrip(".,;:!?。、")
    if len(kept[-1]) > 3 and dice.random() < 0.4:
        kept[-1] = kept[-1][: dice.randint(2, len(kept[-1]) - 1)]
    return [(word, int(place >= len(kept) - 2)) for place, word in enumerate(kept)]


def _repeated(given: Sequence[str], dice: random.Random) -> Marked:
    size = dice.randint(2, min(9, max(2, len(given))))
    at = dice.randint(0, max(0, len(given) - size))
    part = list(given[at : at + size])
    times = dice.randint(2, 4)
    found: Marked = [(word, 0) for word in given[: at + size]]
    for _ in range(times):
        found += [(word, 1) for word in part]
    return found + [(word, 0) for word in given[at + size :]]


def _ungrammatical(given: Sequence[str], known: Words, dice: random.Random) -> Marked:
    """Wrong forms, wrong small words, missing and additional small words, words that changed places."""
    found: Marked = [(word, 0) for word in given]
    wanted = max(1, round(len(given) * dice.uniform(0.12, 0.4)))
    for _ in range(wanted * 3):
        if wanted <= 0 or len(found) < 2:
            break
        at = dice.randrange(len(found))
        word = found[at][0]
        low, roll = word.lower(), dice.random()
        if roll < 0.45:
            made = _other_form(word, known, dice)
            if made is None:
                continue
            found[at] = (made, 1)
        elif roll < 0.60 and low in known.small:
            found[at] = (_cased(dice.choice(known.small), word), 1)
        elif roll < 0.72 and (low in known.small or len(low) <= 3) and low.isalpha():
            del found[at]
            found[at : at + 1] = [(each, 1) for each, _ in found[at : at + 1]]
        elif roll < 0.82 and known.small:
            found.insert(at, (dice.choice(known.small), 1))
        elif roll < 0.96 and at + 1 < len(found):
            found[at], found[at + 1] = (found[at + 1][0], 1), (word, 1)
        else:
            continue
        wanted -= 1
    return found


def _other_form(word: str, known: Words, dice: random.Random) -> str | None:
    bare = word.strip(".,;:!?\"'()").lower()
    if len(bare) < 3 or not bare.isalpha():
        return None
    some = [each for each in known.alike.get(bare[: max(2, len(bare) - 3)][:5], ()) if each != bare]
    near = [each for each in some if each[: max(2, len(bare) - 3)] == bare[: max(2, len(bare) - 3)]]
    if not near:
        return None
    tail = word[len(word.rstrip(".,;:!?\"'()")) :]
    return _cased(dice.choice(near), word) + tail


def _cased(made: str, like: str) -> str:
    return made.capitalize() if like[:1].isupper() else made
