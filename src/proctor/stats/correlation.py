"""How far two things go together, and what is left of it when a third is held still."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["partial", "pearson", "ranks", "slope", "spearman"]

Numbers = npt.NDArray[np.float64]
_FLAT = 1e-24


def pearson(first: Sequence[float] | Numbers, second: Sequence[float] | Numbers) -> float | None:
    """The correlation of two lists of numbers; ``None`` under three pairs, or when one does not vary."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape:
        raise ValueError(f"{one.size} numbers beside {other.size}")
    if one.size < 3:
        return None
    one, other = one - one.mean(), other - other.mean()
    spread = float((one**2).sum()) * float((other**2).sum())
    if spread <= _FLAT:
        return None
    return float(np.clip((one * other).sum() / np.sqrt(spread), -1.0, 1.0))


def ranks(values: Sequence[float] | Numbers) -> Numbers:
    """The place of each number in their order from 1 on; equal ones share the mean of their places."""
    numbers = np.asarray(values, dtype=np.float64)
    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middle: Numbers = ends - (counts - 1) / 2.0
    shared: Numbers = middle[places]
    return shared


def spearman(first: Sequence[float] | Numbers, second: Sequence[float] | Numbers) -> float | None:
    """The correlation of the places in two orders."""
    return pearson(ranks(first), ranks(second))


def partial(first: Numbers, second: Numbers, held: Numbers) -> float | None:
    """The correlation of two lists with what both owe to a third taken out; ``None`` when nothing is left."""
    whole, left, right = pearson(first, second), pearson(first, held), pearson(second, held)
    if whole is None:
        return None
    if left is None or right is None:  # the third does not vary, so nothing is owed to it
        return whole
    rest = (1 - left**2) * (1 - right**2)
    if rest <= 1e-12:
        return None
    return float(np.clip((whole - left * right) / np.sqrt(rest), -1.0, 1.0))


def slope(values: Numbers, by: Numbers, held: Numbers) -> float | None:
    """How much the values grow for one step of ``by`` while ``held`` stays; least squares."""
    table = np.column_stack([np.ones_like(values), by, held])
    if values.size < 4 or np.ptp(by) <= 1e-12:
        return None
    if np.ptp(held) <= 1e-12:
        table = table[:, :2]
    found, _, rank, _ = np.linalg.lstsq(table, values, rcond=None)
    return float(found[1]) if rank == table.shape[1] else None
