"""Select the cases of a suite that are run."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import islice

from proctor.core.case import Case
from proctor.core.record import dataclass

__all__ = ["Selection", "select"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Filters, then a sample, then the first few; unset fields select all cases.

    A case passes with any of ``tags``, none of ``not_tags``, any of ``intents``, an id that matches any of ``ids``
    (``*`` and ``?`` as in file names) and, if ``only`` is set, an id in it.
    """

    tags: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    first: int | None = None
    sample: int | None = None
    seed: int = 0
    only: frozenset[str] | None = None

    def __post_init__(self) -> None:
        for name in ("first", "sample"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")

    def takes(self, case: Case) -> bool:
        """Whether the case passes the filters."""
        return (
            (self.only is None or case.id in self.only)
            and (not self.tags or any(tag in case.tags for tag in self.tags))
            and not any(tag in case.tags for tag in self.not_tags)
            and (not self.intents or case.intent in self.intents)
            and (not self.ids or any(case.id == each or fnmatchcase(case.id, each) for each in self.ids))
        )


def select(cases: Iterable[Case], selection: Selection) -> Iterator[Case]:
    """Yield the selected cases in order; only a sample is held in memory."""
    passed: Iterator[Case] = (case for case in cases if selection.takes(case))
    if selection.sample is not None:
        passed = _sampled(passed, selection.sample, selection.seed)
    return islice(passed, selection.first)


def _sampled(cases: Iterable[Case], size: int, seed: int) -> Iterator[Case]:
    """Yield the ``size`` cases of lowest rank, in order.

    A case's rank is a hash of the seed and its id, so it does not depend on the order of files or on other cases.
    """
    kept: list[tuple[int, int, Case]] = []
    for index, case in enumerate(cases):
        entry = (-_rank(case.id, seed), -index, case)
        if len(kept) < size:
            heapq.heappush(kept, entry)
        elif entry[0] > kept[0][0]:
            heapq.heapreplace(kept, entry)
    yield from (case for _, _, case in sorted(kept, key=lambda entry: -entry[1]))


def _rank(case_id: str, seed: int) -> int:
    text = f"{seed}\x1f{case_id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
