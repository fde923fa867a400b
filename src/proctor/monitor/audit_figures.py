"""Figures of an audit from its samples and ratings: quality by weights, agreement, splits, drift of raters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean

from proctor.core.audit import AuditItem, AuditRating, AuditSample, AuditSettings, AuditStratum, Settlement
from proctor.core.audit_report import QualityEstimate, RaterDrift, RaterPair, Split
from proctor.core.codec import content_id
from proctor.core.judge_card import Estimate
from proctor.monitor.rater_agreement import table_of
from proctor.stats.agreement import kappa_of_table
from proctor.stats.inclusion import SampledStratum, StratifiedEstimate, stratified_mean, stratified_share
from proctor.stats.multiple import benjamini_hochberg
from proctor.stats.two_means import mean_difference

__all__ = [
    "RatedItem",
    "final_pass",
    "final_value",
    "find_splits",
    "quality_of",
    "rated_items",
    "rater_drift",
    "rater_pairs",
]

_MIN_PAIR = 5  # fewer common conversations of two people are not worth a row


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedItem:
    """An item with its ratings by rater and dimension, and its settled dimensions."""

    item: AuditItem
    ratings: Mapping[str, Mapping[str, int | None]]
    settled: Mapping[str, int | None]

    def values(self, dimension: str) -> list[int]:
        """Return the ratings in a dimension, without those of people who could not rate it."""
        return [value for said in self.ratings.values() if (value := said.get(dimension)) is not None]


def rated_items(
    items: Iterable[AuditItem], ratings: Iterable[AuditRating], settlements: Iterable[Settlement]
) -> list[RatedItem]:
    """Put ratings and settled splits to their items."""
    said: dict[str, dict[str, Mapping[str, int | None]]] = defaultdict(dict)
    for rating in ratings:
        said[rating.item][rating.rater] = rating.values
    settled: dict[str, dict[str, int | None]] = defaultdict(dict)
    for each in settlements:
        settled[each.item][each.dimension] = each.value
    return [RatedItem(item=item, ratings=said[item.id], settled=settled[item.id]) for item in items]


def final_value(rated: RatedItem, dimension: str) -> float | None:
    """Return the settled rating, or the mean of the raters; None if there is none."""
    if dimension in rated.settled:
        return rated.settled[dimension]
    values = rated.values(dimension)
    return fmean(values) if values else None


def final_pass(rated: RatedItem, dimension: str, pass_at: int) -> bool | None:
    """Return whether the conversation passes; None if raters differ about it and nobody has decided."""
    if dimension in rated.settled:
        value = rated.settled[dimension]
        return None if value is None else value >= pass_at
    verdicts = {value >= pass_at for value in rated.values(dimension)}
    return verdicts.pop() if len(verdicts) == 1 else None


def find_splits(rated: Iterable[RatedItem], settings: AuditSettings) -> list[Split]:
    """Return where raters differ by more than the allowed steps, or about passing; settled ones are marked."""
    found = []
    for each in rated:
        for dimension in settings.dimensions:
            values = sorted(each.values(dimension))
            if len(values) < 2:
                continue
            differs = (values[0] >= settings.pass_at) != (values[-1] >= settings.pass_at)
            if differs or values[-1] - values[0] > settings.split:
                found.append(
                    Split(
                        item=each.item.id,
                        week=each.item.week,
                        dimension=dimension,
                        ratings=tuple(_shuffled(values, each.item.id)),
                        settled=each.settled.get(dimension),
                        is_settled=dimension in each.settled,
                    )
                )
    return found


def quality_of(
    rated: Sequence[RatedItem], samples: Sequence[AuditSample], settings: AuditSettings
) -> tuple[QualityEstimate, ...]:
    """Estimate each dimension over all conversations of the weeks.

    A stratum's rated conversations stand for all of it: which of those drawn were rated must not depend on how good
    they are.
    """
    return tuple(_quality(rated, samples, dimension, settings) for dimension in settings.dimensions)


def _quality(
    rated: Sequence[RatedItem], samples: Sequence[AuditSample], dimension: str, settings: AuditSettings
) -> QualityEstimate:
    passes: dict[tuple[str, str], list[float]] = defaultdict(list)
    means: dict[tuple[str, str], list[float]] = defaultdict(list)
    core: dict[str, list[float]] = defaultdict(list)
    unscored = splits = count = 0
    for each in rated:
        if not each.ratings:
            continue
        value = final_value(each, dimension)
        verdict = final_pass(each, dimension, settings.pass_at)
        if value is None:
            unscored += 1
            continue
        count += 1
        place = each.item.week, each.item.stratum
        means[place].append(value)
        if verdict is None:
            splits += 1
            continue
        passes[place].append(float(verdict))
        if each.item.is_core:
            core[each.item.week].append(float(verdict))
    strata = [(sample.week, stratum) for sample in samples for stratum in sample.strata]
    share = stratified_share(_strata(strata, passes))
    mean = stratified_mean(_strata(strata, means))
    weeks = [SampledStratum(population=each.population, values=tuple(core[each.week])) for each in samples]
    return QualityEstimate(
        dimension=dimension,
        rated=count,
        share=_estimate(share),
        mean=_estimate(mean, low=1.0, high=float(settings.scale)),
        core=_estimate(stratified_share(weeks)),
        effective=share.effective if share else 0.0,
        covered=share.covered if share else 0.0,
        unscored=unscored,
        splits=splits,
    )


def rater_pairs(rated: Sequence[RatedItem], settings: AuditSettings) -> tuple[RaterPair, ...]:
    """Compare each two people with enough common conversations."""
    people = sorted({rater for each in rated for rater in each.ratings})
    found = []
    for one, other in combinations(people, 2):
        for dimension in settings.dimensions:
            values = _common(rated, one, other, dimension)
            if len(values) < _MIN_PAIR:
                continue
            table = table_of(values, settings.levels)
            found.append(
                RaterPair(
                    one=one,
                    other=other,
                    dimension=dimension,
                    items=len(values),
                    observed=fmean(a == b for a, b in values),
                    kappa=kappa_of_table(table),
                    quadratic=kappa_of_table(table, weighting="quadratic"),
                    bias=fmean(a - b for a, b in values),
                )
            )
    return tuple(found)


def rater_drift(rated: Sequence[RatedItem], settings: AuditSettings, *, recent: int = 4) -> tuple[RaterDrift, ...]:
    """Compare each person's difference from the others in the last ``recent`` weeks with that in the weeks before.

    The others are the settled rating where there is one, else the mean of the other raters.
    """
    weeks = sorted({each.item.week for each in rated})
    latest = set(weeks[-recent:]) if len(weeks) > recent else set(weeks[len(weeks) // 2 :])
    people = sorted({rater for each in rated for rater in each.ratings})
    found: list[RaterDrift] = []
    for rater in people:
        for dimension in settings.dimensions:
            before: list[float] = []
            now: list[float] = []
            for each in rated:
                if (apart := _apart(each, rater, dimension)) is not None:
                    (now if each.item.week in latest else before).append(apart)
            test = mean_difference(now, before)
            if test is None:
                continue
            change = Estimate(value=test.value, low=test.interval.low, high=test.interval.high)
            found.append(
                RaterDrift(
                    rater=rater,
                    dimension=dimension,
                    before_items=len(before),
                    now_items=len(now),
                    before=fmean(before),
                    now=fmean(now),
                    change=change,
                    p=test.p,
                    adjusted=test.p,
                    minimum=test.minimum,
                )
            )
    adjusted = benjamini_hochberg([each.p for each in found])
    return tuple(_adjusted(each, p) for each, p in zip(found, adjusted, strict=True))


def _adjusted(drift: RaterDrift, p: float) -> RaterDrift:
    return replace(drift, adjusted=p, is_seen=p < 0.05)


def _apart(each: RatedItem, rater: str, dimension: str) -> float | None:
    own = each.ratings.get(rater, {}).get(dimension)
    if own is None:
        return None
    settled = each.settled.get(dimension)
    if settled is not None:
        return own - settled
    others = [
        value for name, said in each.ratings.items() if name != rater and (value := said.get(dimension)) is not None
    ]
    return own - fmean(others) if others else None


def _common(rated: Sequence[RatedItem], one: str, other: str, dimension: str) -> list[tuple[int, int]]:
    found = []
    for each in rated:
        if one in each.ratings and other in each.ratings:
            first, second = each.ratings[one].get(dimension), each.ratings[other].get(dimension)
            if first is not None and second is not None:
                found.append((first, second))
    return found


def _strata(
    strata: Sequence[tuple[str, AuditStratum]], values: Mapping[tuple[str, str], Sequence[float]]
) -> list[SampledStratum]:
    return [
        SampledStratum(population=stratum.population, values=tuple(values.get((week, stratum.name), ())))
        for week, stratum in strata
    ]


def _estimate(found: StratifiedEstimate | None, *, low: float = 0.0, high: float = 1.0) -> Estimate:
    if found is None:
        return Estimate()
    if found.interval is None:
        return Estimate(value=found.value)
    return Estimate(value=found.value, low=max(low, found.interval.low), high=min(high, found.interval.high))


def _shuffled(values: Sequence[int], salt: str) -> list[int]:
    """Return ratings in an order that depends on the item, not on who gave them."""
    return [value for _, value in sorted((content_id([salt, place]), value) for place, value in enumerate(values))]
