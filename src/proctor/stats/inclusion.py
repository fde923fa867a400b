"""Estimates from a sample whose inclusion probabilities are known (Horvitz and Thompson)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.stats.interval import Interval, wilson_of_share
from proctor.stats.student import student_quantile

__all__ = ["SampledStratum", "StratifiedEstimate", "horvitz_thompson", "stratified_mean", "stratified_share"]


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


def horvitz_thompson(values: Sequence[float], probabilities: Sequence[float], *, population: int) -> float:
    """Return the estimated mean over a population of this size: each value counts 1 / its inclusion probability."""
    if population < 1:
        raise ValueError(f"a population has at least 1 member, not {population}")
    total = 0.0
    for value, chance in zip(values, probabilities, strict=True):
        if not 0.0 < chance <= 1.0:
            raise ValueError(f"an inclusion probability lies in (0, 1], not {chance}")
        total += value / chance
    return total / population


def stratified_share(strata: Sequence[SampledStratum], *, confidence: float = 0.95) -> StratifiedEstimate | None:
    """Estimate a share from values of 0 and 1; ``None`` without any value.

    With every drawn member rated this is the Horvitz–Thompson estimate. The interval is Wilson's for the effective
    number of values (Korn and Graubard 1998). Where all values of a stratum are equal, its variance is not taken to be
    0: one more value at the mean of all is assumed.
    """
    used = [each for each in strata if each.values]
    if not used:
        return None
    size = sum(each.population for each in used)
    share = sum(each.population * math.fsum(each.values) / len(each.values) for each in used) / size
    variance = simple = 0.0
    count = sum(len(each.values) for each in used)
    middle = (share * count + 1) / (count + 2)
    for each in used:
        drawn = len(each.values)
        near = (math.fsum(each.values) + middle) / (drawn + 1)
        weight, left = each.population / size, 1 - drawn / each.population
        variance += weight**2 * left * near * (1 - near) / drawn
        simple += weight**2 * left / drawn
    effective = middle * (1 - middle) / variance if variance > 0 else math.inf
    interval = (
        wilson_of_share(min(1.0, max(0.0, share)), min(effective, 1e12), confidence=confidence)
        if simple > 0
        else Interval(low=share, high=share)  # every member was rated
    )
    return StratifiedEstimate(
        value=share,
        interval=interval,
        count=count,
        effective=effective,
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
