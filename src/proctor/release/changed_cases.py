"""List the cases that differ between two runs: what fails now, what passes now, what fell and what rose."""

from __future__ import annotations

from typing import Final, Literal, get_args

from proctor.core.record import dataclass
from proctor.core.report import Outcome
from proctor.release.compare import Comparison
from proctor.release.measures import CaseMeasure

__all__ = ["CHANGE_KINDS", "ChangeKind", "ChangedCase", "changed_cases"]

ChangeKind = Literal[
    "newly failing",
    "no longer judged",
    "worse",
    "newly passing",
    "judged now",
    "better",
    "rewritten",
    "missing",
    "added",
]
CHANGE_KINDS: Final[tuple[ChangeKind, ...]] = get_args(ChangeKind)
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedCase:
    """One case in both runs, or in only one of them; ``figure`` is the dimension that changed most."""

    case: str
    intent: str
    kind: ChangeKind
    before: Outcome | None = None
    after: Outcome | None = None
    figure: str = ""
    was: float | None = None
    now: float | None = None

    @property
    def difference(self) -> float | None:
        """By how much the figure changed."""
        return None if self.was is None or self.now is None else self.now - self.was


def changed_cases(comparison: Comparison) -> list[ChangedCase]:
    """Return the cases whose outcome changed, or a dimension of which changed by more than the case drop.

    The order is that of the kinds, then the largest change first.
    """
    before = {case.case: case for case in comparison.baseline.cases}
    after = {case.case: case for case in comparison.current.cases}
    rewritten = set(comparison.rewritten)
    found = []
    for name, now in after.items():
        if (was := before.get(name)) is None or name in rewritten:
            continue
        if (kind := _kind(was, now, comparison.settings.case_drop)) is not None:
            found.append(_changed(was, now, kind))
    found += [_changed(before[name], after[name], "rewritten") for name in comparison.rewritten]
    found += [_alone(before[name], "missing") for name in comparison.missing]
    found += [_alone(after[name], "added") for name in comparison.added]
    order = {kind: place for place, kind in enumerate(CHANGE_KINDS)}
    return sorted(found, key=lambda each: (order[each.kind], -abs(each.difference or 0.0), each.case))


def _kind(was: CaseMeasure, now: CaseMeasure, least: float) -> ChangeKind | None:
    if was.outcome != now.outcome:
        if now.outcome == "unscored":
            return "no longer judged"
        if was.outcome == "unscored":
            return "judged now"
        return "newly failing" if now.outcome == "fail" else "newly passing"
    _, old, new = _figure(was, now)
    if old is None or new is None or abs(new - old) <= max(least, _ROUNDING):
        return None
    return "worse" if new < old else "better"


def _figure(was: CaseMeasure, now: CaseMeasure) -> tuple[str, float | None, float | None]:
    """Return the dimension that changed most, before and after."""
    both = [
        (name, old, new)
        for name, old in was.dimensions.items()
        if old is not None and (new := now.dimensions.get(name)) is not None
    ]
    if not both:
        return "", was.value, now.value
    return max(both, key=lambda each: abs(each[2] - each[1]))


def _changed(was: CaseMeasure, now: CaseMeasure, kind: ChangeKind) -> ChangedCase:
    name, old, new = _figure(was, now)
    return ChangedCase(
        case=now.case,
        intent=now.intent,
        kind=kind,
        before=was.outcome,
        after=now.outcome,
        figure=name,
        was=old,
        now=new,
    )


def _alone(case: CaseMeasure, kind: ChangeKind) -> ChangedCase:
    is_old = kind == "missing"
    return ChangedCase(
        case=case.case,
        intent=case.intent,
        kind=kind,
        before=case.outcome if is_old else None,
        after=None if is_old else case.outcome,
        was=case.value if is_old else None,
        now=None if is_old else case.value,
    )
