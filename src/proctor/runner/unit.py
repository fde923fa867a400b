"""The unit of work: one case, run once on one target."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from proctor.core.case import Case
from proctor.core.record import dataclass
from proctor.core.sockets import Target

__all__ = ["Unit", "unit_key", "units"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One case, one target, one sample; identified by a hash, so that a resumed run recognises it.

    ``place`` is its number in the suite, since units finish in any order.
    """

    case: Case
    target: Target
    sample: int
    key: int
    place: int = 0


def unit_key(case_id: str, target: str, sample: int) -> int:
    """Return the 8-byte key of a unit: a set of 100,000 of them stays small."""
    text = f"{case_id}\x1f{target}\x1f{sample}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)


def units(cases: Iterable[Case], targets: Sequence[Target], samples: int) -> Iterator[Unit]:
    """Yield every unit lazily: all targets and samples of a case before the next case."""
    every = ((case, target, sample) for case in cases for target in targets for sample in range(samples))
    for place, (case, target, sample) in enumerate(every):
        key = unit_key(case.id, target.name, sample)
        yield Unit(case=case, target=target, sample=sample, key=key, place=place)
