"""Draw a random sample of a stream of conversations in one pass: those with the smallest hashes of their ids."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from hashlib import blake2b

from proctor.core.trajectory import Trajectory

__all__ = ["ConversationSample"]


@dataclass(slots=True)
class ConversationSample:
    """At most ``size`` conversations, all equally likely; the draw depends only on their ids and the seed."""

    size: int
    seed: int = 0
    seen: int = 0
    _kept: list[tuple[int, int, Trajectory]] = field(default_factory=list)

    def offer(self, run: Trajectory) -> None:
        """Consider one conversation."""
        self.seen += 1
        if self.size < 1:
            return
        entry = (-_hash(self.seed, run.id or str(self.seen)), self.seen, run)
        if len(self._kept) < self.size:
            heapq.heappush(self._kept, entry)
        elif entry > self._kept[0]:
            heapq.heapreplace(self._kept, entry)

    @property
    def drawn(self) -> list[Trajectory]:
        """The sample in the order of its hashes, so that a part of it is a sample too."""
        return [run for _, _, run in sorted(self._kept, key=lambda each: -each[0])]


def _hash(seed: int, name: str) -> int:
    return int.from_bytes(blake2b(f"{seed}:{name}".encode(), digest_size=8).digest(), "big")
