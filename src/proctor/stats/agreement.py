"""Agreement of two or more raters beyond chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = [
    "Kappa",
    "Level",
    "Repeatability",
    "Weighting",
    "cohen_kappa",
    "gwet_ac1",
    "intraclass_correlation",
    "kappa_of_table",
    "krippendorff_alpha",
    "pair_credit",
    "rating_counts",
    "repeatability",
]

Weighting = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """Cohen's kappa with its components: the observed agreement, and that expected by chance.

    ``base`` is each category's share in both raters' labels together, ``highest`` the largest of them: if it is near 1,
    always giving the same label agrees well and kappa means little. ``adjusted`` is the kappa for a base rate of one
    half (PABAK; only for two categories). ``kappa`` is ``None`` if chance agreement is complete.
    """

    kappa: float | None
    observed: float
    expected: float
    count: int
    base: Mapping[str, float] = field(default_factory=dict)
    adjusted: float | None = None

    @property
    def highest(self) -> float:
        """The share of the most common label."""
        return max(self.base.values(), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeatability:
    """How far a rater agrees with itself on repeated ratings."""

    items: int
    samples: int
    within: float
    same: float
    correlation: float | None


def cohen_kappa(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    *,
    weighting: Weighting = "none",
    order: Sequence[Hashable] | None = None,
) -> Kappa | None:
    """Return Cohen's kappa of two raters' labels; ``None`` without any label.

    For weights, ``order`` is the categories from lowest to highest (sorted by default), and near misses count by their
    distance in it.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels beside {len(second)}")
    if not first:
        return None
    names = list(order) if order is not None else _sorted({*first, *second})
    places = {name: place for place, name in enumerate(names)}
    if missing := {*first, *second} - places.keys():
        raise ValueError(f"labels that are not in the order: {sorted(map(str, missing))}")
    size = len(names)
    table = np.zeros((size, size))
    for one, other in zip(first, second, strict=True):
        table[places[one], places[other]] += 1
    table /= len(first)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    observed, expected = _observed_and_expected(table, weighting)
    base = {str(name): float((rows[place] + columns[place]) / 2) for name, place in places.items()}
    return Kappa(
        kappa=(observed - expected) / (1 - expected) if 1 - expected > 1e-12 else None,
        observed=observed,
        expected=expected,
        count=len(first),
        base=base,
        adjusted=2 * observed - 1 if size <= 2 and weighting == "none" else None,
    )


def kappa_of_table(table: Numbers, *, weighting: Weighting = "none") -> float | None:
    """Return Cohen's kappa of a square table of pairs: counts or shares, one rater in the rows, the other in columns.

    The same as ``cohen_kappa``, and fast enough for a thousand resamples. ``None`` if chance agreement is complete.
    """
    total = float(table.sum())
    if not total:
        return None
    observed, expected = _observed_and_expected(table / total, weighting)
    return (observed - expected) / (1 - expected) if 1 - expected > 1e-12 else None


def rating_counts(units: Sequence[Sequence[Hashable]], order: Sequence[Hashable]) -> Numbers:
    """Return how often each category was given to each unit: one row per unit, one column per category of ``order``."""
    places = {name: place for place, name in enumerate(order)}
    counts = np.zeros((len(units), len(places)))
    for row, unit in enumerate(units):
        for name in unit:
            if name not in places:
                raise ValueError(f"a label that is not in the order: {name!r}")
            counts[row, places[name]] += 1
    return counts


def gwet_ac1(counts: Numbers) -> float | None:
    """Return Gwet's AC1: agreement beyond chance that stays meaningful if nearly all labels are the same.

    ``counts`` is as from ``rating_counts``, with a column for every category that could be given. ``None`` if no unit
    has two ratings, or there is one category.
    """
    found = _agreement_and_base(counts)
    if found is None or counts.shape[1] < 2:
        return None
    observed, base = found
    expected = float((base * (1 - base)).sum()) / (counts.shape[1] - 1)
    return (observed - expected) / (1 - expected) if 1 - expected > 1e-12 else None


