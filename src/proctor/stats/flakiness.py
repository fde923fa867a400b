"""Stability of repeated trials: pass^k and entropy."""

from __future__ import annotations

import math

__all__ = ["entropy", "pass_hat"]


def pass_hat(passed: int, tried: int, k: int) -> float | None:
    """Return the unbiased estimate of the probability that ``k`` trials all pass, from ``passed`` in ``tried``.

    ``None`` for fewer than ``k`` trials.
    """
    if tried < 0 or not 0 <= passed <= tried:
        raise ValueError(f"{passed} passed in {tried} cannot be")
    if k < 1:
        raise ValueError(f"k must be 1 or more, not {k}")
    if tried < k:
        return None
    return math.comb(passed, k) / math.comb(tried, k)


def entropy(passed: int, failed: int) -> float:
    """Return the entropy in bits: 0 if all trials have the same outcome, 1 for half and half."""
    if passed < 0 or failed < 0:
        raise ValueError(f"{passed} passed and {failed} failed cannot be")
    total = passed + failed
    shares = [count / total for count in (passed, failed) if count and total]
    return abs(-math.fsum(share * math.log2(share) for share in shares))
