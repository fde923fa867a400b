"""Correlation of two variables, and partial correlation given a third."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["partial", "pearson", "ranks", "slope", "spearman"]

Numbers = npt.NDArray[np.float64]
_MIN_VARIANCE = 1e-24


def pearson(first: Sequence[float] | Numbers, second: Sequence[float] | Numbers) -> float | None:
    """Return the correlation of two lists of numbers; ``None`` for fewer than three pairs, or if one is constant."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape:
        raise ValueError(f"{one.size} numbers beside {other.size}")
    if one.size < 3:
        return None
    one, other = one - one.mean(), other - other.mean()
    spread = float((one**2).sum()) * float((other**2).sum())
    if spread <= _MIN_VARIANCE:
        return None
    return float(np.clip((one * other).sum() / np.sqrt(spread), -1.0, 1.0))


def ranks(values: Sequence[float] | Numbers) -> Numbers:
    """Return the rank of each number, starting from 1; ties share their mean rank."""
    numbers = np.asarray(values, dtype=np.float64)
    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middle: Numbers = ends - (counts - 1) / 2.0
    shared: Numbers = middle[places]
    return shared


def spearman(first: Sequence[float] | Numbers, second: Sequence[float] | Numbers) -> float | None:
    """Return the rank correlation."""
    return pearson(ranks(first), ranks(second))


def partial(first: Numbers, second: Numbers, held: Numbers) -> float | None:
    """Return the partial correlation of two lists given a third; ``None`` if no variance is left."""
    whole, left, right = pearson(first, second), pearson(first, held), pearson(second, held)
    if whole is None:
        return None
    if left is None or right is None:  # the third is constant, so there is nothing to control for
        return whole
    rest = (1 - left**2) * (1 - right**2)
    if rest <= 1e-12:
        return None
    return float(np.clip((whole - left * right) / np.sqrt(rest), -1.0, 1.0))


def slope(values: Numbers, by: Numbers, held: Numbers) -> float | None:
    """Return the least-squares slope of the values on ``by``, controlling for ``held``."""
    table = np.column_stack([np.ones_like(values), by, held])
    if values.size < 4 or np.ptp(by) <= 1e-12:
        return None
    if np.ptp(held) <= 1e-12:
        table = table[:, :2]
    found, _, rank, _ = np.linalg.lstsq(table, values, rcond=None)
    return float(found[1]) if rank == table.shape[1] else None
