"""Decide by a policy whether a comparison may ship, holds, or has not enough data."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from proctor.release.compare import Change, Comparison
from proctor.release.floors import DEFAULT, Floors
from proctor.release.measures import ALL, PASS_RATE, QUALITY
from proctor.release.newly_failing import newly_failing
from proctor.release.policy import Policy
from proctor.release.reason import Reason, count_of, listed, place_of
from proctor.release.trend import TrendPoint, points, series, streak
from proctor.release.unused_rules import idle_rules
from proctor.release.worsened_cases import WorseCase

__all__ = ["RESCORE", "UNKNOWN_SCORERS", "Outcome", "ReleaseDecision", "decide"]

Outcome = Literal["ship", "hold", "not enough data"]
_ROUNDING = 1e-9
RESCORE = "re-score the baseline: `proctor gate RUN --rescore-baseline`"
UNKNOWN_SCORERS = (
    "the baseline has no hashes of its scorers, so it cannot be told whether they changed since: bless a run again"
)
_EXIT_CODES: dict[Outcome, int] = {"ship": 0, "hold": 1, "not enough data": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDecision:
    """Ship, hold or not enough data, with every reason; warnings do not affect the outcome."""

    outcome: Outcome
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 ship, 1 hold, 3 not enough data."""
        return _EXIT_CODES[self.outcome]

    @property
    def cases(self) -> tuple[str, ...]:
        """Every case named by a reason, each once: those a person should review."""
        return tuple(dict.fromkeys(case for reason in self.reasons for case in reason.cases))


def decide(
    comparison: Comparison,
    policy: Policy,
    history: Sequence[TrendPoint] = (),
    *,
    elsewhere: Collection[str] = (),
    sampled: bool = False,
) -> ReleaseDecision:
    """Apply the policy to a comparison; ``history`` are the points of earlier runs, the oldest first.

    A reason to hold takes precedence over a lack of data. Without any, the run ships only if a relevant drop would have
    been detected in every dimension. Runs with different scorers are not decided at all, since their differences are
    not comparable. ``elsewhere`` are intents that this run need not have; ``sampled`` states whether the target is
    known to sample its answers.
    """
    floors, near = _floors(comparison, policy, history)
    proven, tolerated = _regressions(comparison, policy)
    flips = newly_failing(comparison, policy, sampled=sampled)
    holding = (
        *_missing(comparison, policy),
        *_incidents(comparison, policy),
        *flips.holding,
        *proven,
        *floors,
        *_zero(comparison, policy),
        *_unscored(comparison, policy),
    )
    unmet, other = idle_rules(comparison, policy, elsewhere)
    unsure = (*flips.open, *unmet, *_lacking(comparison))
    rest = (*flips.listed, *tolerated, *near, *other, *_rewritten(comparison), *_notes(comparison))
    if comparison.scorers:
        changed = Reason(kind="scorers", message=comparison.scorers.message + "; " + RESCORE)
        return ReleaseDecision(outcome="not enough data", reasons=(changed,), warnings=(*holding, *unsure, *rest))
    outcome: Outcome = "hold" if holding else "not enough data" if unsure else "ship"
    return ReleaseDecision(outcome=outcome, reasons=holding or unsure, warnings=(*(unsure if holding else ()), *rest))


def _notes(comparison: Comparison) -> tuple[Reason, ...]:
    notes = comparison.notes
    if comparison.scorers.unknown and not comparison.scorers:
        notes = (*notes, UNKNOWN_SCORERS)
    return tuple(Reason(kind="data", message=note) for note in notes)


def _regressions(comparison: Comparison, policy: Policy) -> tuple[list[Reason], list[Reason]]:
    """Return the proven drops that are too large, and those that are small enough to ship."""
    proven: list[Reason] = []
    tolerated: list[Reason] = []
    for change in comparison.regressions:
        if change.difference is None:
            continue
        too_large = -change.difference > policy.allowed_drop(change.dimension)
        (proven if too_large else tolerated).append(_regression(comparison, change))
    return proven, tolerated


