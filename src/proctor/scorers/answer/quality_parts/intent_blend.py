"""How the dimensions of quality are weighed and what they must reach, for one intent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

__all__ = ["BUILT_IN", "DIMENSIONS", "THRESHOLD", "Blend"]

DIMENSIONS: Final = ("relevance", "factual_accuracy", "consistency", "fluency")
THRESHOLD: Final = 0.75
# A dimension must reach the threshold of its intent, but no more than this. Above it, the local measures of relevance,
# consistency and fluency do not tell a very good answer from a good one.
MOST_ASKED: Final[Mapping[str, float]] = {
    "relevance": 0.75,
    "factual_accuracy": 0.85,
    "consistency": 0.75,
    "fluency": 0.75,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Blend:
    """The weight of each dimension for one intent, and the thresholds from which an answer passes.

    What is not set comes from the preset's row for the intent, else from the defaults: equal weights, 0.75. A dimension
    in ``optional`` is left out if it does not apply (a greeting states no facts). Every dimension must reach the
    threshold of the intent; ``floors`` sets another one for the dimensions that it names.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    threshold: float | None = None
    optional: tuple[str, ...] | None = None
    floors: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (*self.weights, *(self.optional or ()), *self.floors):
            if name not in DIMENSIONS:
                raise ValueError(f"there is no dimension {name!r}; there are {', '.join(DIMENSIONS)}")
        if not all(weight >= 0 for weight in self.weights.values()):
            raise ValueError("a weight is 0 or more")
        if self.weights and not sum(self.weights.values()) > 0:
            raise ValueError("weights must name at least one dimension with more than 0")
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ValueError(f"a threshold is from 0 to 1, not {self.threshold:g}")
        for name, floor in self.floors.items():
            if not 0 <= floor <= 1:
                raise ValueError(f"the floor of {name} is from 0 to 1, not {floor:g}")

    @property
    def passes_from(self) -> float:
        """The threshold of the composite."""
        return THRESHOLD if self.threshold is None else self.threshold

    def over(self, row: Blend) -> Blend:
        """Return this row completed with another."""
        return Blend(
            weights=self.weights or row.weights,
            threshold=row.threshold if self.threshold is None else self.threshold,
            optional=row.optional if self.optional is None else self.optional,
            floors={**row.floors, **self.floors},
        )

    def floor(self, name: str) -> float:
        """Return the value under which this dimension alone fails the answer."""
        return self.floors.get(name, min(MOST_ASKED[name], self.passes_from))


BUILT_IN: Final = Blend(weights=dict.fromkeys(DIMENSIONS, 0.25), threshold=THRESHOLD, optional=())
