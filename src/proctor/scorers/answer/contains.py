"""Check that the answer contains, or does not contain, certain texts."""

from __future__ import annotations

from typing import ClassVar, Literal

from proctor.core.case import Case, Expectation
from proctor.core.record import dataclass
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import MOST_EVIDENCE, Passage, Where, quoted, score_expected, scored
from proctor.text.find_phrase import Folded, fold, occurrences

__all__ = ["Contains"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """The answer contains all, any or none of the given texts."""

    name: ClassVar[str] = "contains"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "value"

    value: str | tuple[str, ...] | None = None
    mode: Literal["all", "any", "none"] = "all"
    ignore_case: bool = False
    whole_words: bool = False
    where: Where = "answer"

    def __post_init__(self) -> None:
        texts = (self.value,) if isinstance(self.value, str) else self.value
        if texts is not None and not texts:
            raise ValueError("value is an empty list: name at least one text to look for")
        if texts is not None and not all(text.strip() for text in texts):
            raise ValueError("value holds an empty text, which is in every answer")

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Search for ``value`` or, if it is not set, for the facts and products the case expects."""
        return score_expected(
            self,
            case,
            run,
            where=self.where,
            given=(self.value,) if isinstance(self.value, str) else self.value,
            pick=_expected,
            check=self._check,
            nothing="no value is set and the case expects no facts and no products",
        )

    def _check(self, passage: Passage, wanted: tuple[str, ...]) -> Score:
        text = fold(passage.text, ignore_case=self.ignore_case)
        places = {each: occurrences(each, text, whole_words=self.whole_words, most=1) for each in wanted}
        here = [each for each in places if places[each]]
        absent = [each for each in places if not places[each]]
        evidence = tuple(_evidence(each, places[each], text, passage.turn) for each in places)[:MOST_EVIDENCE]
        if self.mode == "all":
            reason = f"missing: {_listed(absent)}" if absent else f"has all of it: {_listed(here)}"
            return scored(self, len(here) / len(places), reason, evidence=evidence)
        if self.mode == "any":
            reason = f"has {_listed(here)}" if here else f"has none of {_listed(absent)}"
            return scored(self, 1.0 if here else 0.0, reason, evidence=evidence)
        reason = f"has {_listed(here)}" if here else f"free of {_listed(absent)}"
        return scored(self, 0.0 if here else 1.0, reason, evidence=evidence)


def _expected(expect: Expectation) -> tuple[str, ...] | None:
    return tuple(each for each in (*expect.facts, *expect.products) if each.strip()) or None


def _evidence(wanted: str, places: list[tuple[int, int]], text: Folded, turn: int) -> Evidence:
    if not places:
        return Evidence(turn=turn, note=f"missing: {quoted(wanted)}")
    return Evidence(quote=quoted(text.quote(*places[0], around=40)), turn=turn, note=f"has: {quoted(wanted)}")


def _listed(texts: list[str]) -> str:
    shown = ", ".join(repr(quoted(text, 60)) for text in texts[:5])
    return f"{shown} and {len(texts) - 5} more" if len(texts) > 5 else shown
