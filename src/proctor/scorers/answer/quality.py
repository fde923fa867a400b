"""Score the overall quality of an answer: four dimensions with weights that depend on the intent."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from proctor.core.case import Case
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.score import Score
from proctor.core.sockets import (
    Catalogue,
    Embedder,
    Entailer,
    Grounder,
    Model,
    Scorer,
    WordingReader,
    is_socket,
    socket,
)
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.consistency import Consistency
from proctor.scorers.answer.factual_accuracy import FactualAccuracy
from proctor.scorers.answer.fluency import Fluency
from proctor.scorers.answer.quality_parts.intent_blend import BUILT_IN, THRESHOLD, Blend
from proctor.scorers.answer.quality_parts.presets import PRESETS, PresetName, merged_settings
from proctor.scorers.answer.quality_parts.support import UNSOURCED
from proctor.scorers.answer.relevance import Relevance
from proctor.scorers.checked_answers import no_answer, quoted
from proctor.scorers.weighted_parts import combined

__all__ = ["Quality"]

_KINDS: Final[Mapping[str, Any]] = {
    "relevance": Relevance,
    "factual_accuracy": FactualAccuracy,
    "consistency": Consistency,
    "fluency": Fluency,
}


_BLEND_FIELDS: Final = tuple(each.name for each in dataclasses.fields(Blend))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Overall quality: relevance, factual accuracy, consistency and fluency, with weights that depend on the intent."""

    name: ClassVar[str] = "quality"
    version: ClassVar[str] = "3"
    threshold: ClassVar[float | None] = THRESHOLD
    primary: ClassVar[str | None] = None

    preset: PresetName | None = None
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
    wording: WordingReader = socket()
    catalogue: Catalogue | None = socket(optional=True)
    judge: Model | None = socket(optional=True)

    def __post_init__(self) -> None:
        for name in _KINDS:
            try:
                self._dimension(name)
            except MalformedError as error:
                raise ValueError(f"{name}: {error.message}") from error

    @staticmethod
    def intent_settings(intents: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
        """Return the settings that the project's intents define for this scorer."""
        blends = {
            name: {key: stated[key] for key in _BLEND_FIELDS if key in stated}
            for name, stated in intents.items()
            if any(key in stated for key in _BLEND_FIELDS)
        }
        given: dict[str, Any] = {"intents": blends} if blends else {}
        if tones := Fluency.intent_settings(intents):
            given["fluency"] = tones
        return given

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Score the four dimensions concurrently and combine them by weight.

        The answer passes if every dimension reaches its floor and the weighted mean its threshold. One under its floor
        fails the answer. If none failed, a missing dimension leaves the case unscored.
        """
        blend = self.blend(case.intent)
        if (unanswered := no_answer(self, run)) is not None:
            return replace(unanswered, threshold=blend.passes_from)
        names = [name for name in _KINDS if blend.weights.get(name, 0.0) > 0]
        scores = await asyncio.gather(*(self._scored(name, blend.floor(name), case, run) for name in names))
        parts = [
            replace(score, weight=blend.weights[name], threshold=blend.floor(name))
            for name, score in zip(names, scores, strict=True)
        ]
        whole = combined(self.name, parts, version=self.version)
        failed = [part for part in parts if part.passed is False]
        lacking = [part for part in parts if part.value is None and not _excused(part, blend)]
        if failed:
            whole = _limited(whole, failed)
        elif lacking:
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
        # The lowest failed dimension decides, also where its own floor lies above the threshold of the intent.
        lowest = min(failed, key=lambda part: part.value or 0.0).threshold if failed else None
        return replace(whole, threshold=max(blend.passes_from, lowest or 0.0))

    def blend(self, intent: str | None) -> Blend:
        """Return the complete row for an intent: the scorer's own, then the preset's, then the defaults."""
        preset = PRESETS[self.preset] if self.preset is not None else None
        rows = preset.intents if preset is not None else {}
        if intent is not None and intent in self.intents:
            return self.intents[intent].over(rows.get(intent, BUILT_IN)).over(BUILT_IN)
        if intent is not None and intent in rows:
            return rows[intent].over(BUILT_IN)
        return self.default.over(preset.default if preset is not None else BUILT_IN).over(BUILT_IN)

    async def _scored(self, name: str, floor: float, case: Case, run: Trajectory) -> Score:
        dimension = self._dimension(name)
        if isinstance(dimension, FactualAccuracy):
            return await dimension.score_from(floor, case, run)
        return await dimension.score(case, run)

    def _dimension(self, name: str) -> Scorer:
        """Build the scorer of one dimension from its settings and the sockets of this scorer."""
        kind = _KINDS[name]
        fields = {each.name: each for each in dataclasses.fields(kind)}
        stated = PRESETS[self.preset].dimensions.get(name, {}) if self.preset is not None else {}
        given = merged_settings(stated, getattr(self, name))
        if self.light and "light" in fields:
            given["light"] = True
        if "judge" in given and given["judge"] is not None:
            raise ValueError(f"{name}: judge is set for the whole of quality: write `judge:` beside `{name}:`")
        live = {each: getattr(self, each) for each, its in fields.items() if is_socket(its)}
        made: Scorer = decode(kind, {**given, **live}, strict=True)
        return made


def _limited(whole: Score, failed: Sequence[Score]) -> Score:
    """Cap the score at the lowest failed dimension, even if other dimensions are missing."""
    assert whole.value is not None
    least = min(part.value for part in failed if part.value is not None)
    said = ", ".join(f"{part.name} {part.value:.2f} is under its threshold of {part.threshold:g}" for part in failed)
    said += f" (weighted mean {whole.value:.2f})"
    return replace(
        whole,
        value=min(whole.value, least),
        reason=quoted(f"{said}; {whole.reason}", 1000),
        measured=whole.value,
        unit="composite",
    )


def _excused(part: Score, blend: Blend) -> bool:
    """Whether a missing dimension may be left out: it does not apply, or there is nothing to check it against."""
    if part.name not in (blend.optional or ()):
        return False
    broken = [each for each in part.parts if each.status == "error"]
    return part.status == "skipped" or (bool(broken) and all(each.label == UNSOURCED for each in broken))
