"""The settings of a comparison of two runs.

Separate from `compare`, which imports numpy: release policies are read after every run.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CompareSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """Thresholds for detecting changes.

    ``smallest_effect`` is the change of a mean that matters: if a change of this size could have been missed, the
    verdict is "not enough data", not "no change". ``case_drop`` is by how much one case must fall to be listed.
    """

    alpha: float = 0.05
    power: float = 0.8
    smallest_effect: float = 0.1
    fewest_cases: int = 5
    case_drop: float = 0.1
    resamples: int = 2000
    flips: int = 9999
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("alpha", "power"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise ValueError(f"{name} must be between 0 and 1, not {getattr(self, name):g}")
        for name in ("smallest_effect", "case_drop"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name):g}")
        for name, least in (("fewest_cases", 2), ("resamples", 100), ("flips", 999)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, not {getattr(self, name)}")
