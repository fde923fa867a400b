"""A decoder's findings: pieces of a text with their decoded form, and how to put them back."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from proctor.text.normalise.offsets import OffsetMap, identity

__all__ = ["Extent", "Found", "Patch", "gather", "patch_of_bytes", "patch_of_text", "splice"]

_CONTEXT = 512  # characters of clear text kept on each side of a decoded piece
_GAP = 12

# How much clear text goes with the decoded text: none, the rest of the tokens at its ends, or the context.
Extent = Literal["alone", "token", "wide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """``text[start:end]`` decodes to ``decoded``; ``offsets`` map it to that text."""

    start: int
    end: int
    decoded: str
    offsets: OffsetMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one decoder found in one text.

    ``tested``: the decoder itself checked that the result reads better than before. ``place``: the result is a text of
    its own (``alone``), makes sense only in its context (``inside``), or either, depending on its length (``either``).
    """

    kind: str
    patches: tuple[Patch, ...]
    tested: bool = False
    place: Literal["alone", "inside", "either"] = "either"


def patch_of_text(start: int, end: int, decoded: str) -> Patch:
    """Return a patch that maps characters one to one, or all to the whole span if the lengths differ."""
    if len(decoded) == end - start:
        return Patch(start=start, end=end, decoded=decoded, offsets=identity(end - start, start))
    count = len(decoded)
    return Patch(
        start=start, end=end, decoded=decoded, offsets=OffsetMap(array("I", [start] * count), array("I", [end] * count))
    )


def patch_of_bytes(decoded: str, widths: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> Patch:
    """Build a patch from bytes, given the bytes per character and the origin of each byte."""
    if len(decoded) == len(starts):
        offsets = OffsetMap(starts, ends)
    else:
        after = list(accumulate(widths, initial=0))
        offsets = OffsetMap(
            array("I", (starts[byte] for byte in after[:-1])), array("I", (ends[byte - 1] for byte in after[1:]))
        )
    return Patch(start=starts[0], end=ends[-1], decoded=decoded, offsets=offsets)


def gather(text: str, patches: Sequence[Patch]) -> list[tuple[Patch, ...]]:
    """Group patches that are separated only by a space or punctuation."""
    groups: list[list[Patch]] = []
    for patch in patches:
        if groups:
            gap = text[groups[-1][-1].end : patch.start]
            if len(gap) <= _GAP and not any(c.isalnum() for c in gap):
                groups[-1].append(patch)
                continue
        groups.append([patch])
    return [tuple(group) for group in groups]


def _extent(text: str, start: int, end: int, extent: Extent) -> tuple[int, int]:
    if extent == "alone":
        return start, end
    first, last = max(0, start - _CONTEXT), min(len(text), end + _CONTEXT)
    if extent == "wide":
        return first, last
    while start > first and not text[start - 1].isspace():
        start -= 1
    while end < last and not text[end].isspace():
        end += 1
    return start, end


def splice(text: str, patches: Sequence[Patch], extent: Extent = "alone") -> tuple[str, OffsetMap]:
    """Return the decoded pieces with the clear text between them, and as much context as ``extent`` selects."""
    at, stop = _extent(text, patches[0].start, patches[-1].end, extent)
    if len(patches) == 1 and (at, stop) == (patches[0].start, patches[0].end):
        return patches[0].decoded, patches[0].offsets
    parts: list[str] = []
    starts, ends = array("I"), array("I")
    for patch in patches:
        if at < patch.start:
            parts.append(text[at : patch.start])
            starts.extend(range(at, patch.start))
            ends.extend(range(at + 1, patch.start + 1))
        parts.append(patch.decoded)
        starts.extend(patch.offsets.starts)
        ends.extend(patch.offsets.ends)
        at = patch.end
    parts.append(text[at:stop])
    starts.extend(range(at, stop))
    ends.extend(range(at + 1, stop + 1))
    in_order = all(patch.offsets.direction > 0 or len(patch.decoded) == 1 for patch in patches)
    return "".join(parts), OffsetMap(starts, ends, 1 if in_order else 0)
