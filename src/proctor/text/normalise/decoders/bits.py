"""Shared code for encodings with a fixed number of bits per character."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from proctor.text.normalise.language_likeness import is_readable, letter_words, per_letter
from proctor.text.normalise.offsets import byte_widths
from proctor.text.normalise.patches import Patch, patch_of_bytes

__all__ = ["Chunk", "Codec", "decode_run", "text_of"]

Chunk = tuple[int, str]  # start, characters

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_TEXT_IN_BYTES = re.compile(
    rb"(?:[\t\n\r -~]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}){4,}"
)
_CHUNKS_TRIED_ALONE = 512
_MOST_PARTS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Codec:
    """Characters of ``bits`` bits each, and the function that converts them to bytes."""

    bits: int
    to_bytes: Callable[[str], bytes | None]

    def patch(self, chunks: Sequence[Chunk]) -> Patch | None:
        """Decode the chunks as one; None if they are not printable text."""
        data = self.to_bytes("".join(characters for _, characters in chunks))
        found = text_of(data) if data else None
        if data is None or found is None:
            return None
        return self._place(chunks, found, 0, range(len(data)))

    def parts(self, chunks: Sequence[Chunk], shifts: Sequence[int] = (0,), shortest: int = 9) -> list[Patch]:
        """Return the readable texts inside the chunks if there is other data before, after or between them.

        ``shifts``: how many leading characters to skip, each tried.
        """
        characters = "".join(characters for _, characters in chunks)
        found = [
            (shift, match.start(), match.group())
            for shift in shifts
            for match in _TEXT_IN_BYTES.finditer(self.to_bytes(characters[shift:]) or b"")
            if match.end() - match.start() >= shortest
        ]
        patches: list[Patch] = []
        for shift, first, data in sorted(found, key=lambda part: -len(part[2]))[:_MOST_PARTS]:
            text = text_of(data)
            if text is None or not is_readable(text[0]):
                continue
            patch = self._place(chunks, text, shift, range(first, first + len(data)))
            if all(patch.end <= other.start or patch.start >= other.end for other in patches):
                patches.append(patch)
        return sorted(patches, key=lambda patch: patch.start)

    def _place(self, chunks: Sequence[Chunk], found: tuple[str, Sequence[int]], shift: int, sent: range) -> Patch:
        places = list(chain.from_iterable(range(at, at + len(characters)) for at, characters in chunks))
        bits = self.bits
        starts = array("I", (places[shift + 8 * byte // bits] for byte in sent))
        ends = array("I", (places[shift + (8 * byte + 7) // bits] + 1 for byte in sent))
        return patch_of_bytes(*found, starts, ends)


def text_of(data: bytes) -> tuple[str, Sequence[int]] | None:
    """Decode bytes to printable text, with the bytes per character; None if they are not text."""
    two_bytes = len(data) >= 8 and len(data) % 2 == 0 and data[1::2].count(0) * 10 >= len(data) * 4
    try:
        text = data.decode("utf-16-le" if two_bytes else "utf-8")
    except UnicodeDecodeError:
        return None
    if _UNPRINTABLE.search(text) or (two_bytes and len(text) * 2 != len(data)):
        return None
    return text, b"\x02" * len(text) if two_bytes else byte_widths(text)


def decode_run(codec: Codec, chunks: Sequence[Chunk], shortest_alone: int = 4) -> list[Patch]:
    """Decode consecutive chunks as one text or as one text each, whichever reads better."""
    joined = codec.patch(chunks)
    if len(chunks) == 1:
        return [joined] if joined else []
    if len(chunks) > _CHUNKS_TRIED_ALONE or max(len(characters) * codec.bits for _, characters in chunks) <= 8:
        return [joined] if joined else []
    alone = [patch for chunk in chunks if len(chunk[1]) >= shortest_alone if (patch := codec.patch([chunk]))]
    if not joined:
        return alone
    if len(alone) == len(chunks):
        apart = " ".join(patch.decoded for patch in alone)
        if per_letter(letter_words(apart)) < per_letter(letter_words(joined.decoded)):
            return alone
    return [joined]
