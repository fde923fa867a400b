"""How good an answer is as a whole: four dimensions, weighed by what the user wanted."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from proctor.core.case import Case
from proctor.core.decoding import decode
from proctor.core.errors import MalformedError
from proctor.core.score import Score
from proctor.core.sockets import Catalogue, Embedder, Entailer, Grounder, Model, Scorer, is_socket, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.consistency import Consistency
from proctor.scorers.answer.factual_accuracy import FactualAccuracy
from proctor.scorers.answer.fluency import Fluency
from proctor.scorers.answer.relevance import Relevance
from proctor.scorers.parts import combined
from proctor.scorers.passages import no_answer, quoted

__all__ = ["Blend", "Quality"]

THRESHOLD: Final = 0.75
_KINDS: Final[Mapping[str, Any]] = {
    "relevance": Relevance,
    "factual_accuracy": FactualAccuracy,
    "consistency": Consistency,
    "fluency": Fluency,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Blend:
    """How much each dimension weighs for one intent, and from which value on an answer passes.

    A dimension that ``optional`` names is left out where it does not apply (a greeting states no facts).
    """

    weights: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0.25))
    threshold: float = THRESHOLD
    optional: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*self.weights, *self.optional):
            if name not in _KINDS:
                raise ValueError(f"there is no dimension {name!r}; there are {', '.join(_KINDS)}")
        if not all(weight >= 0 for weight in self.weights.values()):
            raise ValueError("a weight is 0 or more")
        if not sum(self.weights.values()) > 0:
            raise ValueError("weights must name at least one dimension with more than 0")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"a threshold is from 0 to 1, not {self.threshold:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How good the answer is: relevance, factual accuracy, consistency and fluency, weighed by the intent."""

    name: ClassVar[str] = "quality"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = THRESHOLD
    primary: ClassVar[str | None] = None

    intents: Mapping[str, Blend] = field(default_factory=dict)
    default: Blend = field(default_factory=Blend)
    light: bool = False
    relevance: Mapping[str, Any] = field(default_factory=dict)
    factual_accuracy: Mapping[str, Any] = field(default_factory=dict)
    consistency: Mapping[str, Any] = field(default_factory=dict)
    fluency: Mapping[str, Any] = field(default_factory=dict)
    entailer: Entailer = socket()
    grounder: Grounder = socket()
    embedder: Embedder = socket()
    catalogue: Catalogue | None = socket(optional=True)
    judge: Model | None = socket(optional=True)

    def __post_init__(self) -> None:
        for name in _KINDS:
            try:
                self._dimension(name)
            except MalformedError as error:
                raise ValueError(f"{name}: {error.message}") from error

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Score the four dimensions side by side and weigh them; one that is missing leaves the case unscored."""
        blend = self.intents.get(case.intent or "", self.default)
        if (unanswered := no_answer(self, run)) is not None:
            return replace(unanswered, threshold=blend.threshold)
        names = [name for name in _KINDS if blend.weights.get(name, 0.0) > 0]
        scores = await asyncio.gather(*(self._dimension(name).score(case, run) for name in names))
        parts = [replace(score, weight=blend.weights[name]) for name, score in zip(names, scores, strict=True)]
        whole = combined(self.name, parts, version=self.version)
        lacking = [part for part in parts if part.value is None and not _excused(part, blend)]
        if lacking:
            why = "; ".join(f"{part.name} is missing: {part.reason}" for part in lacking)
            whole = replace(
                whole,
                status="error",
                value=None,
                confidence=None,
                evidence=(),
                reason=quoted(why, 1000),
                producer="rule",
            )
        return replace(whole, threshold=blend.threshold)

    def _dimension(self, name: str) -> Scorer:
        """The scorer of one dimension, with its settings and with the live parts of this one."""
        kind = _KINDS[name]
        fields = {each.name: each for each in dataclasses.fields(kind)}
        given = dict(getattr(self, name))
        if self.light and "light" in fields:
            given["light"] = True
        if "judge" in given and given["judge"] is not None:
            raise ValueError(f"{name}: judge is set for the whole of quality: write `judge:` beside `{name}:`")
        live = {each: getattr(self, each) for each, its in fields.items() if is_socket(its)}
        made: Scorer = decode(kind, {**given, **live}, strict=True)
        return made


def _excused(part: Score, blend: Blend) -> bool:
    return part.status == "skipped" and part.name in blend.optional
