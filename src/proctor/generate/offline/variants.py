"""Variants of a test: with noise, reordered, in another locale, slightly reworded."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

from proctor.text.split import sentences

__all__ = ["KINDS", "vary"]

_NEIGHBOURS = {"a": "s", "e": "r", "i": "o", "n": "m", "o": "p", "r": "t", "s": "d", "t": "r", "u": "i", "l": "k"}
_BRITISH = {
    "color": "colour",
    "center": "centre",
    "favorite": "favourite",
    "organize": "organise",
    "neighbor": "neighbour",
    "traveling": "travelling",
    "elevator": "lift",
    "apartment": "flat",
    "soccer": "football",
    "fall": "autumn",
}
_REWRITES: tuple[tuple[str, str], ...] = (
    (r"\bdo not\b", "don't"),
    (r"\bcannot\b", "can't"),
    (r"\bit is\b", "it's"),
    (r"\bis not\b", "isn't"),
    (r"\bwill not\b", "won't"),
    (r"\bdon't\b", "do not"),
    (r"\bcan't\b", "cannot"),
    (r"\bit's\b", "it is"),
    (r"\bbecause\b", "since"),
    (r"\balthough\b", "even though"),
    (r"\bbefore\b", "ahead of the moment"),
    (r"\bvery\b", "really"),
    (r"\bbig\b", "large"),
    (r"\bquickly\b", "in no time"),
    (r"\bbegan to\b", "started to"),
    (r"\bsaid that\b", "stated that"),
    (r"\bsaid\b", "stated"),
    (r"\bwants\b", "would like"),
    (r"\bI want\b", "I would like"),
    (r"\bPlease\b", "Kindly"),
    (r"\bneeds?\b", "require"),
    (r"\bhelp\b", "assistance"),
    (r"\bshow(?:s|ed)?\b", "present"),
    (r"\bbuy\b", "purchase"),
    (r"\bhouse\b", "home"),
    (r"\bpictures?\b", "photographs"),
)


def _noise(text: str, dice: random.Random) -> str:
    """Add typing errors, a lost capital, doubled spaces."""
    words = text.split(" ")
    places = [at for at, word in enumerate(words) if len(word) > 4 and word.isalpha() and word.isascii()]
    for at in dice.sample(places, min(len(places), max(1, len(words) // 12))):
        words[at] = _typo(words[at], dice)
    noisy = " ".join(words)
    if dice.random() < 0.5:
        noisy = noisy.lower()
    if dice.random() < 0.4:
        noisy = noisy.replace(". ", ".  ").replace(", ", " ,", 1)
    return noisy if noisy != text else f" {text}  "


def _typo(word: str, dice: random.Random) -> str:
    at = dice.randrange(1, len(word) - 1)
    kind = dice.randrange(3)
    if kind == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == 1:
        return word[:at] + word[at + 1 :]
    return word[:at] + _NEIGHBOURS.get(word[at], word[at] * 2) + word[at + 1 :]


def _order(text: str, dice: random.Random) -> str:
    """Reorder the sentences, or the two halves of a single one."""
    parts = sentences(text)
    if len(parts) > 1:
        moved = parts[1:] + parts[:1]
        return " ".join(moved)
    halves = re.fullmatch(r"((?:After|Before|When|While|If|Once)\b[^,;]{8,}), ([^,;]{8,}?)([.!?]?)", text.strip())
    if halves is None:
        return text
    first, second, end = halves.groups()
    return f"{second[0].upper()}{second[1:]} {first[0].lower()}{first[1:]}{end or '.'}"


def _locale(text: str, dice: random.Random) -> str:
    """Convert numbers, money, dates and spelling to another locale."""
    changed = re.sub(r"\b(\d{1,3}),(\d{3})\b", r"\1.\2", text)
    changed = re.sub(r"(?<![\d.])(\d+)\.(\d{1,2})(?![\d.])", r"\1,\2", changed)
    changed = re.sub(r"\$(\d[\d.,]*)", r"\1 €", changed)
    changed = re.sub(r"\b(\d{1,2}):(\d{2})\b", r"\1.\2 Uhr", changed)
    changed = re.sub(r"\b(\d{4})-(\d{2})-(\d{2})\b", r"\3.\2.\1", changed)
    for one, other in _BRITISH.items():
        changed = re.sub(rf"\b{one}\b", other, changed)
    changed = re.sub(r'"([^"\n]{1,200})"', r"„\1“", changed)
    return changed


def _paraphrase(text: str, dice: random.Random) -> str:
    """Reword the text slightly."""
    changed = text
    hits = 0
    for pattern, instead in dice.sample(_REWRITES, len(_REWRITES)):
        changed, count = re.subn(pattern, instead, changed, count=1)
        hits += count
        if hits >= 3:
            break
    return changed


KINDS: Mapping[str, Callable[[str, random.Random], str]] = {
    "noise": _noise,
    "order": _order,
    "paraphrase": _paraphrase,
    "locale": _locale,
}


def vary(text: str, kind: str, seed: int) -> str:
    """Return the varied text; unchanged if this kind of change does not apply."""
    return KINDS[kind](text, random.Random(seed))  # noqa: S311 - no secret
