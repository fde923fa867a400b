"""Decode text written backwards: as a whole, word by word, or upside down."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proctor.text.normalise.decoders.rewrites import is_telling, rewritten_stretches
from proctor.text.normalise.language_likeness import known_words
from proctor.text.normalise.layer import Layer, Word
from proctor.text.normalise.offsets import OffsetMap
from proctor.text.normalise.patches import Found, Patch

__all__ = ["find_reversed", "find_upside_down", "reverse"]

_MARGIN = 1.5
_TOKEN = re.compile(r"\S+")
_TURNED = "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz˙"
_TURNED_LETTER = re.compile("[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]")
_UPRIGHT = "abcdefghijklmnopqrstuvwxyz."
_TURN = {**str.maketrans(_TURNED, _UPRIGHT), **str.maketrans("ı∀ᗺƆƎℲפſ˥ԀΛ⅄Ɫ", "iABCEFGJLPVYL")}


def reverse(text: str, start: int, end: int, turned: dict[int, int] | None = None) -> Patch:
    """Return a patch with ``text[start:end]`` reversed."""
    piece = text[start:end][::-1]
    offsets = OffsetMap(range(end - 1, start - 1, -1), range(end, start, -1), -1)
    return Patch(start=start, end=end, decoded=piece.translate(turned) if turned else piece, offsets=offsets)


def find_reversed(layer: Layer) -> Iterator[Found]:
    """Find every stretch that reads backwards; yield it reversed as a whole and word by word."""
    if len(layer.unknown) < 2:
        return
    text = layer.text
    words, found = rewritten_stretches(layer, lambda letters: letters[::-1], _MARGIN)
    if not found:
        return
    yield Found(
        kind="reversed", patches=tuple(reverse(text, *_bounds(text, words, *run)) for run in found), tested=True
    )
    single = tuple(reverse(text, start, end) for first, after in found for start, end, _ in words[first:after])
    yield Found(kind="reversed-words", patches=single, tested=True)


def find_upside_down(layer: Layer) -> Iterator[Found]:
    """Find upside-down letters, read from the end."""
    text = layer.text
    if text.isascii() or not _TURNED_LETTER.search(text):
        return
    turned = [
        match.span() for match in _TOKEN.finditer(text) if any(c > "\x7f" and c in _TURNED for c in match.group())
    ]
    if not turned:
        return
    patch = reverse(text, turned[0][0], turned[-1][1], _TURN)
    if is_telling(known_words(set(patch.decoded.lower().split()))):
        yield Found(kind="upside-down", patches=(patch,), tested=True)


def _bounds(text: str, words: list[Word], first: int, after: int) -> tuple[int, int]:
    """Return the span of the stretch with its punctuation."""
    if (first, after) == (0, len(words)):
        return 0, len(text)
    start, end = words[first][0], words[after - 1][1]
    while start > 0 and not (text[start - 1].isspace() or text[start - 1].isalnum()):
        start -= 1
    while end < len(text) and not (text[end].isspace() or text[end].isalnum()):
        end += 1
    return start, end
