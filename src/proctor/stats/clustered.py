"""Effective sample size of a share if several results belong to one case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["ClusterSums", "effective_count"]


@dataclass(slots=True)
class ClusterSums:
    """Sums over clusters for the variance of the share, in constant memory.

    A cluster is the judged results of one case: ``hits`` of ``total`` passed.
    """

    clusters: int = 0
    hits: int = 0
    total: int = 0
    hits_squared: int = 0
    hits_by_total: int = 0
    total_squared: int = 0

    def add(self, hits: int, total: int) -> None:
        """Add one cluster; one without results is skipped."""
        if not 0 <= hits <= total:
            raise ValueError(f"{hits} hits in {total} cannot be")
        if total:
            self.clusters += 1
            self.hits += hits
            self.total += total
            self.hits_squared += hits * hits
            self.hits_by_total += hits * total
            self.total_squared += total * total

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]]) -> ClusterSums:
        """Return the sums over pairs of hits and totals."""
        made = cls()
        for hits, total in pairs:
            made.add(hits, total)
        return made


def effective_count(sums: ClusterSums) -> float:
    """Return the number of independent results with the same variance of the share.

    It is the number of results divided by the design effect: the variance of the share with the results of a case
    taken together, relative to that of independent results. If all results passed or all failed, the correlation within
    cases is unknown; then each case counts once.
    """
    if not sums.total:
        return 0.0
    share = sums.hits / sums.total
    alone = share * (1 - share) * sums.total
    if alone <= 0:
        return float(sums.clusters)
    together = sums.hits_squared - 2 * share * sums.hits_by_total + share * share * sums.total_squared
    # Results that vary less than chance must not count for more than independent ones.
    return min(float(sums.total), sums.total * alone / together) if together > 0 else float(sums.total)
