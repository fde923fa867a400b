"""Check the number in the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Literal

from proctor.core.case import Case, Expectation
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import Passage, Where, quoted, score_expected, scored
from proctor.text.numbers import EXACT, DecimalMark, Number, find_numbers

__all__ = ["Numeric"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeric:
    """The answer's number is the expected one, within a tolerance."""

    name: ClassVar[str] = "numeric"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "value"

    value: float | None = None
    tolerance: float = 0.0
    relative: bool = False
    pick: Literal["last", "first", "any"] = "last"
    decimal: DecimalMark = "auto"
    where: Where = "answer"

    def __post_init__(self) -> None:
        if self.tolerance < 0:
            raise ValueError(f"tolerance is {self.tolerance:g}; it cannot be negative")

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare the answer's number with ``value`` or, if it is not set, with the reference's."""
        return score_expected(
            self,
            case,
            run,
            where=self.where,
            given=None if self.value is None else Decimal(repr(self.value)),
            pick=self._expected,
            check=self._check,
            nothing="no value is set and the reference has no number",
        )

    def _expected(self, expect: Expectation) -> Decimal | None:
        numbers = find_numbers(expect.reference or "", decimal=self.decimal)
        if not numbers:
            return None
        return numbers[0 if self.pick == "first" else -1].value

    def _check(self, passage: Passage, wanted: Decimal) -> Score:
        numbers = find_numbers(passage.text, decimal=self.decimal)
        if not numbers:
            return scored(self, 0.0, f"no number in the answer; expected {_figure(wanted)}")
        choice = {"last": numbers[-1:], "first": numbers[:1], "any": numbers}[self.pick]
        right = next((number for number in choice if self._close(number, wanted)), None)
        shown = right or choice[-1]
        evidence = (Evidence(quote=passage.text[shown.start : shown.end], turn=passage.turn),)
        value = float(shown.value)
        found = f"found {_figure(shown.value)}" if right or self.pick != "any" else f"found {len(numbers)} others"
        reason = f"{found}, expected {_figure(wanted)}{self._margin()}"
        measured = value if math.isfinite(value) else None
        return scored(self, 1.0 if right else 0.0, reason, evidence=evidence, measured=measured)

    def _close(self, number: Number, wanted: Decimal) -> bool:
        margin = Decimal(repr(self.tolerance))
        if self.relative:
            margin = EXACT.multiply(margin, abs(wanted))
        return any(abs(EXACT.subtract(reading, wanted)) <= margin for reading in number.readings)

    def _margin(self) -> str:
        if not self.tolerance:
            return ""
        return f" ± {self.tolerance:.4g}" if not self.relative else f" ± {100 * self.tolerance:.4g} %"


def _figure(value: Decimal) -> str:
    plain = value.normalize(EXACT)
    return quoted(f"{plain:f}" if abs(plain.adjusted()) < 20 else f"{plain:E}", 40)
