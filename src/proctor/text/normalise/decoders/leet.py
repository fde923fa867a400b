"""Decode digits and signs used for letters: ``1gn0r3 4ll``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

from proctor.text.normalise.decoders.rewrites import is_alone_telling, is_telling
from proctor.text.normalise.language_likeness import common_words, cost
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, Patch, patch_of_text

__all__ = ["LEET", "find_leet"]

_HINT = re.compile(r"[@$|!+][A-Za-z]")
_TOKEN = re.compile(r"[A-Za-z0-9@$|!+]+")
_OTHER = {"1": "il", "|": "li", "!": "il", "6": "gb", "9": "gq"}
LEET = str.maketrans(dict(zip("0134579@$|!+826", "oieastgasiitbzg", strict=True)))
_EDGES = ".,;:?!+()[]{}\"'"
_DIGITS = re.compile(r"(?<!\S)[0134579]{1,5}(?!\S)")
_MOST_CHOICES = 3
_LONGEST = 24
_MOST_READ = 256  # tokens of which every reading is tried; others get only the usual one


def find_leet(layer: Layer) -> Iterator[Found]:
    """Find words that become common ones if their signs are read as letters."""
    text = layer.text
    if not layer.has("0a", "a0", "0A", "A0") and not _HINT.search(text):
        return
    tokens = _mixed_tokens(text)
    readings = {token: _read(token) for token in islice(tokens, _MOST_READ)}
    readings |= {token: token.translate(LEET) for token in islice(tokens, _MOST_READ, None)}
    gained = {word for word in readings.values() if word in common_words()}
    if not (is_telling(gained) or any(map(is_alone_telling, gained))) or len(gained) * 2 < len(readings):
        return
    if len(tokens) * 5 >= len(text.split()) * 2:  # most of the text is leet: then ``15`` is a word too
        digits = {token for token in _DIGITS.findall(text) if token.translate(LEET) in common_words()}
        readings |= {token: token.translate(LEET) for token in digits}
    patches: list[Patch] = []
    for match in _TOKEN.finditer(text):
        token = match.group().rstrip("!+")
        word = readings.get(token.lower(), "")
        if word and (word in common_words() or cost(word) <= 4.0 * len(word) + 8):
            patches.append(patch_of_text(match.start(), match.start() + len(token), word))
    if patches:
        yield Found(kind="leet", patches=tuple(patches), tested=True, place="inside")


def _mixed_tokens(text: str) -> set[str]:
    """Return the tokens with both letters and signs; a sign at the end is punctuation."""
    tokens: set[str] = set()
    for part in (part.strip(_EDGES) for part in text.split()):
        if not (part.isalpha() or part.isdigit()):
            tokens.update(token.rstrip("!+").lower() for token in _TOKEN.findall(part))
    return {t for t in tokens if 2 <= len(t) <= _LONGEST and not t.isalpha() and any(map(str.isalpha, t))}


def _read(token: str) -> str:
    """Return the most word-like reading of a token."""
    first = token.translate(LEET)
    if first in common_words():
        return first
    open_places = [i for i, sign in enumerate(token) if sign in _OTHER][:_MOST_CHOICES]
    readings = {first}
    for choice in product(*(_OTHER[token[i]] for i in open_places)):
        letters = list(first)
        for place, letter in zip(open_places, choice, strict=True):
            letters[place] = letter
        readings.add("".join(letters))
    return min(sorted(readings), key=cost)
