"""Figures of agreement for many resamples at once: the same as in ``agreement``, for bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from proctor.stats.agreement import Weighting, pair_credit

__all__ = ["UnitRatings", "kappas_of_pairs"]

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
_LEAST = 1e-12  # below it chance agreement is complete


class UnitRatings:
    """Ratings of units by two or more people. Each method returns a value per resample, NaN if it has none.

    ``counts`` is as from ``rating_counts``, each unit with two ratings or more. ``draws`` has the indices of resampled
    units, one row per resample.
    """

    def __init__(self, counts: Numbers) -> None:
        totals = counts.sum(axis=1)
        self._agreeing: Numbers = (counts * (counts - 1)).sum(axis=1) / (totals * (totals - 1))
        self._base: Numbers = counts / totals[:, None]
        own = counts[:, :, None] * np.eye(counts.shape[1])
        pairs: Numbers = (counts[:, :, None] * counts[:, None, :] - own) / (totals - 1)[:, None, None]
        self._pairs = pairs.reshape(len(counts), -1)
        self._size = counts.shape[1]

    def observed(self, draws: Places) -> Numbers:
        """The share of pairs of raters that gave the same label."""
        shares: Numbers = self._agreeing[draws].mean(axis=1)
        return shares

    def fleiss(self, draws: Places) -> Numbers:
        """Fleiss' kappa."""
        base = self._bases(draws)
        return _beyond(self.observed(draws), (base**2).sum(axis=1))

    def ac1(self, draws: Places) -> Numbers:
        """Gwet's AC1."""
        base = self._bases(draws)
        return _beyond(self.observed(draws), (base * (1 - base)).sum(axis=1) / (self._size - 1))

    def ordinal_alpha(self, draws: Places) -> Numbers:
        """Krippendorff's alpha for labels with an order."""
        weights = _weights(draws, len(self._pairs))
        pairs = (weights @ self._pairs).reshape(-1, self._size, self._size)
        counts = pairs.sum(axis=2)
        middle = np.cumsum(counts, axis=1) - counts / 2
        apart = (middle[:, :, None] - middle[:, None, :]) ** 2
        observed = (pairs * apart).sum(axis=(1, 2))
        chance = (counts[:, :, None] * counts[:, None, :] * apart).sum(axis=(1, 2)) / (counts.sum(axis=1) - 1)
        return np.where(chance > 0, 1 - observed / np.where(chance > 0, chance, 1.0), np.nan)

    def _bases(self, draws: Places) -> Numbers:
        found: Numbers = _weights(draws, len(self._base)) @ self._base / draws.shape[1]
        return found


def kappas_of_pairs(codes: Places, size: int, weighting: Weighting = "none") -> Callable[[Places], Numbers]:
    """Return Cohen's kappa as a function of draws; a code is the row and the column of a unit in the square table."""
    credit = pair_credit(size, weighting)

    def figures(draws: Places) -> Numbers:
        rows = np.arange(len(draws))[:, None] * size * size
        tables = np.bincount((codes[draws] + rows).ravel(), minlength=len(draws) * size * size)
        shares = tables.reshape(-1, size, size) / draws.shape[1]
        chance = shares.sum(axis=2)[:, :, None] * shares.sum(axis=1)[:, None, :]
        return _beyond((shares * credit).sum(axis=(1, 2)), (chance * credit).sum(axis=(1, 2)))

    return figures


def _weights(draws: Places, units: int) -> Numbers:
    """Return how often each unit is in each resample."""
    rows = np.arange(len(draws))[:, None] * units
    counts = np.bincount((draws + rows).ravel(), minlength=len(draws) * units)
    return counts.reshape(len(draws), units).astype(np.float64)


def _beyond(observed: Numbers, expected: Numbers) -> Numbers:
    """Return the agreement beyond chance."""
    left = 1 - expected
    return np.where(left > _LEAST, (observed - expected) / np.where(left > _LEAST, left, 1.0), np.nan)
