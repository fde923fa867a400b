"""Check whether an answer is well written: language, tone and formatting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Catalogue, Model, WordingReader, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.quality_parts.grammar import Checker, score_grammar, with_wording
from proctor.scorers.answer.quality_parts.layout import Format, score_formatting
from proctor.scorers.answer.quality_parts.rubric_judge import by_judge
from proctor.scorers.answer.quality_parts.tone import Trait, describe, score_tone
from proctor.scorers.checked_answers import no_answer
from proctor.scorers.weighted_parts import check_weights, combined, weighed
from proctor.text.patterns import compiled

__all__ = ["Fluency"]

WEIGHTS: Final = {"grammar": 0.40, "tone": 0.35, "formatting": 0.25}
DEFAULT = "default"
READABLE: Final = 0.15  # the most that an unreadable text reaches

_RUBRIC_GRAMMAR = (
    "The answer is correct in the language it is written in: sentences, agreement, particles, punctuation, "
    "spelling. Names, "
    "titles, Markdown and product cards do not count. 5: no mistake; 3: some small ones; 1: hard to read."
)
_RUBRIC_TONE = (
    "The tone of the answer is {tone}. Judge the tone only. "
    "5: it is all of that throughout; 3: flat, or only in part; 1: the contrary."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fluency:
    """Whether the answer is well written: grammar, the tone its intent asks for, and formatting."""

    name: ClassVar[str] = "fluency"
    version: ClassVar[str] = "2"
    threshold: ClassVar[float | None] = 0.75
    primary: ClassVar[str | None] = None

    weights: Mapping[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    tones: Mapping[str, tuple[Trait, ...]] = field(default_factory=dict)
    formats: Mapping[str, Format] = field(default_factory=dict)
    title_fields: tuple[str, ...] = ()
    checker: Checker = "auto"
    light: bool = False
    wording: WordingReader = socket()
    catalogue: Catalogue | None = socket(optional=True)
    judge: Model | None = socket(optional=True)

    def __post_init__(self) -> None:
        check_weights(self.weights, WEIGHTS)
        if self.title_fields and len(self.title_fields) < 2:
            raise ValueError("title_fields must name the original title first and at least one other")
        for each in self.formats.values():
            for pattern in each.patterns:
                compiled(pattern, ignore_case=False)

    @staticmethod
    def intent_settings(intents: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
        """Return the settings that the project's intents define for this scorer."""
        tones = {name: stated["tone"] for name, stated in intents.items() if "tone" in stated}
        tones = {name: [tone] if isinstance(tone, str) else list(tone) for name, tone in tones.items()}
        formats = {name: stated["format"] for name, stated in intents.items() if "format" in stated}
        return {name: rows for name, rows in (("tones", tones), ("formats", formats)) if rows}

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Score the last answer."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        intent = case.intent or ""
        grammar = await self._grammar(case, run)
        tone = await self._tone(self.tones.get(intent, self.tones.get(DEFAULT, ())), case, run)
        formatting = await score_formatting(
            run.answer,
            self.formats.get(intent, self.formats.get(DEFAULT)),
            case=case,
            catalogue=self.catalogue,
            title_fields=self.title_fields,
        )
        parts = weighed(
            [replace(part, evidence=_of_last(part, run)) for part in (grammar, tone, formatting)],
            self.weights,
            version=self.version,
        )
        return _readable(combined(self.name, parts, version=self.version), parts[0])

    async def _grammar(self, case: Case, run: Trajectory) -> Score:
        by_rule = score_grammar(run.answer, checker=self.checker)
        if self.light or not run.answer.strip():
            return by_rule
        if self.judge is None:
            return await with_wording(by_rule, run.answer, self.wording)
        return await by_judge(
            "grammar",
            weight=self.weights.get("grammar", 0.0),
            rubric=_RUBRIC_GRAMMAR,
            include=("answer",),
            judge=self.judge,
            case=case,
            run=run,
        )

    async def _tone(self, traits: tuple[Trait, ...], case: Case, run: Trajectory) -> Score:
        by_rule = score_tone(run.answer, traits)
        if self.judge is None or self.light or not run.answer.strip():
            return by_rule
        return await by_judge(
            "tone",
            weight=self.weights.get("tone", 0.0),
            rubric=_RUBRIC_TONE.format(tone=describe(traits)),
            include=("input", "answer"),
            judge=self.judge,
            case=case,
            run=run,
        )


def _readable(whole: Score, grammar: Score) -> Score:
    """Cap the whole by the grammar: tone and layout cannot make up for a text that is hard to read."""
    if whole.value is None or grammar.value is None or grammar.weight <= 0:
        return whole
    return replace(whole, value=min(whole.value, READABLE + (1 - READABLE) * grammar.value))


def _of_last(part: Score, run: Trajectory) -> tuple[Evidence, ...]:
    """Return the evidence with its turn set to the last turn."""
    return tuple(replace(one, turn=len(run.turns) - 1) for one in part.evidence)
