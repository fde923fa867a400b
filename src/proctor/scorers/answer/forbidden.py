"""Check that no answer contains forbidden text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.bounded_regex import PatternError, first_matches
from proctor.scorers.checked_answers import (
    MOST_EVIDENCE,
    Passage,
    no_answer,
    passages,
    quoted,
    scored,
    skipped,
    unjudged,
)
from proctor.text.find_phrase import fold, occurrences
from proctor.text.patterns import compiled

__all__ = ["Forbidden"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """No answer says anything forbidden."""

    name: ClassVar[str] = "forbidden"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "value"

    value: str | tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    ignore_case: bool = True
    whole_words: bool = True
    where: Literal["answer", "every"] = "every"

    def __post_init__(self) -> None:
        if not all(text.strip() for text in self._own):
            raise ValueError("value holds an empty text, which is in every answer")
        for pattern in self.patterns:
            compiled(pattern, ignore_case=self.ignore_case)

    @property
    def _own(self) -> tuple[str, ...]:
        return (self.value,) if isinstance(self.value, str) else self.value

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Search for the forbidden texts of the scorer, the case and each turn."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        lists = self._lists(case, run)
        if not self.patterns and not any(lists.values()):
            return skipped(self, "nothing is forbidden here")
        found = [hit for each in passages(run, "every") for hit in self._said(each, lists.get(each.turn, ()))]
        try:
            found += await self._matched(passages(run, self.where))
        except PatternError as error:
            if not found:  # a finding counts even if a pattern fails
                return unjudged(self, str(error))
        if not found:
            return scored(self, 1.0, "nothing forbidden was said")
        reason = found[0].note + (f" (and {len(found) - 1} more)" if len(found) > 1 else "")
        return scored(self, 0.0, reason, evidence=tuple(found[:MOST_EVIDENCE]))

    def _lists(self, case: Case, run: Trajectory) -> dict[int, tuple[str, ...]]:
        """Return the forbidden texts of each turn."""
        shared = (*self._own, *case.expect.forbidden)
        lists = {each.turn: shared for each in passages(run, self.where)}
        for index, ask in enumerate(case.asks[: len(run.turns)]):
            if ask.expect is not None:
                lists[index] = (*lists.get(index, ()), *ask.expect.forbidden)
        return {turn: tuple(dict.fromkeys(text for text in texts if text.strip())) for turn, texts in lists.items()}

    def _said(self, passage: Passage, texts: tuple[str, ...]) -> list[Evidence]:
        if not texts:
            return []
        folded = fold(passage.text, ignore_case=self.ignore_case)
        found = []
        for text in texts:
            for place in occurrences(text, folded, whole_words=self.whole_words, most=3):
                quote = quoted(folded.quote(*place, around=40))
                found.append(Evidence(quote=quote, turn=passage.turn, note=f"forbidden: {quoted(text)}"))
        return found

    async def _matched(self, checked: Sequence[Passage]) -> list[Evidence]:
        found = []
        for pattern in self.patterns:
            spans = await first_matches(pattern, [each.text for each in checked], ignore_case=self.ignore_case)
            for passage, span in zip(checked, spans, strict=True):
                if span is not None:
                    quote = quoted(passage.text[max(0, span[0] - 40) : span[1] + 40])
                    note = f"forbidden pattern: {quoted(pattern)}"
                    found.append(Evidence(quote=quote, turn=passage.turn, note=note))
        return found
