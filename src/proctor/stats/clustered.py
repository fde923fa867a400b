"""How sure a share is when several results belong to one case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["ClusterSums", "effective_count"]


@dataclass(slots=True)
class ClusterSums:
    """Sums over clusters, enough for the variance of the share; their size does not grow with the clusters.

    A cluster is the judged results of one case: ``hits`` of ``total`` passed.
    """

    clusters: int = 0
    hits: int = 0
    total: int = 0
    hits_squared: int = 0
    hits_by_total: int = 0
    total_squared: int = 0

    def add(self, hits: int, total: int) -> None:
        """Count one cluster; one without results is left out."""
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
        """The sums over pairs of hits and totals."""
        made = cls()
        for hits, total in pairs:
            made.add(hits, total)
        return made


def effective_count(sums: ClusterSums) -> float:
    """How many independent results would tell the share as surely as these do.

    It is the number of results divided by the design effect: the variance of the share with the results of a case
    taken together, relative to what it would be if all results were independent. When every result passed or every
    one failed, nothing can be learnt of how alike the results of a case are; then each case counts once.
    """
    if not sums.total:
        return 0.0
    share = sums.hits / sums.total
    alone = share * (1 - share) * sums.total
    if alone <= 0:
        return float(sums.clusters)
    together = sums.hits_squared - 2 * share * sums.hits_by_total + share * share * sums.total_squared
    # Results that vary less than chance are no reason to be surer than independent ones would make us.
    return min(float(sums.total), sums.total * alone / together) if together > 0 else float(sums.total)
