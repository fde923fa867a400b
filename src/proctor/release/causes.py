"""Group the reasons of a decision by their cause, so that each is told once with what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proctor.release.compare import Comparison
from proctor.release.measures import ALL, PASS_RATE, QUALITY
from proctor.release.reason import Reason, count_of, listed

__all__ = ["ReleaseCause", "causes_of"]

_FIGURES = {"regression": 0, "zero tolerance": 1, "floor": 2, "newly failing": 3}
_DERIVED = frozenset({QUALITY, PASS_RATE})
_SAME_CASES = 0.6  # share of common cases from which two figures of an intent fell for one cause
_FEWEST_INTENTS = 3
_MOST_INTENTS = 0.5  # share of the intents from which a fault is everywhere
_COVERED = 0.5  # share of cases from which a figure over all intents follows from causes in single intents


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseCause:
    """What went wrong at one place: the most exact reason first, then those that follow from it; and its cases."""

    reasons: tuple[Reason, ...]
    cases: tuple[str, ...] = ()

    @property
    def reason(self) -> Reason:
        """The reason that says most exactly what went wrong."""
        return self.reasons[0]


def causes_of(
    reasons: Sequence[Reason], *, intents: int = 0, comparison: Comparison | None = None
) -> tuple[ReleaseCause, ...]:
    """Group reasons: the fall of a dimension, with the composite, the pass rate, floors and rows over all intents.

    The causes are in the order in which their reasons were given. Reasons that are not about a figure (a case that was
    not run, a rule that matches nothing) are a cause each. ``intents`` is how many the run has: a dimension that falls
    in most of them is one cause, and not one for each.

    A cause has the cases of its own place. Those that only a wider reason names, and that no cause explains, come last,
    as a cause for each of their intents in the ``comparison``.
    """
    order = {id(reason): place for place, reason in enumerate(reasons)}
    groups: list[list[Reason]] = []
    about = [reason for reason in reasons if reason.kind in _FIGURES]
    for reason in sorted(about, key=lambda each: (*_exactness(each), order[id(each)])):
        home = _home(reason, groups)
        if home is None:
            groups.append([reason])
        else:
            home.append(reason)
    groups = _everywhere(groups, intents)
    groups += [[reason] for reason in reasons if reason.kind not in _FIGURES]
    groups.sort(key=lambda group: min(order[id(each)] for each in group))
    causes = [ReleaseCause(reasons=tuple(group), cases=_cases_told(_own(group))) for group in groups]
    told = {case for cause in causes for case in cause.cases}
    rest = {case: reason for group in groups for reason in group for case in reason.cases if case not in told}
    return (*causes, *_unexplained(rest, comparison))


def _own(group: Sequence[Reason]) -> list[Reason]:
    """Return the reasons about the same place as the first; the others are about more cases than its own."""
    first = group[0]
    about = [each for each in group if each.kind != "newly failing" and first.intent in (ALL, each.intent)]
    return about or [first]


def _cases_told(reasons: Sequence[Reason]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case for reason in reasons for case in reason.cases))


def _unexplained(rest: Mapping[str, Reason], comparison: Comparison | None) -> Iterator[ReleaseCause]:
    """Yield the cases that no cause explains, by intent; ``rest`` has a reason that names each."""
    known = {case.case: case.intent for case in comparison.current.cases} if comparison else {}
    places: dict[str, list[str]] = {}
    for case in rest:
        places.setdefault(known.get(case, ALL), []).append(case)
    for intent, cases in places.items():
        place = "" if intent == ALL else f"{intent}: "
        message = f"{place}{count_of(cases)} that no other cause explains"
        change = comparison.change(PASS_RATE, intent) if comparison and intent != ALL else None
        if change is not None and change.before is not None and change.after is not None:
            proof = ", too few to prove a fall" if change.verdict == "not enough data" else ""
            pairs = f"{change.pairs} case{'' if change.pairs == 1 else 's'}"
            message += f" ({PASS_RATE} {change.before:.3f} → {change.after:.3f} over {pairs}{proof})"
        named = tuple(cases)
        reason = Reason(kind=rest[cases[0]].kind, message=message + listed(named), intent=intent, cases=named)
        yield ReleaseCause(reasons=(reason,), cases=named)


def _everywhere(groups: Sequence[list[Reason]], intents: int) -> list[list[Reason]]:
    """Join the causes of single intents in which the same dimension fell, where these are most of the intents."""
    made = list(groups)
    wide = [each for group in groups for each in group if each.intent == ALL and each.kind == "regression"]
    for row in wide:
        some = [group for group in made if group[0].dimension == row.dimension and group[0].intent != ALL]
        places = {group[0].intent for group in some}
        if len(places) < _FEWEST_INTENTS or len(places) <= intents * _MOST_INTENTS:
            continue
        rest = [each for group in some for each in group if each is not row]
        made = [group for group in made if group not in some]
        made.append([row, *sorted(rest, key=lambda each: each.intent == ALL)])
    return made


def _exactness(reason: Reason) -> tuple[bool, bool, bool, int]:
    """Return a key that puts the most exact statement first: a dimension of one intent, by its proven fall."""
    derived = reason.dimension is None or reason.dimension in _DERIVED
    return reason.kind == "newly failing", reason.intent == ALL, derived, _FIGURES[reason.kind]


def _home(reason: Reason, groups: Sequence[list[Reason]]) -> list[Reason] | None:
    """Return the group of the cause that a reason follows from."""
    near = [group for group in groups if _related(reason, group)]
    same = [group for group in near if _place(group[0]) == _place(reason)]
    if same:
        return same[0]
    cases = set(reason.cases)
    if not near:
        return None
    best = max(near, key=lambda group: len(cases & _cases(group)))
    if not cases:
        return best
    known = set().union(*(_cases(group) for group in near))
    share = len(cases & known) / len(cases)
    if reason.intent == ALL or reason.kind == "newly failing" or reason.dimension in _DERIVED:
        return best if share >= _COVERED else None
    common = cases & _cases(best)
    return best if len(common) / len(cases | _cases(best)) >= _SAME_CASES else None


def _related(reason: Reason, group: Sequence[Reason]) -> bool:
    """Return whether a reason may follow from the cause of a group."""
    if reason.kind == "newly failing":
        return True
    if reason.intent == ALL:
        return reason.dimension in {*_DERIVED, *(each.dimension for each in group)}
    # A rule of zero tolerance may be for all intents without their own.
    return reason.intent == group[0].intent or reason.kind == "zero tolerance"


def _place(reason: Reason) -> tuple[str, str | None]:
    return reason.intent, reason.dimension


def _cases(group: Sequence[Reason]) -> set[str]:
    return {case for reason in group for case in reason.cases}
