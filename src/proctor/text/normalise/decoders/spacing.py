"""Join words that were split: ``i g n o r e``, ``i.g.n.o.r.e``, ``ig-no-re``."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from proctor.text.normalise.decoders.rewrites import is_alone_telling, is_telling
from proctor.text.normalise.language_likeness import common_words
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.offsets import OffsetMap
from proctor.text.normalise.patches import Found, Patch, patch_of_text
from proctor.text.normalise.split_joined_words import split_glued
from proctor.text.script_ranges import EAST_ASIAN, THAI

__all__ = ["find_hyphenated", "find_spaced", "joined"]

_GAP = r"[\s.,:;\-_*|/\\~+^'\"·•()\[\]]{1,5}"
_LETTERS_APART = re.compile(rf"(?<![^\W_])[^\W_](?:{_GAP}[^\W_](?![^\W_])){{3,}}")
_LETTER = re.compile(r"[^\W_]")
_TORN = re.compile(r"(?<![A-Za-z])[A-Za-z]+(?:[.\-_*~^/|\\+][A-Za-z]+){1,8}(?![A-Za-z])")
_NOT_LETTERS = re.compile(r"[^A-Za-z]+")
_LONGEST_GLUED = 400
_LONGEST_RUN = 4_000
_FEWEST_LETTERS = 4
_SHORTEST_UNSPACED = 8  # learners' texts separate Chinese and Japanese words, many of one character
_UNSPACED = re.compile(f"[{EAST_ASIAN}{THAI}]")


def find_spaced(layer: Layer) -> Iterator[Found]:
    """Find and join single letters."""
    text = layer.text
    lengths = list(map(len, layer.words))
    if lengths.count(1) < _FEWEST_LETTERS or "1111" not in "".join(["1" if n == 1 else " " for n in lengths]):
        return
    patches = [patch for match in _LETTERS_APART.finditer(text) if (patch := _put_together(match))]
    if patches:
        yield Found(kind="spaced", patches=tuple(patches))


def _put_together(match: re.Match[str]) -> Patch | None:
    run = match.group()[:_LONGEST_RUN]
    places = [letter.start() for letter in _LETTER.finditer(run)]
    gaps = [run[a + 1 : b] for a, b in pairwise(places)]
    usual = Counter(gaps).most_common(1)[0][0]
    breaks = {number + 1 for number, gap in enumerate(gaps) if gap != usual and len(gap) >= len(usual)}
    letters = [run[at] for at in places]
    if sum(map(str.isalpha, letters)) < _FEWEST_LETTERS + (len(breaks) == 0):
        return None
    if not breaks and not _UNSPACED.search(run):
        words = split_glued("".join(letters[:_LONGEST_GLUED]).lower())
        if words and len(words) > 1:
            breaks = _ends(words)
    patch = joined(match.start(), places, letters, breaks)
    longest = max(map(len, patch.decoded.split()))
    return patch if longest >= (_SHORTEST_UNSPACED if _UNSPACED.search(run) else 3) else None


def _ends(words: list[str]) -> set[int]:
    at, found = 0, set()
    for word in words[:-1]:
        at += len(word)
        found.add(at)
    return found


def joined(start: int, places: Sequence[int], letters: Sequence[str], breaks: set[int]) -> Patch:
    """Return a patch with the letters at these offsets, and a space before each index in ``breaks``."""
    out: list[str] = []
    starts, ends = array("I"), array("I")
    for number, (at, letter) in enumerate(zip(places, letters, strict=True)):
        if number in breaks:
            out.append(" ")
            before = places[number - 1] + 1
            starts.append(start + min(before, at))
            ends.append(start + max(at, before + 1) if at > before else start + at + 1)
        out.append(letter)
        starts.append(start + at)
        ends.append(start + at + 1)
    return Patch(start=starts[0], end=ends[-1], decoded="".join(out), offsets=OffsetMap(starts, ends))


def find_hyphenated(layer: Layer) -> Iterator[Found]:
    """Find words with signs inside them, where only the whole is a word."""
    if not layer.has("a-a", "a-A", "A-a", "A-A"):
        return
    patches: list[Patch] = []
    gained: set[str] = set()
    torn: set[str] = set()
    hidden: set[str] = set()  # no part of these is a word
    known = common_words()
    for match in _TORN.finditer(layer.text):
        parts = _NOT_LETTERS.split(match.group().lower())
        word = "".join(parts)
        if all(part in known for part in parts):
            continue
        torn.add(word)
        if word in known:
            patches.append(patch_of_text(*match.span(), _NOT_LETTERS.sub("", match.group())))
            gained.add(word)
            if known.isdisjoint(parts):
                hidden.add(word)
    if (is_telling(gained) or any(map(is_alone_telling, hidden))) and len(gained) * 2 >= len(torn):
        yield Found(kind="hyphenated", patches=tuple(patches), tested=True, place="inside")
