"""Estimates from a sample whose inclusion probabilities are known (Horvitz and Thompson)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.stats.interval import Interval, wilson_of_share
from proctor.stats.student import student_quantile

__all__ = ["SampledStratum", "StratifiedEstimate", "stratified_mean", "stratified_share"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledStratum:
    """A part of the population: how many there are, and the values of those drawn at random from it."""

    population: int
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.values) > self.population:
            raise ValueError(f"{len(self.values)} values from a stratum of {self.population}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StratifiedEstimate:
    """An estimate for the population. ``covered`` is the share of the population in strata with a value.

    ``effective`` is how many values of a simple random sample would say as much.
    """

    value: float
    interval: Interval | None
    count: int
    effective: float
    covered: float


def stratified_share(strata: Sequence[SampledStratum], *, confidence: float = 0.95) -> StratifiedEstimate | None:
    """Estimate a share from values of 0 and 1; ``None`` without any value.

    With every drawn member rated this is the Horvitz–Thompson estimate. The interval is put together from Wilson's of
    each stratum (Zou and Donner 2008), so that a stratum whose values are all equal does not count as certain.
    """
    used = [each for each in strata if each.values]
    if not used:
        return None
    size = sum(each.population for each in used)
    share = variance = below = above = 0.0
    for each in used:
        drawn, weight = len(each.values), each.population / size
        left = 1 - drawn / each.population
        own = min(1.0, max(0.0, math.fsum(each.values) / drawn))
        share += weight * own
        near = (own * drawn + 1) / (drawn + 2)
        variance += weight**2 * left * near * (1 - near) / drawn
        interval = wilson_of_share(own, drawn / left, confidence=confidence) if left > 0 else None
        if interval is not None:
            below += (weight * (own - interval.low)) ** 2
            above += (weight * (interval.high - own)) ** 2
    count = sum(len(each.values) for each in used)
    middle = (share * count + 1) / (count + 2)
    return StratifiedEstimate(
        value=share,
        interval=Interval(low=max(0.0, share - math.sqrt(below)), high=min(1.0, share + math.sqrt(above))),
        count=count,
        effective=middle * (1 - middle) / variance if variance > 0 else math.inf,
        covered=size / sum(each.population for each in strata),
    )


def stratified_mean(strata: Sequence[SampledStratum], *, confidence: float = 0.95) -> StratifiedEstimate | None:
    """Estimate a mean; ``None`` without any value. The interval is Student's, and ``None`` below two values.

    A stratum with one value is given the variance of all values together.
    """
    used = [each for each in strata if each.values]
    if not used:
        return None
    size = sum(each.population for each in used)
    everything = [value for each in used for value in each.values]
    overall = _variance(everything)
    mean = sum(each.population * math.fsum(each.values) / len(each.values) for each in used) / size
    variance = 0.0
    for each in used:
        drawn = len(each.values)
        own = _variance(each.values) if drawn > 1 else overall
        variance += (each.population / size) ** 2 * (1 - drawn / each.population) * own / drawn
    interval = None
    if len(everything) > 1:
        freedom = max(1, len(everything) - len(used))
        reach = student_quantile(0.5 + confidence / 2, freedom) * math.sqrt(variance)
        interval = Interval(low=mean - reach, high=mean + reach)
    return StratifiedEstimate(
        value=mean,
        interval=interval,
        count=len(everything),
        effective=overall / variance if variance > 0 else math.inf,
        covered=size / sum(each.population for each in strata),
    )


def _variance(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
