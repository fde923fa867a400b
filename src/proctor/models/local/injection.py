"""Finds attempts to take over a model: a cascade of decoded views, a fast linear stage and a small transformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Event

import numpy as np

from proctor.core.errors import InputError, StoreError
from proctor.models.local.batching import Batcher
from proctor.models.local.house import network_of, pieces_of, weights_of
from proctor.models.local.ngrams import Linear
from proctor.models.local.shares import sigmoid, softmax
from proctor.models.local.weights import MEND
from proctor.models.local.windows import spread, windows
from proctor.text.normalise import normalise, views

__all__ = ["CATEGORIES", "InjectionClassifier", "Reading"]

CATEGORIES = ("override", "hijack", "smuggling", "extraction", "jailbreak", "indirect")
SEGMENT, OVERLAP = 600, 100  # letters
SEGMENTS = 8  # of one text that the transformer reads: those that the first stage finds most suspicious
LETTERS = 2_000_000  # of one text: a longer one is refused, since an attack could stand in what was not read
LONGEST = 160  # pieces in one window
PLANS = 256  # short texts on their way to the transformer whose first stages need not be run again
FLOOR = -9.0  # the logit of a text that the first stage lets pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the cascade saw in one text: the logit, the categories' shares, and the encoding it was hidden in."""

    logit: float
    categories: tuple[float, ...] = (0.0,) * len(CATEGORIES)
    hidden: tuple[str, ...] = ()
    read: bool = False  # whether the transformer was asked


@dataclass(frozen=True, kw_only=True)
class InjectionClassifier:
    """Probabilities that a text is an injection or a jailbreak, and of which kind.

    The labels are ``injection`` and ``benign``, which add to one, and the six kinds, which add to ``injection``.
    """

    folder: Path | None = None
    threads: int = 1
    _batcher: Batcher[str, Reading] = field(init=False, repr=False, compare=False)
    _ready: Event = field(init=False, repr=False, compare=False, default_factory=Event)
    _plans: dict[str, _Plan] = field(init=False, repr=False, compare=False, default_factory=dict)  # short, to be read

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self.readings, settle=self._settled))

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """One mapping of label to probability per text."""
        return [self.labels(reading) for reading in await self.read(texts)]

    async def read(self, texts: Sequence[str]) -> list[Reading]:
        """What the cascade sees in each text.

        Raises:
            InputError: a text is too long to be read whole.
        """
        longest = max(map(len, texts), default=0)
        if longest > LETTERS:
            raise InputError(
                f"a text of {longest} characters is too long to look for injections in; at most {LETTERS}",
                mend="split the text",
            )
        return await self._batcher.ask(texts)

    def threshold(self, level: str = "1%") -> float:
        """The probability above which that share of harmless support messages would be flagged."""
        return weights_of(self.folder).threshold("injection", level)

    def readings(self, texts: Sequence[str]) -> list[Reading]:
        """What the cascade sees in each text; the work is bounded whatever the length."""
        network = network_of("injection", self.folder, self.threads)
        plans = [self._plans.pop(text) if text in self._plans else self._plan(text) for text in texts]
        self._ready.set()
        segments = [segment for plan in plans for segment in plan.segments]
        pieces = pieces_of(self.folder)
        lines, owners = spread([windows(n, LONGEST, most=4) for n in pieces.numbers([s for s, _ in segments])])
        outputs = network.run(lines) if lines else []
        best: dict[int, tuple[float, tuple[float, ...]]] = {}
        for owner, (output,) in zip(owners, outputs, strict=True):
            logit = float(output[0])
            if owner not in best or logit > best[owner][0]:
                best[owner] = (logit, softmax(output[1:].tolist()))
        found, at = [], 0
        for plan in plans:
            mine = [(best[at + i], kinds) for i, (_, kinds) in enumerate(plan.segments)]
            at += len(plan.segments)
            found.append(_reading(mine, plan.linear))
        return found

    def _plan(self, text: str) -> _Plan:
        low = float(weights_of(self.folder).of("injection").get("low", FLOOR))
        return _plan(text, _linear(self.folder), low)

    def _settled(self, text: str) -> Reading | None:
        """What the first stages alone decide; nothing before all is loaded, which takes too long for an event loop."""
        if not self._ready.is_set():
            return None
        plan = self._plan(text)
        if not plan.segments:
            return _reading([], plan.linear)
        while len(self._plans) >= PLANS:  # nobody came for the oldest: its caller has gone
            self._plans.pop(next(iter(self._plans)), None)
        self._plans[text] = plan
        return None

    def labels(self, reading: Reading) -> Mapping[str, float]:
        """The calibrated probabilities of a reading."""
        settings = weights_of(self.folder).of("injection")
        share = sigmoid(float(settings.get("slope", 1.0)) * reading.logit + float(settings.get("offset", 0.0)))
        kinds = {name: share * part for name, part in zip(CATEGORIES, reading.categories, strict=True)}
        return {"injection": share, "benign": 1 - share, **kinds}


@dataclass(frozen=True, slots=True)
class _Plan:
    """The segments of a text that deserve the transformer, with the encoding each was hidden in."""

    segments: list[tuple[str, tuple[str, ...]]]
    linear: float


def _plan(text: str, linear: Linear, low: float) -> _Plan:
    plain = normalise(text)
    candidates = [(plain.plain, ())] + [(view.text, view.kinds) for view in views(plain)]
    scored = []
    for candidate, kinds in candidates:
        for segment in _segments(" ".join(candidate.split())):
            scored.append((linear.logit(segment), segment, kinds))
    scored.sort(key=lambda x: -x[0])
    # a short text that decodes to many others must not cost what a long one does
    most = min(SEGMENTS, 3 + len(text) // 250)
    chosen = [(segment, kinds) for logit, segment, kinds in scored[:most] if logit > low]
    return _Plan(chosen, scored[0][0] if scored else FLOOR)


def _segments(text: str) -> list[str]:
    if len(text) <= SEGMENT + OVERLAP:
        return [text] if text else []
    return [text[i : i + SEGMENT] for i in range(0, len(text) - OVERLAP, SEGMENT - OVERLAP)]


def _reading(seen: Sequence[tuple[tuple[float, tuple[float, ...]], tuple[str, ...]]], linear: float) -> Reading:
    if not seen:
        return Reading(logit=FLOOR + max(-1.0, linear / 100))
    (logit, shares), kinds = max(seen, key=lambda x: x[0][0])
    if kinds:  # whatever it says, it came hidden
        shares = tuple(
            0.1 * share + (0.9 if name == "smuggling" else 0) for name, share in zip(CATEGORIES, shares, strict=True)
        )
    return Reading(logit=logit, categories=shares, hidden=kinds, read=True)


@cache
def _linear(folder: Path | None) -> Linear:
    file = weights_of(folder).path("linear.npz")
    try:
        with np.load(file, allow_pickle=False) as kept:
            return Linear(kept["weights"], float(kept["scale"]), float(kept["bias"]))
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(file), mend=MEND) from broken
