"""The release policy: what may ship."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from proctor.core.decode import decode
from proctor.release.compare_settings import CompareSettings
from proctor.release.floors import DEFAULT, Floor

__all__ = ["Policy", "read_policy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What may ship, as one reviewed file.

    A drop of a mean holds if it is proven (at ``alpha``, over all tests) and larger than ``largest_drop``, which is one
    number or one for each dimension. A floor holds if the mean was under it in ``consecutive`` runs in a row. Zero
    tolerance, by intent, names dimensions or sub-scores in which no single case may fall by more than ``tolerance``;
    ``default`` is every intent that is not named, ``all`` every case. ``unscored`` is the maximum share of unscored
    cases, ``missing`` the maximum number of cases not run.

    ``newly_failing`` is how many cases that passed an exact check may fail it now: a number, or a share under 1; or one
    for each check, with ``default``. ``sampled_target`` states whether the target's answers vary; without it that is
    derived from whether a model answered. ``incidents`` is how many cases that were made from alerts may fail, if the
    baseline does not fail them too.
    """

    floors: Mapping[str, Mapping[str, Floor]] = field(default_factory=dict)
    zero_tolerance: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tolerance: float = 0.0
    largest_drop: float | Mapping[str, float] = 0.0
    consecutive: int = 1
    unscored: float = 0.05
    missing: int = 0
    newly_failing: float | Mapping[str, float] = 0
    sampled_target: bool | None = None
    incidents: int = 0
    alpha: float = 0.05
    power: float = 0.8
    smallest_effect: float = 0.1
    fewest_cases: int = 5
    case_drop: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        self.settings  # noqa: B018 - invalid values are rejected here, where the file is read
        drops = self.largest_drop if isinstance(self.largest_drop, Mapping) else {"": self.largest_drop}
        named = [("largest_drop", share) for share in drops.values()]
        for name, share in (("unscored", self.unscored), ("tolerance", self.tolerance), *named):
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"{name} must be from 0 to 1, not {share:g}")
        if self.consecutive < 1:
            raise ValueError(f"consecutive must be at least 1, not {self.consecutive}")
        if self.missing < 0:
            raise ValueError(f"missing must be 0 or more, not {self.missing}")
        if self.incidents < 0:
            raise ValueError(f"incidents must be 0 or more, not {self.incidents}")
        limits = self.newly_failing.values() if isinstance(self.newly_failing, Mapping) else (self.newly_failing,)
        for limit in limits:
            if limit < 0 or (limit >= 1 and limit != int(limit)):
                raise ValueError(f"newly_failing must be a number of cases, or a share under 1, not {limit:g}")

    @property
    def settings(self) -> CompareSettings:
        """The comparison settings of this policy."""
        return CompareSettings(
            alpha=self.alpha,
            power=self.power,
            smallest_effect=self.smallest_effect,
            fewest_cases=self.fewest_cases,
            case_drop=self.case_drop,
            seed=self.seed,
        )

    def allowed_drop(self, dimension: str) -> float:
        """Return how far a mean of this dimension may fall and still ship."""
        if isinstance(self.largest_drop, Mapping):
            return self.largest_drop.get(dimension, self.largest_drop.get(DEFAULT, 0.0))
        return self.largest_drop

    def allowed_flips(self, check: str, cases: int) -> int:
        """Return how many of so many cases may pass this check before and fail it now."""
        limit = self.newly_failing
        if isinstance(limit, Mapping):
            limit = limit.get(check, limit.get(DEFAULT, 0))
        return int(limit * cases) if limit < 1 else int(limit)


def read_policy(data: object, *, file: str | None = None) -> Policy:
    """Decode a policy from the data of its file; unknown keys and wrong values are rejected.

    Raises:
        MalformedError: naming every problem, by its path.
    """
    return decode(Policy, data if data is not None else {}, strict=True, file=file)
