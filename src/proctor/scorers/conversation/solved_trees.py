"""Boosted trees from a JSON file: probability and feature contributions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

__all__ = ["Trees", "shipped_trees"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """Trees over named features; a node has a feature (-1 in a leaf), a threshold, a left, a right and a value."""

    name: str
    version: str
    features: tuple[str, ...]
    start: float
    slope: float
    offset: float
    threshold: float
    trees: tuple[tuple[Sequence[int], Sequence[float], Sequence[int], Sequence[int], Sequence[float]], ...]

    def probability(self, values: Mapping[str, float]) -> float:
        """Return the calibrated probability; a missing feature counts as 0."""
        row = [float(values.get(name, 0.0)) for name in self.features]
        total = self.start
        for feature, cut, left, right, value in self.trees:
            at = 0
            while (looked := feature[at]) >= 0:
                at = left[at] if row[looked] <= cut[at] else right[at]
            total += value[at]
        return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, self.slope * total + self.offset))))

    def reasons(self, values: Mapping[str, float]) -> list[tuple[str, float]]:
        """Return each feature's contribution, the largest first: the change in value at its splits."""
        row = [float(values.get(name, 0.0)) for name in self.features]
        shares = [0.0] * len(row)
        for feature, cut, left, right, value in self.trees:
            at = 0
            while (looked := feature[at]) >= 0:
                after = left[at] if row[looked] <= cut[at] else right[at]
                shares[looked] += value[after] - (value[at] if at else 0.0)
                at = after
        named = [(name, self.slope * share) for name, share in zip(self.features, shares, strict=True) if share]
        return sorted(named, key=lambda each: -abs(each[1]))


@lru_cache(maxsize=1)
def shipped_trees() -> Trees:
    """Load the bundled trees."""
    name = "solved.json"
    text = resources.files("proctor.scorers.conversation").joinpath(name).read_text(encoding="utf-8")
    return read_trees(json.loads(text), name)


def read_trees(data: Mapping[str, Any], name: str = "") -> Trees:
    """Build trees from decoded JSON.

    Raises:
        ValueError: a tree points at a node or a feature that is not there.
    """
    names = tuple(str(name) for name in data["features"])
    trees = tuple(tuple(part) for part in data["trees"])
    for number, (feature, cut, left, right, value) in enumerate(trees):
        size = len(feature)
        if not size == len(cut) == len(left) == len(right) == len(value):
            raise ValueError(f"tree {number}: its lists differ in length")
        for at, looked in enumerate(feature):
            if looked >= len(names) or (looked >= 0 and not (at < left[at] < size and at < right[at] < size)):
                raise ValueError(f"tree {number}, node {at}: it points at something that is not there")
    return Trees(
        name=name,
        version=str(data["version"]),
        features=names,
        start=float(data["start"]),
        slope=float(data["slope"]),
        offset=float(data["offset"]),
        threshold=float(data["threshold"]),
        trees=trees,
    )
