"""The same attempts before and after a change: is the difference more than chance, if attempts share goals?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from proctor.stats.bootstrap import ratio_interval
from proctor.stats.interval import Interval
from proctor.stats.paired import McNemar, mcnemar, sign_flip

__all__ = ["ClusteredChange", "clustered_change"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredChange:
    """The change of a rate over pairs. ``gained`` pairs were hit only after, ``lost`` only before.

    ``p`` is of the sign flip over clusters, which is the one to report. ``mcnemar`` treats the pairs as independent; if
    clusters agree within, its p-value is too small.
    """

    pairs: int = 0
    clusters: int = 0
    hits_before: int = 0
    hits_after: int = 0
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    mcnemar: McNemar | None = None


def clustered_change(
    pairs: Iterable[tuple[Hashable, bool, bool]], *, confidence: float = 0.95, seed: int = 0
) -> ClusteredChange:
    """Return the change from ``(cluster, before, after)`` of each pair.

    The sign flip exchanges before and after for all pairs of a cluster at once. The interval of the difference
    resamples clusters.
    """
    totals: dict[Hashable, list[int]] = {}
    before = after = lost = gained = 0
    for cluster, was, now in pairs:
        row = totals.setdefault(cluster, [0, 0])
        row[0] += 1
        row[1] += int(now) - int(was)
        before += was
        after += now
        lost += was and not now
        gained += now and not was
    if not totals:
        return ClusteredChange()
    sizes = [row[0] for row in totals.values()]
    changes = [row[1] for row in totals.values()]
    count = sum(sizes)
    return ClusteredChange(
        pairs=count,
        clusters=len(totals),
        hits_before=before,
        hits_after=after,
        difference=sum(changes) / count,
        interval=ratio_interval(changes, sizes, confidence=confidence, seed=seed),
        p=sign_flip(changes, seed=seed),
        mcnemar=mcnemar(lost, gained),
    )
