"""How far raters agree in each dimension of an audit, with bootstrap intervals over conversations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from proctor.core.audit_report import DimensionAgreement, DimensionKappa
from proctor.core.judge_card import Estimate
from proctor.stats.agreement import rating_counts
from proctor.stats.bootstrap import interval_of, interval_of_all
from proctor.stats.interval import Interval
from proctor.stats.resampled_agreement import UnitRatings, kappas_of_pairs

__all__ = ["agreement_in", "estimate_over", "kappa_in", "table_of"]

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
_ALPHA_RESAMPLES = 200


def agreement_in(
    dimension: str,
    units: Sequence[Sequence[tuple[str, int]]],
    *,
    levels: Sequence[int],
    pass_at: int,
    limit: float | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> DimensionAgreement | None:
    """Return the agreement over units, each the ratings of one conversation by rater; None if none has two ratings."""
    found = kappa_in(dimension, units, levels=levels, resamples=resamples, seed=seed)
    if found is None:
        return None
    _, values = _paired(units)
    ratings = UnitRatings(rating_counts(values, levels))
    passes = UnitRatings(rating_counts([[value >= pass_at for value in unit] for unit in values], (False, True)))

    def over(figures: Callable[[Places], Numbers], draws: int = resamples) -> Estimate:
        return _estimate(len(values), figures, resamples=draws, seed=seed)

    if not found.is_fleiss:
        codes = _codes(values, levels)
        passing = _codes([[int(value >= pass_at) for value in unit] for unit in values], (0, 1))
        linear, quadratic = (over(kappas_of_pairs(codes, len(levels), kind)) for kind in ("linear", "quadratic"))
        passed = over(kappas_of_pairs(passing, 2))
    else:
        linear = quadratic = Estimate()
        passed = over(passes.fleiss)
    return DimensionAgreement(
        dimension=dimension,
        items=found.items,
        raters=found.raters,
        observed=over(ratings.observed),
        kappa=found.kappa,
        is_fleiss=found.is_fleiss,
        linear=linear,
        quadratic=quadratic,
        ac1=over(ratings.ac1),
        alpha=over(ratings.ordinal_alpha, _ALPHA_RESAMPLES),
        passing=passed,
        passing_ac1=over(passes.ac1),
        needed=_needed(found.kappa, found.items, limit),
    )


def kappa_in(
    dimension: str,
    units: Sequence[Sequence[tuple[str, int]]],
    *,
    levels: Sequence[int],
    resamples: int = 1000,
    seed: int = 0,
) -> DimensionKappa | None:
    """Return kappa alone, as ``agreement_in`` does and fast enough for a page; None if no unit has two ratings."""
    people, values = _paired(units)
    if not values:
        return None
    ratings = UnitRatings(rating_counts(values, levels))
    is_pair = len(people) == 2
    figures = kappas_of_pairs(_codes(values, levels), len(levels)) if is_pair else ratings.fleiss
    return DimensionKappa(
        dimension=dimension,
        items=len(values),
        raters=len(people),
        observed=float(ratings.observed(np.arange(len(values))[None, :])[0]),
        kappa=_estimate(len(values), figures, resamples=resamples, seed=seed),
        is_fleiss=not is_pair,
    )


def _paired(units: Sequence[Sequence[tuple[str, int]]]) -> tuple[list[str], list[list[int]]]:
    """Return who rated, and the ratings of units with two or more, by the names of the raters."""
    paired = [sorted(unit) for unit in units if len(unit) > 1]
    return sorted({rater for unit in paired for rater, _ in unit}), [[value for _, value in unit] for unit in paired]


def _estimate(count: int, figures: Callable[[Places], Numbers], *, resamples: int, seed: int) -> Estimate:
    """Return a figure of all units with its bootstrap interval."""
    value = float(figures(np.arange(count)[None, :])[0])
    if math.isnan(value):
        return Estimate()
    found = interval_of_all(count, figures, resamples=resamples, seed=seed)
    return Estimate(value=value) if found is None else _bounded(value, found)


def estimate_over(
    count: int, figure: Callable[[Places], float | None], *, resamples: int = 1000, seed: int = 0
) -> Estimate:
    """Return a figure of all cases with its bootstrap interval; the figure gets the indices of resampled cases."""
    value = figure(np.arange(count))
    if value is None:
        return Estimate()
    found = interval_of(count, figure, resamples=resamples, seed=seed)
    return Estimate(value=value) if found is None else _bounded(value, found)


def _bounded(value: float, interval: Interval) -> Estimate:
    return Estimate(value=value, low=max(-1.0, interval.low), high=min(1.0, interval.high))


def table_of(pairs: Sequence[tuple[int, int]], levels: Sequence[int]) -> Numbers:
    """Return the table of two raters' ratings."""
    places = {level: place for place, level in enumerate(levels)}
    table = np.zeros((len(levels), len(levels)))
    for one, other in pairs:
        table[places[one], places[other]] += 1
    return table


def _codes(values: Sequence[Sequence[int]], levels: Sequence[int]) -> Places:
    places = {level: place for place, level in enumerate(levels)}
    return np.array([places[one] * len(levels) + places[other] for one, other in values], dtype=np.int64)


def _needed(kappa: Estimate, items: int, limit: float | None) -> int | None:
    """Return how many conversations would move the limit out of the interval, if kappa stayed as it is."""
    if limit is None or kappa.value is None or kappa.low is None or kappa.high is None:
        return None
    if kappa.low >= limit or kappa.high < limit:
        return None
    distance = abs(kappa.value - limit)
    if distance < 0.005:
        return None
    reach = kappa.value - kappa.low if kappa.value > limit else kappa.high - kappa.value
    return math.ceil(items * (reach / distance) ** 2)
