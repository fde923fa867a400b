"""Choose which parts of a long text the reader network reads, so that noise costs no more than language."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.core.entity import Entity
from proctor.models.local.linear_prefilter import LinearPrefilter
from proctor.models.local.tokenizer import Place
from proctor.text.normalise.language_likeness import is_noise, is_readable, mixes_scripts
from proctor.text.script_ranges import HAN, HANGUL

__all__ = ["WHOLE", "Choice", "choose"]

ROOM = 290  # tokens per KB of text: English has about 250, and much of it passes the prefilter
LEAST = 0.6  # KB: the part of a long text given to the network at once; minimum size for the budget
ODD_ROOM, NOISE_ROOM = 200, 48  # tokens per KB for chunks that are no language, in a text of language, or of noise
CHUNK = 160  # characters
WHOLE = 80  # tokens: a shorter text is read as a whole
SUSPECTED = 0.6  # score of an unread word that only looks like a name

_END = re.compile(r"[.!?]\s|[。！？\n]|\s")
_SENTENCE = ".!?。！？\n"
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_EAST_ASIAN = re.compile(f"[{HAN}々ァ-ヿ{HANGUL}]{{2,}}")


@dataclass(frozen=True, slots=True)
class Choice:
    """The tokens to read, as runs, and the unread spans that may contain a name."""

    runs: list[tuple[int, int]]
    left: list[tuple[int, int]]  # characters

    def suspected(self, text: str, prefilter: LinearPrefilter, offset: int) -> Iterator[Entity]:
        """Yield the words in unread spans that look like names: unread text must not be shown."""
        for start, end in self.left:
            for hit in (*_WORD.finditer(text, start, end), *_EAST_ASIAN.finditer(text, start, end)):
                word = hit.group()
                if _EAST_ASIAN.fullmatch(word) or prefilter.is_telling(word):
                    at, stop = offset + hit.start(), offset + hit.end()
                    yield Entity(start=at, end=stop, kind="PERSON", text=word, score=SUSPECTED, suspected=True)


def choose(text: str, places: Sequence[Place], prefilter: LinearPrefilter) -> Choice:
    """Return the chunks that the prefilter does not skip, the highest scores first, within the budget."""
    size = max(LEAST, len(text.encode("utf-8", "replace")) / 1024)
    strewn = mixes_scripts(text)  # words of many scripts: no chunk of it is a sentence
    odd_room = NOISE_ROOM if strewn or is_noise(text) else ODD_ROOM
    room, room_for_noise = int(ROOM * size), int(odd_room * size)
    begins = [start for start, _ in places]
    waiting = []
    for start, end in _chunks(text):
        first, after = bisect_left(begins, start), bisect_left(begins, end)
        chunk = text[start:end]
        logit = prefilter.logit(chunk if start == 0 or text[:start].rstrip(" ")[-1:] in _SENTENCE else f", {chunk}")
        if first < after and logit >= prefilter.low:
            waiting.append((strewn or not is_readable(chunk), -logit, first, after, start, end))
    runs, left = [], []
    for odd, _, first, after, start, end in sorted(waiting):
        if after - first > (room_for_noise if odd else room):
            left.append((start, end))
            continue
        room -= after - first
        room_for_noise = min(room, room_for_noise - (after - first) * odd)
        runs.append((first, after))
    return Choice(_merged(sorted(runs)), left)


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Split the text into chunks that end with a sentence or at least with a word, if possible."""
    start = 0
    while start < len(text):
        stop = min(len(text), start + CHUNK)
        if stop < len(text):
            ends = [hit.end() for hit in _END.finditer(text, start + CHUNK // 2, stop)]
            sentences = [end for end in ends if text[start:end].rstrip(" ")[-1:] in _SENTENCE]
            stop = (sentences or ends or [stop])[-1]
        yield start, stop
        start = stop


def _merged(runs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the runs in order, with adjacent ones merged."""
    found: list[tuple[int, int]] = []
    for first, after in runs:
        if found and found[-1][1] == first:
            found[-1] = found[-1][0], after
        else:
            found.append((first, after))
    return found
