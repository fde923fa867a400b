"""Detect attempts to take over a model: decoded views, a fast linear prefilter and a small transformer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from threading import Event
from typing import Literal

import numpy as np

from proctor.core.errors import InputError, StoreError
from proctor.models.local.batcher import LARGE_MOST, MOST, Batcher
from proctor.models.local.model_registry import network_of, pieces_of, weights_of
from proctor.models.local.ngrams import Linear
from proctor.models.local.probabilities import sigmoid, softmax
from proctor.models.local.second_opinion import mixture_of, second_network
from proctor.models.local.tokenizer import END, START, Line, Pieces
from proctor.models.local.weights import HINT
from proctor.models.local.windows import spread, windows
from proctor.text.normalise import MAX_CLASSIFIED_CHARS, DocumentText, Searched, SearchedDocument, normalise, views
from proctor.text.normalise.language_likeness import is_noise, is_readable, mixes_scripts

__all__ = ["CATEGORIES", "CascadeReading", "Channel", "InjectionClassifier"]

Channel = Literal["user", "document"]

CATEGORIES = ("override", "hijack", "smuggling", "extraction", "jailbreak", "indirect")
# encodings in which no character represents itself
CODES = frozenset(("ascii85", "base32", "base64", "escape", "hex", "html", "percent"))
CODE = 16  # minimum characters of a run of code
SEGMENT, OVERLAP = 600, 100  # characters
SEGMENTS = 8  # per text for the transformer: those that the prefilter scores highest
ROOM = 300  # tokens read per KB of text: enough for any language, and for most of a table or of code
SMALL, HIDING = 1.0, 0.6  # KB: minimum size for the budget; HIDING for a text that decodes to others
NOISE_ROOM = 48  # tokens per KB for noise, which has more tokens and no meaning
MIXED_ROOM = 120  # tokens per KB for mixed words of many scripts: only the most suspicious part is read
FEW, LEAST = 12, 3  # a segment of at most FEW characters with fewer than LEAST letters or digits is skipped
DENSE = 0.65  # tokens per byte; more means no language but a row of signs, such as ``\\u0627\\u0644``
BRIEF = 60  # characters; shorter text cannot be recognised as noise
FEWEST = 24  # tokens: with less budget left no further line is started
CUT = 64  # tokens: with less budget left no line is truncated to fit, since a fragment looks odd
UNREAD = 5.0  # prefilter logit from which a segment that did not fit is reported
SURE, LONG = 9.5, 400  # logit from which the prefilter alone decides, for texts with more characters than LONG
LONGEST = 160  # tokens in one window
PLANS = 256  # cached prefilter results of short texts that wait for the transformer
FLOOR = -9.0  # logit of a text that the prefilter lets pass
SECOND = 2  # segments of a text that the multilingual network reads


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeReading:
    """The result for one text: the logit, the categories' shares, and the encoding it was hidden in."""

    logit: float
    categories: tuple[float, ...] = (0.0,) * len(CATEGORIES)
    hidden: tuple[str, ...] = ()
    read: bool = False  # whether the transformer was used
    left: bool = False  # whether suspicious text was left unread


