"""Which rows share a batch: groups of like length and about equal cost."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np

__all__ = ["planned"]


def planned(lengths: Sequence[int], budget: int, dice: random.Random | None) -> Iterator[list[int]]:
    """Groups of row numbers of like length, each about ``budget`` pieces; shuffled when dice are given."""
    noise = np.random.default_rng(dice.getrandbits(32)).random(len(lengths)) * 6 if dice else 0
    order = np.argsort(np.asarray(lengths) + noise, kind="stable").tolist()
    groups: list[list[int]] = []
    group: list[int] = []
    for i in order:
        # few different shapes: a device that meets a new one stops to think
        most = budget // (-(-lengths[i] // 8) * 8)
        if len(group) >= max(1, most // 16 * 16 or most):
            groups.append(group)
            group = []
        group.append(i)
    groups.append(group)
    if dice:
        dice.shuffle(groups)
    yield from (g for g in groups if g)
