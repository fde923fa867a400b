"""Check the answer against a regular expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.bounded_regex import PatternError, first_matches
from proctor.scorers.checked_answers import (
    Passage,
    Where,
    combine,
    no_answer,
    passages,
    quoted,
    scored,
    turn_label,
    unjudged,
)
from proctor.text.patterns import compiled

__all__ = ["Regex"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """The answer matches, or does not match, a regular expression."""

    name: ClassVar[str] = "regex"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "value"

    value: str
    mode: Literal["search", "fullmatch", "none"] = "search"
    ignore_case: bool = False
    where: Where = "answer"

    def __post_init__(self) -> None:
        compiled(self.value, ignore_case=self.ignore_case)

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Search the answers for the pattern."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        checked = passages(run, self.where)
        manner: Literal["search", "fullmatch"] = "fullmatch" if self.mode == "fullmatch" else "search"
        try:
            spans = await first_matches(
                self.value, [each.text for each in checked], manner=manner, ignore_case=self.ignore_case
            )
        except PatternError as error:
            return unjudged(self, str(error))
        found = [(turn_label(each.turn), self._one(each, span)) for each, span in zip(checked, spans, strict=True)]
        return combine(self, self.where, found)

    def _one(self, passage: Passage, span: tuple[int, int] | None) -> Score:
        if span is None:
            return scored(self, 1.0 if self.mode == "none" else 0.0, f"no match of {quoted(self.value, 80)}")
        quote = quoted(passage.text[span[0] : span[1]])
        evidence = (Evidence(quote=quote, turn=passage.turn, note=f"characters {span[0] + 1} to {span[1]}"),)
        reason = f"{quoted(self.value, 80)} matches {quoted(quote, 80)!r}"
        return scored(self, 0.0 if self.mode == "none" else 1.0, reason, evidence=evidence)
