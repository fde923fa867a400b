"""Pass and fail over repeated samples: which flips chance can explain."""

from __future__ import annotations

import math

__all__ = ["chance_flips", "poisson_tail"]

_GRID = 200


def chance_flips(mixed: float, before: int, after: int) -> float:
    """Return an upper bound on the clean flips expected by chance, from the number of cases with mixed samples.

    A clean flip passed in all of ``before`` samples and fails in all of ``after``. A case that fails with probability f
    flips cleanly with probability (1-f)^before · f^after, and shows mixed samples with probability 1 - f^k - (1-f)^k,
    where k is the larger number of samples. The bound is the largest ratio of the two over all f, times ``mixed``.
    """
    most = max(before, after)
    if most < 2:
        raise ValueError("one sample on each side shows no mixed case, so nothing bounds chance")
    ratios = []
    for step in range(1, _GRID):
        f = step / _GRID
        ratios.append((1 - f) ** before * f**after / (1 - f**most - (1 - f) ** most))
    return mixed * max(ratios)


def poisson_tail(count: int, mean: float) -> float:
    """Return the probability of ``count`` or more events if ``mean`` are expected."""
    if count <= 0:
        return 1.0
    if mean <= 0:
        return 0.0
    below = sum(math.exp(-mean + n * math.log(mean) - math.lgamma(n + 1)) for n in range(count))
    return max(0.0, 1.0 - below)