def _regression(comparison: Comparison, change: Change) -> Reason:
    parts = _fallen_parts(comparison, change)
    cases = tuple(
        each.case
        for each in sorted(comparison.worse, key=lambda each: -_drop(each, change.dimension))
        if change.intent in (ALL, each.intent) and (change.dimension in each.falls or _lost(change, each.lost))
    )
    span = f", 95 % {_signed(change.interval.low)} to {_signed(change.interval.high)}" if change.interval else ""
    message = (
        f"{place_of(change.intent)} {change.dimension} fell from {change.before:.3f} to {change.after:.3f} "
        f"({_signed(change.difference)}{span}, p {_p(change.adjusted)}, {change.pairs} cases)"
    )
    if parts:
        message += f"; most in {', '.join(parts)}"
    return Reason(
        kind="regression",
        message=message + listed(cases),
        short=f"{place_of(change.intent)} {change.dimension} {change.before:.3f} → {change.after:.3f}",
        intent=change.intent,
        dimension=change.dimension,
        parts=parts,
        cases=cases,
    )


def _drop(case: WorseCase, dimension: str) -> float:
    return case.falls[dimension].drop if dimension in case.falls else 0.0


def _lost(change: Change, lost: bool) -> bool:
    return change.dimension in (PASS_RATE, QUALITY) and lost


def _fallen_parts(comparison: Comparison, change: Change) -> tuple[str, ...]:
    """Return the sub-scores that fell with the dimension, the largest drop first; much smaller drops are left out."""
    whole = change.dimension in (PASS_RATE, QUALITY)
    fallen = [
        part
        for part in comparison.parts
        if part.intent == change.intent
        and part.difference < -_ROUNDING
        and (whole or part.part.startswith(f"{change.dimension}."))
    ]
    fallen.sort(key=lambda part: part.difference)
    return tuple(part.part for part in fallen if part.difference <= fallen[0].difference / 3)


def _floors(comparison: Comparison, policy: Policy, history: Sequence[TrendPoint]) -> tuple[list[Reason], list[Reason]]:
    """Return the means that were under their floors often enough, and those that were, but not yet often enough."""
    floors = Floors(by_intent=policy.floors)
    now = points(comparison.current)
    past = series(point for point in history if point.run != comparison.current.run)
    holding: list[Reason] = []
    near: list[Reason] = []
    for point in now:
        floor = floors.of(point.intent, point.dimension)
        if floor is None or point.value >= floor.least - _ROUNDING:
            continue
        runs = len(streak((*past.get((point.intent, point.dimension), ()), point), floor.least))
        needed = floor.consecutive or policy.consecutive
        message = f"{place_of(point.intent)} {point.dimension} is {point.value:.3f}, under its floor of {floor.least:g}"
        if needed > 1:
            message += f" in {runs} run{'s' if runs > 1 else ''} in a row ({needed} hold)"
        cases = _lowest(comparison, point, floor.least)
        dimension, _, part = point.dimension.partition(".")
        reason = Reason(
            kind="floor",
            message=message + listed(cases),
            short=f"{place_of(point.intent)} {point.dimension} {point.value:.3f} under its floor of {floor.least:g}",
            intent=point.intent,
            dimension=dimension,
            parts=(point.dimension,) if part else _low_parts(now, point, floor.least),
            cases=cases,
        )
        (holding if runs >= needed else near).append(reason)
    return holding, near


def _lowest(comparison: Comparison, point: TrendPoint, least: float) -> tuple[str, ...]:
    found = [
        (value, case.case)
        for case in comparison.current.cases
        if point.intent in (ALL, case.intent) and (value := case.figure(point.dimension)) is not None and value < least
    ]
    return tuple(case for _, case in sorted(found))


def _low_parts(now: Sequence[TrendPoint], point: TrendPoint, least: float) -> tuple[str, ...]:
    """Return the sub-scores that pull a dimension under its floor, the lowest first."""
    inside = f"{point.dimension}."
    low = [each for each in now if each.intent == point.intent and each.dimension.startswith(inside)]
    return tuple(each.dimension for each in sorted(low, key=lambda each: each.value) if each.value < least)


def _zero(comparison: Comparison, policy: Policy) -> list[Reason]:
    if not policy.zero_tolerance:
        return []
    before = {case.case: case for case in comparison.baseline.cases}
    left_out = set(comparison.rewritten)
    reasons = []
    for intent, names in policy.zero_tolerance.items():
        for name in names:
            fallen = []
            for case in comparison.current.cases:
                old = before.get(case.case)
                if not _is_for(intent, case.intent, policy) or old is None or case.case in left_out:
                    continue
                was, is_now = old.figure(name), case.figure(name)
                if was is not None and is_now is not None and was - is_now > policy.tolerance + _ROUNDING:
                    fallen.append((is_now - was, case.case))
            if fallen:
                cases = tuple(case for _, case in sorted(fallen))
                dimension, _, part = name.partition(".")
                said = f"{place_of(intent)} {name} fell in {count_of(cases)}, and may in none"
                reason = Reason(
                    kind="zero tolerance",
                    message=said + listed(cases),
                    short=said,
                    intent=intent,
                    dimension=dimension,
                    parts=(name,) if part else (),
                    cases=cases,
                )
                reasons.append(reason)
    return reasons