@dataclass(frozen=True, kw_only=True)
class InjectionClassifier:
    """Probabilities that a text is an injection or a jailbreak, and of which kind.

    The labels are ``injection`` and ``benign``, which add to one, and the six kinds, which add to ``injection``. For a
    long text the most suspicious parts are read; ``unread`` is 1 if suspicious text was left unread, else 0. A text
    that is ``Searched`` is not decoded. A text is read as a user's message unless it is a ``DocumentText``
    or ``channel`` is ``document``: an instruction in a document or a tool result is suspicious.
    ``second_opinion=False`` leaves the multilingual network out. With ``large``, the folder of fetched models, the
    large network takes its place and reads every text.
    """

    folder: Path | None = None
    threads: int = 1
    second_opinion: bool = True
    large: Path | None = None
    _batcher: Batcher[str, CascadeReading] = field(init=False, repr=False, compare=False)
    _ready: Event = field(init=False, repr=False, compare=False, default_factory=Event)
    _plans: dict[str, _Plan] = field(init=False, repr=False, compare=False, default_factory=dict)  # short texts

    def __post_init__(self) -> None:
        most = MOST if self.large is None else LARGE_MOST
        object.__setattr__(self, "_batcher", Batcher(self.readings, most=most, settle=self._settled))

    async def classify(self, texts: Sequence[str], *, channel: Channel = "user") -> Sequence[Mapping[str, float]]:
        """Return one mapping of label to probability per text."""
        return [self.labels(reading) for reading in await self.read(texts, channel=channel)]

    async def read(self, texts: Sequence[str], *, channel: Channel = "user") -> list[CascadeReading]:
        """Return the result of the cascade for each text.

        Raises:
            InputError: a text is too long to be read whole.
        """
        longest = max(map(len, texts), default=0)
        if longest > MAX_CLASSIFIED_CHARS:
            raise InputError(
                f"a text of {longest:,} characters is too long to look for injections in; at most "
                f"{MAX_CLASSIFIED_CHARS:,}",
                hint="split the text: no setting raises this limit",
            )
        return await self._batcher.ask([_of_document(text) for text in texts] if channel == "document" else texts)

    def threshold(self, level: str = "1%") -> float:
        """Return the probability threshold with that false positive rate on harmless support messages; .5 or more.

        The rate on other traffic is higher: the card has it for general messages and for documents.
        """
        return weights_of(self.folder).threshold("injection", level)

    def readings(self, texts: Sequence[str]) -> list[CascadeReading]:
        """Return the result of the cascade for each text; the work is bounded whatever the length."""
        network = network_of("injection", self.folder, self.threads)
        waiting = [self._plans.pop(text, None) for text in texts]
        plans = [self._plan(text) if plan is None else plan for text, plan in zip(texts, waiting, strict=True)]
        self._ready.set()
        cut = [_lines(plan, pieces_of(self.folder), _linear(self.folder)) for plan in plans]
        many = [[line for line, _ in some] for some, _ in cut]
        # a document is told apart by the part that its pieces are of
        lines, owners = spread(
            [
                [replace(line, second=0) for line in some] if plan.document else some
                for some, plan in zip(many, plans, strict=True)
            ]
        )
        outputs = network.run(lines) if lines else []
        seen: list[list[_LineReading]] = [[] for _ in plans]
        places = [at for some, _ in cut for _, at in some]
        for owner, at, (output,) in zip(owners, places, outputs, strict=True):
            seen[owner].append(_LineReading(float(output[0]), softmax(output[1:].tolist()), at))
        found = [_reading(said, plan, left) for said, plan, (_, left) in zip(seen, plans, cut, strict=True)]
        return [self._weighed(*each) for each in zip(found, plans, seen, strict=True)]

    def _weighed(self, reading: CascadeReading, plan: _Plan, said: Sequence[_LineReading]) -> CascadeReading:
        """Return the result with the second opinion, where the first look or the first network is suspicious.

        The second network reads the segments that the first one suspects most; each is weighed by itself.
        """
        channel: Channel = "document" if plan.document else "user"
        mixture = mixture_of(self.folder, channel, self.large) if self.second_opinion and reading.read else None
        if mixture is None:
            return reading
        settings = weights_of(self.folder).of("injection")
        slope, offset = float(settings.get("slope", 1.0)), float(settings.get("offset", 0.0))
        if plan.linear < mixture.ask and slope * reading.logit + offset < 0:
            return reading
        firsts: dict[int, float] = {}
        for each in said:
            firsts[each.segment] = max(each.logit, firsts.get(each.segment, each.logit))
        chosen = sorted(firsts, key=firsts.__getitem__, reverse=True)[:SECOND]
        network = second_network(self.folder, self.threads, self.large)
        seconds = network.read([plan.segments[at][1] for at in chosen], channel)
        both = max(mixture.logit(firsts[at], each.attack) for at, each in zip(chosen, seconds, strict=True))
        return replace(reading, logit=(both - offset) / slope)

    def first_look(self, texts: Sequence[str]) -> list[float]:
        """Return the logit of the linear prefilter for each text; 0 is even odds."""
        return [_linear(self.folder).logit(text) for text in texts]

    def _plan(self, text: str) -> _Plan:
        low = float(weights_of(self.folder).of("injection").get("low", FLOOR)) if self.large is None else -math.inf
        return _plan(text, _linear(self.folder), low)

    def _settled(self, text: str) -> CascadeReading | None:
        """Return what the prefilter alone decides; None until everything is loaded, which blocks the event loop."""
        if not self._ready.is_set():
            return None
        plan = self._plan(text)
        if not plan.segments:
            return _reading([], plan, False)
        held = list(self._plans)  # a copy: another thread may remove plans meanwhile
        for oldest in held[: max(0, len(held) - PLANS + 1)]:  # their callers are gone
            self._plans.pop(oldest, None)
        self._plans[text] = plan
        return None

    def labels(self, reading: CascadeReading) -> Mapping[str, float]:
        """Return the calibrated probabilities of a result."""
        settings = weights_of(self.folder).of("injection")
        share = sigmoid(float(settings.get("slope", 1.0)) * reading.logit + float(settings.get("offset", 0.0)))
        kinds = {name: share * part for name, part in zip(CATEGORIES, reading.categories, strict=True)}
        return {"injection": share, "benign": 1 - share, **kinds, "unread": float(reading.left)}


@dataclass(frozen=True, slots=True)
class _LineReading:
    """The result of the transformer for one line: the logit, the categories' shares, and the segment it is from."""

    logit: float
    categories: tuple[float, ...]
    segment: int


@dataclass(frozen=True, slots=True)
class _Plan:
    """The segments of a text for the transformer, each with its prefilter logit and its encodings."""

    segments: list[tuple[float, str, tuple[str, ...]]]
    linear: float
    room: int  # tokens
    document: bool = False


