"""Rates over attempts that belong to a few goals: intervals by goal, and the share of goals with any success."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proctor.stats.clustered import ClusterSums, effective_count
from proctor.stats.interval import Interval, wilson, wilson_of_share
from proctor.stats.student import student_quantile

__all__ = ["any_of_first", "any_of_n", "clustered_count", "clustered_interval"]

Pair = tuple[int, int]  # hits and total of one cluster


def clustered_count(pairs: Iterable[Pair], *, confidence: float = 0.95) -> float:
    """Return how many independent results these clusters are worth, for the interval of their pooled rate.

    It is the effective count, reduced as Korn and Graubard do: the variance between few clusters is itself uncertain.
    With one cluster the variance between clusters is unknown, so all its results count as one.
    """
    sums = ClusterSums.of(pairs)
    count = effective_count(sums)
    if sums.clusters < 2 or sums.hits in (0, sums.total):
        return float(sums.clusters)
    if sums.total == sums.clusters:
        return count
    point = 0.5 + confidence / 2
    ratio = student_quantile(point, sums.total - 1) / student_quantile(point, sums.clusters - 1)
    return max(1.0, count * ratio * ratio)


def clustered_interval(pairs: Iterable[Pair], *, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson interval of the pooled rate, clustered; ``None`` if nothing was counted."""
    known = [pair for pair in pairs if pair[1]]
    hits, total = sum(hits for hits, _ in known), sum(total for _, total in known)
    if not total:
        return None
    return wilson_of_share(hits / total, clustered_count(known, confidence=confidence), confidence=confidence)


def any_of_n(pairs: Iterable[Pair], *, confidence: float = 0.95) -> tuple[int, int, Interval | None]:
    """Return in how many clusters something was hit, the number of clusters, and the interval of that share.

    Clusters are independent of each other, so this is a plain Wilson interval. One without results is not counted.
    """
    known = [hits for hits, total in pairs if total]
    hit = sum(hits > 0 for hits in known)
    return hit, len(known), wilson(hit, len(known), confidence=confidence)


def any_of_first(tries: Iterable[Sequence[bool]], counts: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return, for each count, in how many clusters one of the first so many tries hit, and the number of clusters.

    A cluster may stop at its first hit. A count above the length of any cluster without a hit is left out: what its
    missing tries would have shown is unknown.
    """
    known = [list(each) for each in tries if each]
    firsts = [each.index(True) + 1 if True in each else None for each in known]
    longest = min((len(each) for each, first in zip(known, firsts, strict=True) if first is None), default=None)
    if longest is None:
        longest = max((first for first in firsts if first is not None), default=0)
    hit = {count: sum(first is not None and first <= count for first in firsts) for count in counts if count > 0}
    return {count: (hits, len(known)) for count, hits in hit.items() if count <= longest}
