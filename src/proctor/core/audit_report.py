"""The figures of an audit: quality over all conversations, agreement of raters, their drift, judges against people."""

from __future__ import annotations

from dataclasses import dataclass, field

from proctor.core.judge_card import Agreement, Estimate

__all__ = [
    "AuditReport",
    "DimensionAgreement",
    "DimensionKappa",
    "JudgeAgreement",
    "QualityEstimate",
    "RaterDrift",
    "RaterPair",
    "Split",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityEstimate:
    """One dimension over all conversations of the weeks, by the weights of the sample.

    ``share`` is the share that passes, ``mean`` the mean rating. ``core`` is the share in the uniform core alone.
    ``effective`` is the size of a simple random sample that would say as much; ``covered`` the share of all
    conversations whose part of the sample was rated. ``unscored`` counts conversations that could not be rated, and
    ``splits`` those on which raters differ about passing and nobody has decided; neither has a default.
    """

    dimension: str
    rated: int
    share: Estimate = field(default_factory=Estimate)
    mean: Estimate = field(default_factory=Estimate)
    core: Estimate = field(default_factory=Estimate)
    effective: float = 0.0
    covered: float = 0.0
    unscored: int = 0
    splits: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionKappa:
    """The kappa of one dimension over conversations with two or more ratings: Cohen's, with more raters Fleiss'."""

    dimension: str
    items: int
    raters: int
    observed: float
    kappa: Estimate
    is_fleiss: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionAgreement:
    """How far raters agree in one dimension, over conversations with two or more ratings.

    With two raters ``kappa`` is Cohen's, with more it is Fleiss'; ``linear`` and ``quadratic`` count near misses and
    are for two raters. ``passing`` is the kappa of passing or not. ``alpha`` is Krippendorff's for ordered ratings.
    ``needed`` is about how many conversations would decide whether kappa is above the limit; None if it is decided.
    """

    dimension: str
    items: int
    raters: int
    observed: Estimate
    kappa: Estimate
    is_fleiss: bool
    linear: Estimate
    quadratic: Estimate
    ac1: Estimate
    alpha: Estimate
    passing: Estimate
    passing_ac1: Estimate
    needed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """How far two people agree in one dimension; ``bias`` is how much higher the first rates."""

    one: str
    other: str
    dimension: str
    items: int
    observed: float
    kappa: float | None
    quadratic: float | None
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterDrift:
    """Whether a person rates more strictly or mildly than before, against the other raters of the same conversations.

    ``before`` and ``now`` are mean differences from the others, ``change`` their difference with its interval.
    ``adjusted`` is the p-value corrected for all people and dimensions; ``minimum`` the smallest change that these
    numbers would show four times out of five.
    """

    rater: str
    dimension: str
    before_items: int
    now_items: int
    before: float
    now: float
    change: Estimate
    p: float
    adjusted: float
    minimum: float | None = None
    is_seen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """A judge or scorer against people's final verdicts in one dimension."""

    scorer: str
    version: str
    dimension: str
    items: int
    agreement: Agreement
    ac1: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A dimension of a conversation in which raters differ, with their ratings in an order that names nobody."""

    item: str
    week: str
    dimension: str
    ratings: tuple[int, ...]
    settled: int | None = None
    is_settled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """The audit of some weeks. ``limit`` is the kappa that is asked for."""

    weeks: tuple[str, ...]
    population: int
    sampled: int
    rated: int
    ratings: int
    raters: tuple[str, ...]
    scale: int
    pass_at: int
    limit: float | None = None
    quality: tuple[QualityEstimate, ...] = ()
    agreement: tuple[DimensionAgreement, ...] = ()
    pairs: tuple[RaterPair, ...] = ()
    drift: tuple[RaterDrift, ...] = ()
    judges: tuple[JudgeAgreement, ...] = ()
    splits: tuple[Split, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_reached(self) -> bool | None:
        """Whether every kappa is above the limit; False if one is below it for certain, None if undecided."""
        if self.limit is None or not self.agreement:
            return None
        ends = [(each.kappa.low, each.kappa.high) for each in self.agreement]
        if any(high is not None and high < self.limit for _, high in ends):
            return False
        return True if all(low is not None and low >= self.limit for low, _ in ends) else None
