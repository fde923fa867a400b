"""Apply the policy to cases that passed a check and now fail it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proctor.release.compare import Comparison
from proctor.release.flips import Flip, is_chance
from proctor.release.policy import Policy
from proctor.release.reason import Reason, count_of, listed

__all__ = ["NewlyFailing", "newly_failing"]

_SAMPLES_ADVISED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class NewlyFailing:
    """Flips as reasons: those that hold, those that leave the decision open, and those that are only listed."""

    holding: tuple[Reason, ...] = ()
    open: tuple[Reason, ...] = ()
    listed: tuple[Reason, ...] = ()


def newly_failing(comparison: Comparison, policy: Policy, *, sampled: bool = False) -> NewlyFailing:
    """Classify the flips of a comparison.

    A flip of an exact check holds, unless chance explains it: then the decision stays open until there are more
    samples.
    A flip whose samples disagree, an allowed one, and one of a judged check are only listed.
    """
    if policy.sampled_target is not None:
        sampled = policy.sampled_target
    exact = [flip for flip in comparison.flips if flip.exact]
    clean = [flip for flip in exact if flip.clean]
    over, allowed = _over_limit(clean, comparison, policy)
    holding: list[Reason] = []
    unsure: list[Reason] = []
    if over and is_chance(over, comparison.mixed, sampled=sampled, alpha=policy.alpha / 2):
        advised = max(_SAMPLES_ADVISED, 2 * max(each.after.total for each in over) - 1)
        why = f"; the target's answers vary, so this may be chance: run again with -k {advised} to tell"
        unsure.append(_reason(over, why))
    elif over:
        holding.append(_reason(over, _hint(over)))
    shown = [_reason(allowed, "; newly_failing allows so many")] if allowed else []
    if mixed := [flip for flip in exact if not flip.clean]:
        shown.append(_reason(mixed, "; their samples disagree, so the tests over all cases decide"))
    if judged := [flip for flip in comparison.flips if not flip.exact]:
        shown.append(_reason(judged, "; no rule decides this check, so the tests over all cases decide"))
    return NewlyFailing(holding=tuple(holding), open=tuple(unsure), listed=tuple(shown))


def _over_limit(flips: Sequence[Flip], comparison: Comparison, policy: Policy) -> tuple[list[Flip], list[Flip]]:
    """Return the flips of checks that flipped in more cases than the policy allows, and the others."""
    names = dict.fromkeys(flip.check for flip in flips)
    over: list[Flip] = []
    allowed: list[Flip] = []
    if not isinstance(policy.newly_failing, Mapping):
        limit = policy.allowed_flips("", len(comparison.current.cases))
        return (list(flips), []) if len({flip.case for flip in flips}) > limit else ([], list(flips))
    for name in names:
        some = [flip for flip in flips if flip.check == name]
        checked = sum(name in case.checks for case in comparison.current.cases)
        (over if len(some) > policy.allowed_flips(name, checked) else allowed).extend(some)
    return over, allowed


def _hint(flips: Sequence[Flip]) -> str:
    if max(flip.after.total for flip in flips) > 1:
        return ""
    return f" (if the target's answers vary: run again with -k {_SAMPLES_ADVISED} to tell chance from a regression)"


def _reason(flips: Sequence[Flip], note: str) -> Reason:
    cases = tuple(dict.fromkeys(flip.case for flip in flips))
    checks = tuple(dict.fromkeys(flip.check for flip in flips if flip.check))
    verb = "passes" if len(cases) == 1 else "pass"
    named = f" ({', '.join(checks[:5])})" if checks else ""
    message = f"{count_of(cases)} that passed no longer {verb}{named}"
    return Reason(
        kind="newly failing",
        message=message + listed(cases) + note,
        short=message,
        dimension=checks[0] if checks else None,
        cases=cases,
    )
