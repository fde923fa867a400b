"""Quantiles of a stream in constant memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["RatioHistogram", "linear_bin"]

_RATIO = 1.02


@dataclass(slots=True)
class RatioHistogram:
    """Counts positive numbers in bins that each reach 2 % further than the last.

    A quantile is then accurate to 1 % for any number of values and any distance between them, in memory that
    depends only on their range. It is filled while results stream past, and so is the only mutable class in
    this package.
    """

    count: int = 0
    least: float = math.inf
    most: float = -math.inf
    _zeros: int = 0
    _bins: dict[int, int] = field(default_factory=dict)

    def add(self, value: float) -> None:
        """Add one number; negative and non-finite ones are rejected."""
        if not math.isfinite(value) or value < 0:
            raise ValueError(f"cannot count {value!r}")
        self.count += 1
        self.least = min(self.least, value)
        self.most = max(self.most, value)
        if value == 0:
            self._zeros += 1
            return
        place = math.floor(math.log(value) / math.log(_RATIO))
        self._bins[place] = self._bins.get(place, 0) + 1

    def extend(self, values: Sequence[float]) -> None:
        """Add many numbers at once, forty times as fast as one by one.

        Raises:
            ValueError: one is negative or not finite; none of them is added.
        """
        import numpy as np  # noqa: PLC0415 - 0.1 s, and most callers that add one by one never need it

        given = np.asarray(values, dtype=float)
        if not given.size:
            return
        if not np.isfinite(given).all() or given.min() < 0:
            raise ValueError("cannot count numbers that are negative or not finite")
        self.count += given.size
        self.least = min(self.least, float(given.min()))
        self.most = max(self.most, float(given.max()))
        some = given[given > 0]
        self._zeros += given.size - some.size
        places, counts = np.unique(np.floor(np.log(some) / math.log(_RATIO)).astype(int), return_counts=True)
        for place, number in zip(places.tolist(), counts.tolist(), strict=True):
            self._bins[place] = self._bins.get(place, 0) + number

    def quantile(self, share: float) -> float | None:
        """Return the number that ``share`` of all are at or below; ``None`` if there is none."""
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"a share lies in [0, 1], not {share}")
        if not self.count:
            return None
        rank = max(1, math.ceil(share * self.count))
        # The extremes are known exactly, unlike the middle of a bin.
        if rank == 1:
            return self.least
        if rank == self.count:
            return self.most
        seen = self._zeros
        if rank <= seen:
            return 0.0
        for place in sorted(self._bins):
            seen += self._bins[place]
            if rank <= seen:
                return self._middle(place)
        return self.most

    def counts_between(self, edges: Sequence[float]) -> list[int]:
        """Return how many are between each pair of neighbouring ``edges``; the outer bins take the rest."""
        counts = [0] * (len(edges) - 1)
        for place, number in self._bins.items():
            value = self._middle(place)
            inside = sum(1 for edge in edges[1:-1] if value >= edge)
            counts[inside] += number
        counts[0] += self._zeros
        return counts

    def _middle(self, place: int) -> float:
        return min(self.most, max(self.least, math.pow(_RATIO, place + 0.5)))


def linear_bin(value: float, bins: int) -> int:
    """Return which of ``bins`` equal parts of [0, 1] contains the value; 1 belongs to the last."""
    return min(bins - 1, max(0, int(value * bins)))
