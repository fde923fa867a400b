"""Find which cases got worse, and in which figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from proctor.core.report import Outcome
from proctor.release.measures import CaseMeasure

__all__ = ["Fall", "WorseCase", "worse_cases"]

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """One figure of one case, before and after."""

    before: float
    after: float

    @property
    def drop(self) -> float:
        """By how much it fell."""
        return self.before - self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class WorseCase:
    """One case that got worse: the figures that fell, and whether it no longer passes."""

    case: str
    intent: str
    before: Outcome
    after: Outcome
    falls: Mapping[str, Fall] = field(default_factory=dict)
    parts: Mapping[str, Fall] = field(default_factory=dict)

    @property
    def lost(self) -> bool:
        """Whether the case passed before and fails now."""
        return self.before == "pass" and self.after == "fail"

    @property
    def drop(self) -> float:
        """The largest fall of any dimension."""
        return max((fall.drop for fall in self.falls.values()), default=0.0)


def worse_cases(pairs: Sequence[tuple[CaseMeasure, CaseMeasure]], least: float) -> tuple[WorseCase, ...]:
    """Return the cases that passed and now fail, or fell by more than ``least`` in some dimension; the worst first."""
    found = []
    for before, after in pairs:
        falls = _falls(before.dimensions, after.dimensions, least)
        lost = before.outcome == "pass" and after.outcome == "fail"
        if not falls and not lost:
            continue
        if not falls:  # it no longer passes, however little it fell
            falls = _falls(before.dimensions, after.dimensions, 0.0)
        found.append(
            WorseCase(
                case=after.case,
                intent=after.intent,
                before=before.outcome,
                after=after.outcome,
                falls=falls,
                parts=_falls(before.parts, after.parts, min(least, 0.05)),
            )
        )
    return tuple(sorted(found, key=lambda each: (not each.lost, -each.drop, each.case)))


def _falls(
    before: Mapping[str, float | None] | Mapping[str, float],
    after: Mapping[str, float | None] | Mapping[str, float],
    least: float,
) -> dict[str, Fall]:
    found = {}
    for name, old in before.items():
        new = after.get(name)
        if old is not None and new is not None and old - new > max(least, _ROUNDING):
            found[name] = Fall(before=old, after=new)
    return dict(sorted(found.items(), key=lambda item: -item[1].drop))
