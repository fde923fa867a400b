"""Transform texts that cannot be read, by rotation or reversal on a guess, to search them for encodings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proctor.text.normalise.decoders.ciphers import ROT13
from proctor.text.normalise.decoders.leet import LEET
from proctor.text.normalise.decoders.reversal import reverse
from proctor.text.normalise.decoders.rewrites import is_telling
from proctor.text.normalise.language_likeness import known_words
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, patch_of_text

__all__ = ["disguises"]

_BLOB_LENGTH = 16
_MIXED = re.compile(r"[0-9][A-Za-z]|[a-z][A-Z]|[A-Za-z][0-9]")
_LEET_WORDS = re.compile(r"[A-Za-z][013457][A-Za-z]")
_FEWEST_SIGNS = 8


def disguises(layer: Layer, barred: frozenset[str]) -> Iterator[Found]:
    """Yield the text rotated and reversed if it cannot be read; none of these is a view by itself."""
    text = layer.text
    if not (_has_codes(layer) or _has_blob(layer) or (layer.is_odd and (_is_doubled(layer) or layer.has("aA", "0A")))):
        return
    if "rot13" not in barred:
        yield Found(kind="rot13", patches=(patch_of_text(0, len(text), text.translate(ROT13)),), place="alone")
    if "reversed" not in barred:
        yield Found(kind="reversed", patches=(reverse(text, 0, len(text)),), place="alone")
    if layer.is_odd and "leet" not in barred and len(_LEET_WORDS.findall(text)) > 2:
        yield Found(kind="leet", patches=(patch_of_text(0, len(text), text.translate(LEET).lower()),), place="alone")


def _has_codes(layer: Layer) -> bool:
    """Whether numbers, or dots and dashes, are a large part of the text."""
    digits, signs = layer.shape.count("0"), layer.shape.count("-")
    length = len(layer.text)
    return (digits >= _FEWEST_SIGNS and digits * 5 >= length) or (signs >= _FEWEST_SIGNS and signs * 3 >= length)


def _has_blob(layer: Layer) -> bool:
    """Whether a long token mixes cases or letters and digits."""
    if layer.longest < _BLOB_LENGTH or not layer.has("0a", "0A", "a0", "A0", "aA"):
        return False
    return any(_MIXED.search(token) for token in layer.text.split() if len(token) >= _BLOB_LENGTH)


def _is_doubled(layer: Layer) -> bool:
    """Whether two rewritings at once would give words: reversed and rotated, or with signs for letters."""
    turned = " ".join(layer.unknown)[::-1].translate(ROT13).split()
    return is_telling(known_words(set(turned))) or len(_LEET_WORDS.findall(layer.text)) > 2