def krippendorff_alpha(units: Sequence[Sequence[float | None]], *, level: Level = "nominal") -> float | None:
    """Return Krippendorff's alpha: any number of raters, with missing ratings allowed.

    Each unit holds its labels as numbers (``None`` for a missing one). ``None`` if no unit was labelled twice, or if
    there is only one distinct label.
    """
    paired = [values for unit in units if len(values := [each for each in unit if each is not None]) > 1]
    totals = Counter(value for values in paired for value in values)
    if not paired or len(totals) < 2:
        return None
    names = sorted(totals)
    counts = np.array([totals[name] for name in names], dtype=np.float64)
    places = {name: place for place, name in enumerate(names)}
    coincidences = np.zeros((len(names), len(names)))
    for values in paired:
        here = np.zeros(len(names))
        for value in values:
            here[places[value]] += 1
        coincidences += (np.outer(here, here) - np.diag(here)) / (len(values) - 1)
    distance = _distance(np.array(names, dtype=np.float64), counts, level)
    observed = float((coincidences * distance).sum())
    expected = float((np.outer(counts, counts) * distance).sum()) / (counts.sum() - 1)
    return 1.0 - observed / expected if expected > 0 else None


def intraclass_correlation(table: Sequence[Sequence[float]], *, averaged: bool = False) -> float | None:
    """Return ICC(1): the share of variance between the items (one row each), not between samples of one item.

    With ``averaged`` it is ICC(1, k), that of the mean of all samples. ``None`` for fewer than two items or samples,
    or if nothing varies at all.
    """
    values: Numbers = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 2:
        return None
    items, samples = values.shape
    means = values.mean(axis=1)
    between = samples * float(((means - values.mean()) ** 2).sum()) / (items - 1)
    within = float(((values - means[:, None]) ** 2).sum()) / (items * (samples - 1))
    if between + within <= 1e-24:
        return None
    if averaged:
        return (between - within) / between if between > 1e-24 else None
    return float((between - within) / (between + (samples - 1) * within))


def repeatability(items: Sequence[Sequence[float]], *, tolerance: float = 0.0) -> Repeatability | None:
    """Return how far repeated scores of the same items agree; items with a single score are left out.

    ``within`` is the standard deviation of a score about its item's mean, ``same`` the share of pairs of scores of one
    item that differ by at most ``tolerance``. The correlation is ICC(1), if all items have the same number of samples.
    """
    repeated = [tuple(values) for values in items if len(values) > 1]
    if not repeated:
        return None
    freedom = sum(len(values) - 1 for values in repeated)
    square = sum(sum((value - math.fsum(values) / len(values)) ** 2 for value in values) for values in repeated)
    pairs = [
        abs(one - other) <= tolerance + 1e-12
        for values in repeated
        for place, one in enumerate(values)
        for other in values[place + 1 :]
    ]
    even = len({len(values) for values in repeated}) == 1
    return Repeatability(
        items=len(repeated),
        samples=min(len(values) for values in repeated),
        within=math.sqrt(square / freedom),
        same=sum(pairs) / len(pairs),
        correlation=intraclass_correlation(repeated) if even else None,
    )


def _observed_and_expected(shares: Numbers, weighting: Weighting) -> tuple[float, float]:
    credit = pair_credit(shares.shape[0], weighting)
    chance = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    return float((credit * shares).sum()), float((credit * chance).sum())


def _agreement_and_base(counts: Numbers) -> tuple[float, Numbers] | None:
    """Return the mean share of agreeing pairs, and each category's share, over units with two or more ratings."""
    totals = counts.sum(axis=1)
    paired = totals >= 2
    if not paired.any():
        return None
    rated, number = counts[paired], totals[paired]
    agreeing = (rated * (rated - 1)).sum(axis=1) / (number * (number - 1))
    base: Numbers = (rated / number[:, None]).mean(axis=0)
    return float(agreeing.mean()), base


def _sorted(names: set[Hashable]) -> list[Hashable]:
    try:
        return sorted(names)  # type: ignore[type-var]
    except TypeError:  # labels of several types have no common order
        return sorted(names, key=lambda name: (type(name).__name__, str(name)))


def pair_credit(size: int, weighting: Weighting) -> Numbers:
    """Return the weight of a pair of labels: 1 for equal ones, less the further apart they are."""
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    if weighting == "none" or size < 2:
        return np.eye(size)
    share: Numbers = apart / (size - 1)
    credit: Numbers = 1.0 - (share if weighting == "linear" else share**2)
    return credit


def _distance(names: Numbers, counts: Numbers, level: Level) -> Numbers:
    """Return Krippendorff's squared distances between the values."""
    if level == "nominal":
        return 1.0 - np.eye(len(names))
    apart = np.subtract.outer(names, names)
    if level == "interval":
        squared: Numbers = apart**2
        return squared
    if level == "ratio":
        added = np.add.outer(names, names)
        ratio: Numbers = np.divide(apart, added, out=np.zeros_like(apart), where=added != 0)
        return np.square(ratio)
    upto = np.cumsum(counts) - counts / 2  # ordinal: how many labels are between the middles of two ranks
    ranks: Numbers = np.subtract.outer(upto, upto) ** 2
    return ranks
