"""Check whether two runs used the same scorers: same code, same model files, same settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.report import Fingerprint
from proctor.release.measures import CaseMeasure

__all__ = ["NO_CHANGE", "ScorerChange", "scorer_change"]

_MAX_CASES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerChange:
    """The differences between the scorers of two runs.

    ``names`` are scorers whose code, model files or version differ; ``settings`` is true if the suite's own checks
    changed; ``cases`` have other checks of their own. ``unknown`` is true if a side has no hashes to compare.
    """

    names: tuple[str, ...] = ()
    settings: bool = False
    cases: tuple[str, ...] = ()
    unknown: bool = False

    def __bool__(self) -> bool:
        return bool(self.names or self.settings or self.cases)

    @property
    def message(self) -> str:
        """What changed, in words; empty if no change is known."""
        found = [", ".join(self.names)] if self.names else []
        found += ["the settings of the suite's checks"] if self.settings else []
        if self.cases:
            more = f" and {len(self.cases) - _MAX_CASES_SHOWN} more" if len(self.cases) > _MAX_CASES_SHOWN else ""
            found.append(f"the checks of {', '.join(self.cases[:_MAX_CASES_SHOWN])}{more}")
        return f"scorers changed since the baseline ({'; '.join(found)})" if found else ""


NO_CHANGE = ScorerChange()


def scorer_change(
    old: Fingerprint, new: Fingerprint, pairs: Sequence[tuple[CaseMeasure, CaseMeasure]] = ()
) -> ScorerChange:
    """Return the differences between the scorers of two fingerprints.

    Only scorers that both runs used are compared: a filtered run uses fewer, and a new case may add another.
    """
    shared = old.scorers.keys() & new.scorers.keys()
    names = {name for name in shared if old.scorers[name] != new.scorers[name]}
    hashed = old.scorer_hashes.keys() & new.scorer_hashes.keys()
    changed = {name for name in hashed if old.scorer_hashes[name] != new.scorer_hashes[name]}
    cases = [
        after.case
        for before, after in pairs
        if before.checks and after.checks and before.checks_hash != after.checks_hash
    ]
    return ScorerChange(
        names=tuple(sorted(names | changed - {""})),
        settings="" in changed,
        cases=tuple(cases),
        unknown=bool(shared) and not (old.scorer_hashes and new.scorer_hashes),
    )