def _plan(text: str, linear: Linear, low: float) -> _Plan:
    candidates = [(str(text), ())] if isinstance(text, Searched) else _readings(text)
    # Score decoded text instead of its code, which looks like an attack whatever it contains.
    coded = any(kinds and kinds[0] in CODES for _, kinds in candidates)
    scored = []
    for candidate, kinds in candidates:
        for segment in _segments(" ".join(candidate.split())):
            if len(segment) <= FEW and sum(map(str.isalnum, segment)) < LEAST:
                continue
            if kinds or not coded or not _is_code(segment):
                scored.append((linear.logit(segment), segment, kinds))
    scored.sort(key=lambda x: -x[0])
    # a short text that decodes to many others must not cost as much as a long one
    most = min(SEGMENTS, 3 + len(text) // 250)
    chosen = [each for each in scored[:most] if each[0] > low]
    first = scored[0][0] if scored else FLOOR
    if first >= SURE and len(text) > LONG:
        chosen = []
    size = len(text.encode("utf-8", "replace")) / 1024
    least = SMALL if len(candidates) == 1 else HIDING
    return _Plan(chosen, first, int(ROOM * max(least, size)), isinstance(text, DocumentText | SearchedDocument))


def _of_document(text: str) -> str:
    """The text, marked as what a document or a tool says."""
    if isinstance(text, DocumentText | SearchedDocument):
        return text
    return SearchedDocument(text) if isinstance(text, Searched) else DocumentText(text)


def _readings(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the normalised text, and the texts hidden in it."""
    plain = normalise(text)
    return [(plain.plain, ()), *((view.text, view.kinds) for view in views(plain))]


def _is_code(segment: str) -> bool:
    """Return whether there is only code; clear words beside it are read, however few."""
    return segment.isascii() and all(len(word) >= CODE and not is_readable(word) for word in segment.split())


def _segments(text: str) -> list[str]:
    if len(text) <= SEGMENT + OVERLAP:
        return [text] if text else []
    return [text[i : i + SEGMENT] for i in range(0, len(text) - OVERLAP, SEGMENT - OVERLAP)]


def _lines(plan: _Plan, pieces: Pieces, linear: Linear) -> tuple[list[tuple[Line, int]], bool]:
    """Return the lines of a text to read within its budget, the most suspicious first, and whether any is left.

    Each line comes with the number of its segment.
    """
    found: list[tuple[Line, int]] = []
    room = plan.room
    odd_room = {share: plan.room * share // ROOM for share in (NOISE_ROOM, MIXED_ROOM)}
    left = False
    for at, (logit, segment, _) in enumerate(plan.segments):
        numbers = pieces.numbers([segment])[0]
        odd = _odd(segment, len(numbers))
        if odd:
            lines = _telling(segment, numbers, min(odd_room[odd], room, LONGEST), pieces, linear)
        else:
            lines = windows(numbers, LONGEST, most=4)
        for whole in lines:
            left = left or (room < len(whole.ids) and logit >= UNREAD)
            if room < min(CUT, len(whole.ids)):
                break
            line = whole if room >= len(whole.ids) else Line((*whole.ids[: room - 1], END))
            found.append((line, at))
            room -= len(line.ids)
            if odd:
                odd_room[odd] -= len(line.ids)
        left = left or (not lines and logit >= UNREAD)
    return found, left


def _odd(segment: str, count: int) -> int:
    """Return the budget for text that is no language or no sentence; 0 for normal text."""
    if len(segment) <= BRIEF:
        return 0
    if is_noise(segment):
        return NOISE_ROOM
    dense = count > DENSE * len(segment.encode("utf-8", "replace"))
    return MIXED_ROOM if dense or mixes_scripts(segment) else 0


def _telling(segment: str, numbers: Sequence[int], room: int, pieces: Pieces, linear: Linear) -> list[Line]:
    """Return the most suspicious part of a segment that exceeds the budget; nothing if there is none left."""
    if room < FEWEST:
        return []
    if len(numbers) > room - 2:
        step = max(16, len(segment) * room // len(numbers))
        parts = (segment[at : at + step] for at in range(0, len(segment), max(1, step * 3 // 4)))
        numbers = pieces.numbers([max(parts, key=linear.logit)])[0][: room - 2]
    return [Line((START, *numbers, END))]


def _reading(said: Sequence[_LineReading], plan: _Plan, left: bool) -> CascadeReading:
    if not said:
        return CascadeReading(
            logit=plan.linear if plan.linear >= SURE else FLOOR + max(-1.0, plan.linear / 100), left=left
        )
    most = max(said, key=lambda each: each.logit)
    shares, kinds = most.categories, plan.segments[most.segment][2]
    if kinds:  # hidden text is smuggling, whatever it contains
        shares = tuple(
            0.1 * share + (0.9 if name == "smuggling" else 0) for name, share in zip(CATEGORIES, shares, strict=True)
        )
    return CascadeReading(logit=most.logit, categories=shares, hidden=kinds, read=True, left=left)


@cache
def _linear(folder: Path | None) -> Linear:
    file = weights_of(folder).path("linear.npz")
    try:
        with np.load(file, allow_pickle=False) as kept:
            return Linear(kept["weights"], float(kept["scale"]), float(kept["bias"]))
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(file), hint=HINT) from broken
