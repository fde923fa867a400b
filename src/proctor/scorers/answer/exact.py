"""Check that the answer equals the expected text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import ClassVar

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import Passage, Where, quoted, score_expected, scored

__all__ = ["Exact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """The answer is exactly the expected text."""

    name: ClassVar[str] = "exact"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "value"

    value: str | None = None
    ignore_case: bool = False
    trim: bool = True
    normalise: bool = False
    where: Where = "answer"

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare the answer with ``value`` or, if it is not set, with the reference."""
        return score_expected(
            self,
            case,
            run,
            where=self.where,
            given=self.value,
            pick=lambda expect: expect.reference,
            check=self._check,
            nothing="no value is set and the case has no reference",
        )

    def _check(self, passage: Passage, wanted: str) -> Score:
        found, wanted = self._form(passage.text), self._form(wanted)
        if found == wanted:
            return scored(self, 1.0, "equal", evidence=(Evidence(quote=quoted(passage.text), turn=passage.turn),))
        at = _first_difference(found, wanted)
        reason = f"differs from character {at + 1} on: expected {_part(wanted, at)}, found {_part(found, at)}"
        return scored(self, 0.0, reason, evidence=(Evidence(quote=quoted(passage.text), turn=passage.turn),))

    def _form(self, text: str) -> str:
        if self.normalise:
            text = " ".join(unicodedata.normalize("NFKC", text).split())
        if self.trim:
            text = text.strip()
        return text.casefold() if self.ignore_case else text


def _first_difference(one: str, other: str) -> int:
    """Return the first index at which two different texts differ."""
    low, high = 0, min(len(one), len(other))
    while low < high:  # binary search: comparing slices is faster than comparing characters
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _part(text: str, at: int) -> str:
    return repr(quoted(text[max(0, at - 10) :], 40)) if at < len(text) else "the end"
