"""Find invisible text: in tag characters, variation selectors, zero-width bits, and behind bidi overrides."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, permutations

from proctor.text.normalise.characters import TAGS, VARIATION
from proctor.text.normalise.decoders.bits import Chunk, Codec
from proctor.text.normalise.decoders.hexadecimal import BINARY
from proctor.text.normalise.decoders.reversal import reverse
from proctor.text.normalise.emoji import flag_tags, keeps_selector
from proctor.text.normalise.language_likeness import is_readable, letter_words, per_letter
from proctor.text.normalise.offsets import OffsetMap
from proctor.text.normalise.patches import Found, Patch
from proctor.text.normalise.results import Normalised

__all__ = ["find_smuggled"]

_TAG = re.compile(f"[{TAGS}]")
_SELECTOR = re.compile(f"[{VARIATION}]")
_BIT = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u180e\xad]")
_OVERRIDE = re.compile("\u202e([^\u202a-\u202e\u2066-\u2069\n]{2,})")
_FEWEST_BITS = 16
_MOST_OVERRIDES = 64
_BYTES = Codec(bits=8, to_bytes=lambda characters: characters.encode("latin-1"))


def find_smuggled(normalised: Normalised) -> Iterator[Found]:
    """Find every text hidden in invisible characters; offsets refer to the text before normalisation."""
    text = normalised.original
    for signal in normalised.signals:
        if signal.kind in _HIDING:
            yield from _HIDING[signal.kind](text)


def _tags(text: str) -> Iterator[Found]:
    """Decode tag characters, which mirror ASCII; those of real flags are skipped."""
    flags = {at for start, end in flag_tags(text) for at in range(start, end)}
    letters = [(m.start(), chr(ord(m.group()) - 0xE0000)) for m in _TAG.finditer(text) if m.start() not in flags]
    shown = [(at, letter) for at, letter in letters if letter.isprintable() or letter in "\t\n\r"]
    if shown:
        places = [at for at, _ in shown]
        decoded = "".join(letter for _, letter in shown)
        yield _hidden("tags", decoded, places, tested=any(map(str.isalnum, decoded)))


def _selectors(text: str) -> Iterator[Found]:
    """Decode the 256 variation selectors as byte values."""
    places = [m.start() for m in _SELECTOR.finditer(text) if not keeps_selector(text, m.start())]
    if len(places) < 2:
        return
    codes = ((at, ord(text[at])) for at in places)
    chunks = [(at, chr(code - 0xFE00 if code < 0x10000 else code - 0xE0100 + 16)) for at, code in codes]
    yield from _invisible("variation-selectors", _BYTES, chunks)


def _bits(text: str) -> Iterator[Found]:
    """Decode two zero-width characters as the bits 0 and 1."""
    places = [(m.start(), m.group()) for m in _BIT.finditer(text)]
    kinds = Counter(character for _, character in places).most_common(3)
    if len(places) < _FEWEST_BITS or len(kinds) < 2:
        return
    for (nought, _), (one, _) in permutations(kinds, 2):  # a third one may separate them
        digits = {nought: "0", one: "1"}
        yield from _invisible("zero-width-bits", BINARY, [(at, digits[c]) for at, c in places if c in digits], range(8))


def _invisible(kind: str, codec: Codec, chunks: list[Chunk], shifts: Sequence[int] = (0,)) -> Iterator[Found]:
    """Yield the text in invisible characters, as a whole or in parts."""
    whole = codec.patch(chunks)
    if whole:
        yield Found(kind=kind, patches=(whole,), tested=is_readable(whole.decoded), place="alone")
    elif parts := codec.parts(chunks, shifts, shortest=4):
        yield Found(kind=kind, patches=tuple(parts), tested=True, place="alone")


def _overridden(text: str) -> Iterator[Found]:
    """Reverse the text after a right-to-left override, as it is displayed."""
    patches = []
    for match in islice(_OVERRIDE.finditer(text), _MOST_OVERRIDES):
        patch = reverse(text, *match.span(1))
        before, after = letter_words(match.group(1)), letter_words(patch.decoded)
        is_latin = any(map(str.isascii, before))
        if per_letter(after) < per_letter(before) and is_readable(patch.decoded) if is_latin else len(before) > 0:
            patches.append(patch)
    if patches:
        yield Found(kind="override", patches=tuple(patches), tested=True)


_HIDING = {
    "tag": _tags,
    "variation-selector": _selectors,
    "zero-width": _bits,
    "bidirectional": _overridden,
}


def _hidden(kind: str, decoded: str, places: Sequence[int], *, tested: bool) -> Found:
    offsets = OffsetMap(array("I", places), array("I", (at + 1 for at in places)))
    patch = Patch(start=places[0], end=places[-1] + 1, decoded=decoded, offsets=offsets)
    return Found(kind=kind, patches=(patch,), tested=tested, place="alone")
