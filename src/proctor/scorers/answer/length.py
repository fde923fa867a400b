"""Check the length of the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import Passage, Where, combine, no_answer, passages, quoted, scored, turn_label
from proctor.text.split import characters, lines, sentences, words

__all__ = ["Length"]

Unit = Literal["words", "characters", "sentences", "lines"]

_COUNT: dict[Unit, Callable[[str], int]] = {
    "words": lambda text: len(words(text)),
    "characters": characters,
    "sentences": lambda text: len(sentences(text)),
    "lines": lambda text: len(lines(text)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """The length of the answer, in words, characters, sentences or lines, is within the limits."""

    name: ClassVar[str] = "length"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "at_most"

    at_least: int | None = None
    at_most: int | None = None
    unit: Unit = "words"
    where: Where = "answer"

    def __post_init__(self) -> None:
        if self.at_least is None and self.at_most is None:
            raise ValueError("no limit is set: add `at_least:`, `at_most:` or both")
        for name, limit in (("at_least", self.at_least), ("at_most", self.at_most)):
            if limit is not None and limit < 0:
                raise ValueError(f"{name} is {limit}; a length cannot be negative")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least is {self.at_least} and at_most is {self.at_most}: no answer can be both")

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Count the units and compare the count with the limits."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        found = [(turn_label(each.turn), self._check(each)) for each in passages(run, self.where)]
        return combine(self, self.where, found)

    def _check(self, passage: Passage) -> Score:
        count = _COUNT[self.unit](passage.text)
        short = self.at_least is not None and count < self.at_least
        long = self.at_most is not None and count > self.at_most
        limit = f"; at least {self.at_least}" if short else f"; at most {self.at_most}" if long else ""
        unit = self.unit.removesuffix("s") if count == 1 else self.unit
        evidence = (Evidence(quote=quoted(passage.text), turn=passage.turn),)
        return scored(
            self,
            0.0 if short or long else 1.0,
            f"{count} {unit}{limit}",
            evidence=evidence,
            measured=float(count),
            unit=self.unit,
        )
