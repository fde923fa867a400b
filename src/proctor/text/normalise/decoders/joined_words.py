"""Split words that were joined, in any language in Latin script: ``ignoreallprevious``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proctor.text.normalise.decoders.spacing import joined
from proctor.text.normalise.language_likeness import common_words, cost, ranks
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, Patch
from proctor.text.normalise.split_joined_words import part

__all__ = ["find_glued"]

_SHORTEST = 14
_TOKEN = re.compile(rf"\S{{{_SHORTEST},}}")
_ADDRESS = re.compile(r"://|www\.|@|[^\W_]/[^\W_]+/|\\")
_RUN = re.compile(r"[A-Za-z]+")
_WORD = re.compile(r"[A-Z]*[a-z]+|[A-Z]+")  # a capital after a lowercase letter begins a word
_NEXT = re.compile(r"(?<=[.,;:!?)\]])(?=[A-Za-z])")
_LONGEST = 400
_MOST = 2_000  # maximum characters of one text that are split
_NOISE = 6.4  # maximum bits per letter of the letter bigrams before a split is tried; random letters cost 8
_LANGUAGE, _LONG_LANGUAGE = 4.1, 5.9  # maximum bits per letter of the resulting words
_SURE, _LONG = 24, 36  # characters: a shorter token must be common English words; no ordinary word is longer
_FEWEST = 4
_MANY = 7


def find_glued(layer: Layer) -> Iterator[Found]:
    """Find several words written as one."""
    if layer.longest < _SHORTEST or max(map(len, layer.unknown), default=0) < _SHORTEST:
        return
    patches: list[Patch] = []
    left = _MOST
    for match in _TOKEN.finditer(layer.text):
        token = match.group()
        if len(token) > 2 * _LONGEST or _ADDRESS.search(token):
            continue
        runs = [run for run in _RUN.finditer(token) if _is_worth(run.group())]
        if max((len(run.group()) for run in runs), default=0) < _SHORTEST:
            continue
        left -= sum(len(run.group()) for run in runs)
        if left < 0:
            break
        if breaks := _breaks(token, runs):
            patches.append(joined(match.start(), range(len(token)), token, breaks))
    if patches:
        yield Found(kind="glued", patches=tuple(patches), tested=True, place="inside")


def _is_worth(run: str) -> bool:
    """Whether a run of letters may be several words."""
    if not _FEWEST < len(run) <= _LONGEST:
        return False
    low = run.lower()
    return low not in common_words() and cost(low) <= _NOISE * len(run)


def _breaks(token: str, runs: list[re.Match[str]]) -> set[int]:
    """Return where words begin in a token if enough of it is words; otherwise an empty set."""
    letters, bits = 0, 0.0
    words: list[str] = []
    found: set[int] = set()
    for run in runs:
        for piece in _WORD.finditer(run.group()):
            at = run.start() + piece.start()
            parted, each = part(piece.group().lower())
            letters, bits = letters + len(piece.group()), bits + each * len(piece.group())
            words += parted
            for word in parted:
                found.add(at)
                at += len(word)
    most = (_LONG_LANGUAGE if letters >= _LONG else _LANGUAGE if letters >= _SURE else 0.0) * letters
    if not (bits <= most and len(words) > _FEWEST and letters >= 2.4 * len(words)) and not _is_sentence(words):
        return set()
    return (found | {hit.start() for hit in _NEXT.finditer(token)}) - {0}


def _is_sentence(words: list[str]) -> bool:
    """Whether they are many common words, or a few long ones without affixes: ``un accept able`` is one word."""
    known = ranks()
    covered = sum(len(word) for word in words if word in known)
    shortest = 4 if len(words) == 3 else 2 if len(words) < _MANY else 1
    letters = sum(map(len, words))
    return (
        len(words) > 2 and covered >= 0.75 * letters and min(map(len, words)) >= shortest and letters > 3.4 * len(words)
    )
