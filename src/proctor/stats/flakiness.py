"""How steady something is that was tried several times: pass^k and entropy."""

from __future__ import annotations

import math

__all__ = ["entropy", "pass_hat"]


def pass_hat(passed: int, tried: int, k: int) -> float | None:
    """The chance that ``k`` further tries all pass, estimated without bias from ``passed`` in ``tried``.

    ``None`` with fewer than ``k`` tries: that many were never seen together.
    """
    if tried < 0 or not 0 <= passed <= tried:
        raise ValueError(f"{passed} passed in {tried} cannot be")
    if k < 1:
        raise ValueError(f"k must be 1 or more, not {k}")
    if tried < k:
        return None
    return math.comb(passed, k) / math.comb(tried, k)


def entropy(passed: int, failed: int) -> float:
    """How much it wavers, in bits: 0 when all tries came out the same, 1 when half of them did."""
    if passed < 0 or failed < 0:
        raise ValueError(f"{passed} passed and {failed} failed cannot be")
    total = passed + failed
    shares = [count / total for count in (passed, failed) if count and total]
    return abs(-math.fsum(share * math.log2(share) for share in shares))
