"""The quality of a judge, and the error band it puts around every judged figure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

__all__ = [
    "Abstentions",
    "Agreement",
    "Band",
    "Estimate",
    "JudgeCard",
    "LengthBias",
    "PositionBias",
    "Repeats",
]

_Z_95 = 1.959963984540054  # standard deviations of a normal distribution for 95 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with its 95 % interval; None if there was too little data."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far the judge agrees with people.

    ``share`` is how often both passed or both failed an answer, ``kappa`` how much of that is beyond chance,
    ``adjusted`` what kappa would be if half of the answers were good. ``human_pass`` and ``judge_pass`` are the base
    rates that kappa depends on. ``weighted`` counts a near miss partly, over ``levels``. ``alpha`` is Krippendorff's,
    over the scores themselves; ``rank`` is the rank correlation. ``false_pass`` is the share of the answers failed by
    people that the judge passed, ``false_fail`` the reverse.
    """

    share: Estimate = field(default_factory=Estimate)
    kappa: Estimate = field(default_factory=Estimate)
    adjusted: float | None = None
    human_pass: float | None = None
    judge_pass: float | None = None
    weighted: Estimate = field(default_factory=Estimate)
    levels: tuple[float, ...] = ()
    alpha: Estimate = field(default_factory=Estimate)
    rank: Estimate = field(default_factory=Estimate)
    false_pass: Estimate = field(default_factory=Estimate)
    false_fail: Estimate = field(default_factory=Estimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """How far the judge's figures differ from people's.

    ``bias`` is how much too high (or, below 0, too low) the judge scores on average; ``spread`` is the standard
    deviation of its error in one case; ``mean_error`` is its mean absolute error.
    """

    cases: int
    bias: Estimate
    spread: float
    mean_error: float

    def around(self, mean: float, cases: int) -> Estimate:
        """Estimate people's mean for ``cases`` answers with this judged mean, if they resemble the labelled ones.

        It includes the error in these cases and the uncertainty of the bias.
        """
        if cases < 1 or self.cases < 2 or self.bias.value is None:
            return Estimate()
        reach = _Z_95 * self.spread * math.sqrt(1 / cases + 1 / self.cases)
        middle = mean - self.bias.value
        return Estimate(value=_share(middle), low=_share(middle - reach), high=_share(middle + reach))


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """How far the judge agrees with itself: ``same`` is the share of repeated verdicts that are equal."""

    cases: int
    samples: int
    same: float
    within: float
    correlation: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionBias:
    """The effect of an answer's position on the judge, from asking in both orders.

    ``first`` and ``second`` count the pairs in which it chose the answer in that position both times.
    """

    pairs: int
    consistent: Estimate
    first: int
    second: int
    p: float

    @property
    def seen(self) -> str:
        """The finding in a few words."""
        if self.p >= 0.05:
            return "none seen"
        return "prefers the first" if self.first > self.second else "prefers the second"


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthBias:
    """The effect of an answer's length on the judge beyond people's opinion of it.

    ``correlation`` is the partial rank correlation of the judge's scores and the lengths, given people's scores;
    ``doubling`` is what an answer twice as long gains at the same human score.
    """

    cases: int
    correlation: Estimate
    doubling: float | None = None

    @property
    def seen(self) -> str:
        """The finding in a few words."""
        low, high = self.correlation.low, self.correlation.high
        if low is None or high is None:
            return "not enough to tell"
        return "prefers longer" if low > 0 else "prefers shorter" if high < 0 else "none seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstentions:
    """How often there was no verdict, and why."""

    asked: int
    missing: int
    share: Estimate
    reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCard:
    """The quality of one judge (a model, or any scorer), measured by human labels.

    The judge passes from ``threshold`` on. Where the scorer sets another one by case (by its intent, say), each answer
    was held to its own, and ``thresholds`` lists them, from low to high; ``threshold`` is then the lowest.
    """

    scorer: str
    judge: str = ""
    revision: str = ""
    labels: str = ""
    run: str = ""
    created: datetime | None = None
    cases: int = 0
    raters: int = 1
    threshold: float = 0.5
    thresholds: tuple[float, ...] = ()
    people_threshold: float = 0.5
    agreement: Agreement = field(default_factory=Agreement)
    people: float | None = None
    scores: Band | None = None
    passes: Band | None = None
    repeats: Repeats | None = None
    position: PositionBias | None = None
    length: LengthBias | None = None
    abstentions: Abstentions
    notes: tuple[str, ...] = ()


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