def _is_for(rule: str, intent: str, policy: Policy) -> bool:
    """Return whether a zero tolerance rule applies to this intent; the default applies to intents without their own."""
    return rule in (ALL, intent) or (rule == DEFAULT and intent not in policy.zero_tolerance)


def _missing(comparison: Comparison, policy: Policy) -> list[Reason]:
    missing = comparison.missing
    if len(missing) <= policy.missing:
        return []
    were = "was" if len(missing) == 1 else "were"
    message = f"{count_of(missing)} of the baseline {were} not run, and {policy.missing} may be missing"
    return [Reason(kind="missing", message=message + listed(missing), cases=missing)]


def _incidents(comparison: Comparison, policy: Policy) -> list[Reason]:
    """Return the incidents that happen again: also cases that were added since the baseline, which no test compares."""
    before = {case.case: case.outcome for case in comparison.baseline.cases}
    again = tuple(
        case.case
        for case in comparison.current.cases
        if case.is_incident and case.outcome == "fail" and before.get(case.case) != "fail"
    )
    if len(again) <= policy.incidents:
        return []
    message = f"{count_of(again)} made from alerts in production {'fails' if len(again) == 1 else 'fail'} again"
    return [Reason(kind="incident", message=message + listed(again), dimension=PASS_RATE, cases=again)]


def _unscored(comparison: Comparison, policy: Policy) -> list[Reason]:
    unscored, total = comparison.unscored, len(comparison.current.cases)
    if not total or len(unscored) / total <= policy.unscored:
        return []
    share = f"{len(unscored) / total:.1%}; at most {policy.unscored:.1%} may"
    message = f"{len(unscored)} of {total} cases could not be scored ({share})"
    return [Reason(kind="unscored", message=message + listed(unscored), cases=unscored)]


def _lacking(comparison: Comparison) -> tuple[Reason, ...]:
    """Return the dimensions in which a relevant drop could have gone undetected, over all intents."""
    if not any(change.pairs for change in comparison.overall):
        return (Reason(kind="data", message="no case was compared"),)
    # Pass and fail are the coarsest figures: if there are scores, it is enough that these suffice.
    scored = [change for change in comparison.overall if change.dimension != PASS_RATE]
    reasons = []
    alone = _of_incidents_alone(comparison)
    lacking = [
        change
        for change in scored or comparison.overall
        if change.verdict == "not enough data" and change.dimension not in alone
    ]
    blind = [change for change in lacking if change.detectable is None]
    if len(blind) > 1:  # one fact, said once
        named = ", ".join(f"{change.dimension} ({change.pairs})" for change in blind)
        reasons.append(Reason(kind="data", message=f"too few paired cases to show any change: {named}"))
    for change in lacking:
        if change.detectable is None:
            message = f"{change.dimension}: {change.pairs} paired cases are too few to show any change"
        else:
            message = (
                f"{change.dimension}: {change.pairs} paired cases show no change smaller than "
                f"one of {change.detectable:.3f}, and {comparison.settings.smallest_effect:g} must be seen"
            )
        if change not in blind or len(blind) == 1:
            reasons.append(Reason(kind="data", message=message, dimension=change.dimension))
    return tuple(reasons)


def _of_incidents_alone(comparison: Comparison) -> set[str]:
    """Return the dimensions that only cases made from alerts have: these are decided one by one, not by their mean."""
    cases = comparison.current.cases
    found = {name for case in cases if case.is_incident for name in case.dimensions}
    return found - {name for case in cases if not case.is_incident for name in case.dimensions}


def _rewritten(comparison: Comparison) -> tuple[Reason, ...]:
    cases = comparison.rewritten
    if not cases:
        return ()
    were = "was" if len(cases) == 1 else "were"
    message = f"{count_of(cases)} {were} rewritten since the baseline, and not compared"
    return (Reason(kind="data", message=message + listed(cases), cases=cases),)


def _signed(difference: float | None) -> str:
    return "–" if difference is None else f"{difference:+.3f}".replace("-", "−")


def _p(value: float | None) -> str:
    if value is None:
        return "unknown"
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"
