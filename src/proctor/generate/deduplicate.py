"""Find duplicate and near-duplicate tests by shared character trigrams."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import dumps
from proctor.core.generated_test import GeneratedTest
from proctor.generate.build_case import inputs_of

__all__ = ["THRESHOLD", "Repeat", "SeenTests", "likeness", "without_duplicates"]

THRESHOLD = 0.75
_GRAM = 3
# A short part at the end of a structured input (`a sentence.; word`) counts as a separate input.
_TAIL = re.compile(r"^(.{8,})(?:[;|\t]|::|->|=>)\s*([^;|\t\n.!?]{1,40})$", re.DOTALL)

Gram = tuple[str, str]

# Bits of the masks: few to skip most tests fast, many to be sure about the rest.
_COARSE = 1024
_FINE = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A test that was left out, the one it duplicates, and their similarity from 0 to 1."""

    case: Case
    of: str
    likeness: float


class SeenTests:
    """The existing tests; detects whether another one duplicates one of them.

    The similarity of two tests is that of their least similar input: the share of common trigrams. A variant of another
    test (it has a ``relation``) is a duplicate only of an identical test.
    """

    def __init__(self, cases: Iterable[Case] = (), *, threshold: float = THRESHOLD) -> None:
        if not 0.0 < threshold <= 1.0:
            raise ValueError(f"a threshold of likeness is over 0 and at most 1, not {threshold:g}")
        self.threshold = threshold
        self._cases: list[Case] = []
        self._lacking: list[tuple[int, int]] = []
        self._fine: list[int] = []
        self._exact: dict[bytes, str] = {}
        for case in cases:
            self.add(case)

    def add(self, case: Case) -> None:
        """Add the test."""
        grams = _grams(case)
        self._cases.append(case)
        self._lacking.append((len(grams), _mask(grams, _COARSE) ^ ((1 << _COARSE) - 1)))
        self._fine.append(_mask(grams, _FINE))
        self._exact.setdefault(_exact(case), case.id)

    def repeated(self, case: Case) -> Repeat | None:
        """Return the most similar test that this one duplicates, if any."""
        if (same := self._exact.get(_exact(case))) is not None:
            return Repeat(case=case, of=same, likeness=1.0)
        if GeneratedTest.of(case).relation:
            return None
        grams = _grams(case)
        best: tuple[float, int] | None = None
        for number in self._near(grams):
            alike = _alike(grams, _grams(self._cases[number]), self.threshold)
            if alike >= self.threshold and (best is None or alike > best[0]):
                best = (alike, number)
        return Repeat(case=case, of=self._cases[best[1]].id, likeness=best[0]) if best else None

    def _near(self, grams: frozenset[Gram]) -> list[int]:
        """Return the tests that may be similar enough.

        A bit that is set in only one mask stands for at least one trigram that is not shared, so masks give an upper
        bound on what two tests share. Almost all tests are skipped with one operation on two integers.
        """
        size, coarse, fine = len(grams), _mask(grams, _COARSE), _mask(grams, _FINE)
        share = self.threshold / (1 + self.threshold)
        low, high = self.threshold * size - 1e-9, size / self.threshold + 1e-9
        likely = [
            (number, other)
            for number, (other, lacking) in enumerate(self._lacking)
            if low <= other <= high and size - (coarse & lacking).bit_count() >= share * (size + other) - 1e-9
        ]
        return [
            number
            for number, other in likely
            if min(size - (fine & ~self._fine[number]).bit_count(), other - (self._fine[number] & ~fine).bit_count())
            >= share * (size + other) - 1e-9
        ]


def without_duplicates(
    cases: Iterable[Case], *, kept: Sequence[Case] = (), threshold: float = THRESHOLD
) -> tuple[tuple[Case, ...], tuple[Repeat, ...]]:
    """Return the new cases in order, and those that duplicate an earlier one or one of ``kept``."""
    seen = SeenTests(kept, threshold=threshold)
    new: list[Case] = []
    repeats: list[Repeat] = []
    for case in cases:
        repeat = seen.repeated(case)
        if repeat is None:
            seen.add(case)
            new.append(case)
        else:
            repeats.append(repeat)
    return tuple(new), tuple(repeats)


def likeness(one: Case, other: Case) -> float:
    """Return the similarity of two cases from 0 to 1: that of their least similar input."""
    return _alike(_grams(one), _grams(other), 0.0)


def _alike(one: frozenset[Gram], other: frozenset[Gram], least: float) -> float:
    """Return the similarity of two trigram sets, per input; 0 if it is under ``least``."""
    shared = one & other
    if len(shared) < least * (len(one) + len(other) - len(shared)):
        return 0.0
    sizes: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, _ in one:
        sizes[name][0] += 1
    for name, _ in other:
        sizes[name][0] += 1
    for name, _ in shared:
        sizes[name][1] += 1
    return min((common / (both - common) for both, common in sizes.values()), default=1.0)


def _grams(case: Case) -> frozenset[Gram]:
    """Return every trigram with its input; the scenario counts as one more input."""
    found: set[Gram] = {("", GeneratedTest.of(case).scenario)}
    for name, value in inputs_of(case).items():
        for at, part in enumerate(_parts(value)):
            text = f" {' '.join(part.casefold().split())} "
            title = f"{name} {at}"
            found |= {(title, text[start : start + _GRAM]) for start in range(max(1, len(text) - _GRAM + 1))}
    return frozenset(found)


def _mask(grams: frozenset[Gram], size: int) -> int:
    """Return a bit mask of the trigrams; several may share a bit."""
    bits = bytearray(size // 8)
    for gram in grams:
        at = hash(gram) % size
        bits[at >> 3] |= 1 << (at & 7)
    return int.from_bytes(bits, "little")


def _parts(value: Any) -> tuple[str, ...]:
    text = value if isinstance(value, str) else dumps(value).decode()
    match = _TAIL.match(text) if len(text) < 2_000 else None
    return match.groups() if match else (text,)


def _exact(case: Case) -> bytes:
    return dumps([GeneratedTest.of(case).scenario, sorted(inputs_of(case).items())])
