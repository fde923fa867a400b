"""Find cases that passed a check and now fail it, and test whether chance can explain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from proctor.release.measures import CaseMeasure, CheckCount
from proctor.stats.repeats import chance_flips, poisson_tail

__all__ = ["Flip", "find_flips", "is_chance", "mixed_cases"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One check of one case that passed before and fails now, by the majority of its samples.

    ``check`` is empty if the case as a whole flipped and the baseline does not record the check.
    """

    case: str
    intent: str
    check: str = ""
    before: CheckCount = field(default_factory=CheckCount)
    after: CheckCount = field(default_factory=CheckCount)

    @property
    def exact(self) -> bool:
        """Whether only rules decide the check, so that the same answer always gets the same verdict."""
        return self.after.exact

    @property
    def clean(self) -> bool:
        """Whether every sample passed before and every sample fails now."""
        return self.before.failed == 0 and self.after.passed == 0


def find_flips(pairs: Sequence[tuple[CaseMeasure, CaseMeasure]]) -> tuple[Flip, ...]:
    """Return every check that flipped from pass to fail, the exact ones first, then by case and check."""
    found: list[Flip] = []
    for before, after in pairs:
        flipped = [flip for name in after.checks if (flip := _flip(before, after, name)) is not None]
        if not flipped and before.outcome == "pass" and after.outcome == "fail":
            count = CheckCount(passed=before.samples), CheckCount(failed=after.samples)
            flipped = [Flip(case=after.case, intent=after.intent, before=count[0], after=count[1])]
        found += flipped
    return tuple(sorted(found, key=lambda each: (not each.exact, each.case, each.check)))


def _flip(before: CaseMeasure, after: CaseMeasure, name: str) -> Flip | None:
    now = after.checks[name]
    was = before.checks.get(name)
    if was is None and not before.checks and before.outcome == "pass":
        # In a baseline without verdicts by check, a case that passed had passed every check.
        was = CheckCount(passed=before.samples)
    if was is None or was.holds is not True or now.holds is not False:
        return None
    return Flip(case=after.case, intent=after.intent, check=name, before=was, after=now)


def mixed_cases(pairs: Sequence[tuple[CaseMeasure, CaseMeasure]]) -> int:
    """Return in how many cases the samples of one run disagree on an exact check; the larger of both runs."""
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    return max(
        sum(any(count.exact and count.passed and count.failed for count in each.checks.values()) for each in side)
        for side in sides
    )


def is_chance(flips: Sequence[Flip], mixed: int, *, sampled: bool, alpha: float) -> bool:
    """Return whether chance explains so many clean flips if the target's answers vary.

    With one sample on both sides the variation is unknown: then it depends on ``sampled``, which states whether the
    target is known to sample its answers. With more samples the mixed cases show it. One more than observed is assumed,
    because none among a few does not mean that there is none.
    """
    if not flips:
        return True
    before = min(each.before.total for each in flips)
    after = min(each.after.total for each in flips)
    if max(before, after) < 2:
        return sampled
    seen = mixed + 1 if sampled or mixed else 0
    return poisson_tail(len({each.case for each in flips}), chance_flips(seen, before, after)) > alpha
