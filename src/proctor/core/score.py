"""The score of one trajectory by one scorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from proctor.core.record import dataclass

__all__ = ["Evidence", "Score", "ScoreStatus"]

ScoreStatus = Literal["ok", "skipped", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The basis of a score: a quotation, its turn, and why it counts.

    ``predicate`` is the check of a rule by code; ``check`` names which of a scorer's checks found it.
    """

    SHORTHAND = "quote"

    quote: str = ""
    turn: int | None = None
    where: str | None = None
    note: str = ""
    predicate: str = ""
    check: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A value in [0, 1], higher is better; or None, with the reason.

    ``skipped`` means there was nothing to score; ``error`` means it could not be scored.
    Neither has a value. A score without a threshold is informative only. A passed score that is ``in_doubt`` should be
    reviewed: something was found that is too often wrong to fail it.
    """

    name: str
    value: float | None = None
    status: ScoreStatus = "ok"
    threshold: float | None = None
    reason: str = ""
    confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    parts: tuple[Score, ...] = ()
    producer: str = "rule"
    version: str = ""
    weight: float = 1.0
    measured: float | None = None
    unit: str | None = None
    in_doubt: bool = False
    label: str | None = None
    cost: float | None = None
    raw: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status == "ok":
            # NaN fails both comparisons, so it is caught here too.
            if self.value is None or not 0.0 <= self.value <= 1.0:
                raise ValueError(f"score {self.name!r} must be in [0, 1], not {self.value!r}")
        elif self.value is not None:
            raise ValueError(f"score {self.name!r} is {self.status} and so has no value")

    @property
    def passed(self) -> bool | None:
        """Whether the value reached its threshold; ``None`` if either is missing."""
        if self.value is None or self.threshold is None:
            return None
        return self.value >= self.threshold
