"""Compare two runs of the same cases, by dimension and intent, with significance tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from proctor.release.compare_settings import CompareSettings
from proctor.release.flips import Flip, find_flips, mixed_cases
from proctor.release.measures import ALL, PASS_RATE, QUALITY, Baseline, CaseMeasure
from proctor.release.scorer_change import NO_CHANGE, ScorerChange, scorer_change
from proctor.release.worsened_cases import WorseCase, worse_cases
from proctor.stats.bootstrap import mean_intervals
from proctor.stats.interval import Interval
from proctor.stats.multiple import holm_reachable, reachable
from proctor.stats.paired import SAME, mcnemar, sign_flips, smallest_p
from proctor.stats.power import fewest_changed, minimum_effect

__all__ = ["Change", "Comparison", "PartChange", "Verdict", "compare"]

Verdict = Literal["regression", "improvement", "no change", "not enough data"]
Numbers = npt.NDArray[np.float64]
Pair = tuple[CaseMeasure, CaseMeasure]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One dimension of one intent, before and after.

    ``p`` is that of the sign-flip test (for ``pass_rate`` this is McNemar's exact test), ``adjusted`` the same after
    Holm's correction for all tests. ``is_testable`` is false where so few cases changed that no p-value could be
    significant; ``adjusted`` is then 1. ``spread`` is the standard deviation of the differences, ``detectable`` the
    smallest true change of the mean that would have been detected.
    """

    intent: str
    dimension: str
    pairs: int
    fell: int = 0
    rose: int = 0
    before: float | None = None
    after: float | None = None
    difference: float | None = None
    spread: float | None = None
    interval: Interval | None = None
    p: float | None = None
    adjusted: float | None = None
    is_testable: bool = False
    detectable: float | None = None
    verdict: Verdict = "not enough data"

    @property
    def changed(self) -> int:
        """How many cases changed at all."""
        return self.fell + self.rose


@dataclass(frozen=True, slots=True, kw_only=True)
class PartChange:
    """One sub-score of one intent, before and after: reported, not tested."""

    intent: str
    part: str
    pairs: int
    before: float
    after: float

    @property
    def difference(self) -> float:
        """The change of the mean."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs side by side.

    Cases of the baseline that were not run again are ``missing``: they count as regressions. Those whose question or
    expectation changed since the baseline are ``rewritten`` and are not compared. ``flips`` passed a check and now
    fail it; ``mixed`` counts the cases whose samples disagree. ``scorers`` states whether both had the same scorers.
    """

    baseline: Baseline
    current: Baseline
    settings: CompareSettings = field(default_factory=CompareSettings)
    changes: tuple[Change, ...] = ()
    parts: tuple[PartChange, ...] = ()
    worse: tuple[WorseCase, ...] = ()
    flips: tuple[Flip, ...] = ()
    mixed: int = 0
    scorers: ScorerChange = NO_CHANGE
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    unscored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def overall(self) -> tuple[Change, ...]:
        """The rows over all intents."""
        return tuple(change for change in self.changes if change.intent == ALL)

    @property
    def regressions(self) -> tuple[Change, ...]:
        """The rows with a significant regression."""
        return tuple(change for change in self.changes if change.verdict == "regression")

    def change(self, dimension: str, intent: str = ALL) -> Change | None:
        """Return one row; ``None`` if there is none."""
        found = (each for each in self.changes if each.dimension == dimension and each.intent == intent)
        return next(found, None)


def compare(baseline: Baseline, current: Baseline, settings: CompareSettings | None = None) -> Comparison:
    """Pair two runs by case and judge for every dimension and intent whether it improved, regressed, or is uncertain.

    The rows over all intents and the rows of single intents are two families that get half of alpha each: a local fault
    is found in its intent, one that affects every intent a little is found over all of them.
    """
    settings = settings or CompareSettings()
    before = {case.case: case for case in baseline.cases}
    after = {case.case: case for case in current.cases}
    shared = [name for name in before if name in after]
    rewritten = [name for name in shared if _rewritten(before[name], after[name])]
    pairs = [(before[name], after[name]) for name in shared if name not in set(rewritten)]
    return Comparison(
        baseline=baseline,
        current=current,
        settings=settings,
        changes=_changes(pairs, _figures(baseline, current), settings),
        parts=_parts(pairs),
        worse=worse_cases(pairs, settings.case_drop),
        flips=find_flips(pairs),
        mixed=mixed_cases(pairs),
        scorers=scorer_change(baseline.fingerprint, current.fingerprint, pairs),
        missing=tuple(sorted(before.keys() - after.keys())),
        added=tuple(sorted(after.keys() - before.keys())),
        rewritten=tuple(rewritten),
        unscored=tuple(case.case for case in current.cases if case.unscored),
        notes=_notes(baseline, current, len(pairs)),
    )


def _rewritten(before: CaseMeasure, after: CaseMeasure) -> bool:
    return bool(before.content and after.content) and before.content != after.content


def _figures(baseline: Baseline, current: Baseline) -> tuple[str, ...]:
    """Return the figures to compare: every dimension, the composite if there are several, and the pass rate."""
    names = tuple(dict.fromkeys((*current.dimensions, *baseline.dimensions)))
    composite = () if QUALITY in names or len(names) < 2 else (QUALITY,)
    return (*names, *composite, PASS_RATE)


def _by_intent(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Return the pairs by intent, which is the one the case has now."""
    found: dict[str, list[Pair]] = {ALL: list(pairs)}
    for pair in pairs:
        found.setdefault(pair[1].intent, []).append(pair)
    return {name: found[name] for name in (ALL, *sorted(found.keys() - {ALL}))}


def _changes(pairs: Sequence[Pair], figures: Sequence[str], settings: CompareSettings) -> tuple[Change, ...]:
    groups = _by_intent(pairs)
    rows = {intent: _rows(intent, group, figures, settings) for intent, group in groups.items()}
    inner = [change for intent, found in rows.items() if intent != ALL for change in found]
    if len(groups) <= 2:
        # A single intent is the same test under two names, so it is corrected for only once.
        judged = _judged(rows[ALL], settings.alpha, settings)
        copies = [replace(change, intent=intent) for intent in groups if intent != ALL for change in judged]
        return (*judged, *copies)
    share = settings.alpha / 2
    return (*_judged(rows[ALL], share, settings), *_judged(inner, share, settings))


def _rows(intent: str, pairs: Sequence[Pair], figures: Sequence[str], settings: CompareSettings) -> list[Change]:
    """Return the rows of one intent, not yet judged."""
    first, second = _table([pair[0] for pair in pairs], figures), _table([pair[1] for pair in pairs], figures)
    differences = second - first
    differences[np.abs(differences) <= SAME] = 0.0
    values = sign_flips(differences, resamples=settings.flips, seed=settings.seed)
    intervals = mean_intervals(differences, resamples=settings.resamples, seed=settings.seed)
    rows = []
    for column, dimension in enumerate(figures):
        there = ~np.isnan(differences[:, column])
        count = int(there.sum())
        if not count:
            rows.append(Change(intent=intent, dimension=dimension, pairs=0))
            continue
        moved = differences[there, column]
        rows.append(
            Change(
                intent=intent,
                dimension=dimension,
                pairs=count,
                fell=int((moved < 0).sum()),
                rose=int((moved > 0).sum()),
                before=float(first[there, column].mean()),
                after=float(second[there, column].mean()),
                difference=float(moved.mean()),
                spread=float(moved.std(ddof=1)) if count > 1 else None,
                interval=intervals[column],
                p=_p(dimension, moved, values[column]),
            )
        )
    return rows


def _p(dimension: str, moved: Numbers, drawn: float) -> float:
    """Return the p-value: for pass and fail, sign flips equal McNemar's test, which is exact and needs no draws."""
    if dimension == PASS_RATE and bool(np.isin(moved, (-1.0, 0.0, 1.0)).all()):
        return mcnemar(int((moved < 0).sum()), int((moved > 0).sum())).exact
    return drawn


def _table(cases: Sequence[CaseMeasure], figures: Sequence[str]) -> Numbers:
    rows = [[np.nan if (value := case.figure(name)) is None else value for name in figures] for case in cases]
    return np.asarray(rows, dtype=np.float64).reshape(len(cases), len(figures))


def _judged(rows: Sequence[Change], alpha: float, settings: CompareSettings) -> list[Change]:
    """Return the rows of one family with adjusted p-values and verdicts; ``alpha`` is the family's share."""
    tested = [row for row in rows if row.p is not None]
    smallest = [smallest_p(row.changed) for row in tested]
    adjusted = holm_reachable([row.p or 0.0 for row in tested], smallest, alpha=alpha)
    able = reachable(smallest, alpha)
    level = alpha / max(1, sum(able))
    known = {id(row): (value, can) for row, value, can in zip(tested, adjusted, able, strict=True)}
    return [_verdict(row, known.get(id(row)), level, alpha, settings) for row in rows]


def _verdict(
    row: Change, found: tuple[float, bool] | None, level: float, alpha: float, settings: CompareSettings
) -> Change:
    """Return the row judged by its adjusted p-value, and whether that could have been significant."""
    if found is None or row.difference is None:
        return row
    adjusted, is_testable = found
    detectable = _detectable(row, level, settings)
    verdict: Verdict
    if adjusted <= alpha:
        verdict = "regression" if row.difference < 0 else "improvement"
    elif row.pairs < settings.fewest_cases:
        verdict = "not enough data"
    elif not row.changed or (detectable is not None and detectable <= settings.smallest_effect):
        verdict = "no change"
    else:
        verdict = "not enough data"
    # On the scale of the whole comparison, so that one alpha applies to every row.
    whole = min(1.0, adjusted * settings.alpha / alpha)
    return replace(row, adjusted=whole, is_testable=is_testable, detectable=detectable, verdict=verdict)


def _detectable(row: Change, level: float, settings: CompareSettings) -> float | None:
    needed = fewest_changed(level)
    if row.pairs < needed:
        return None  # too few cases to show any change
    if not row.spread:
        # Nothing varied, so there is no spread: this many cases would have to change completely.
        return needed / row.pairs
    return minimum_effect(row.spread, row.pairs, alpha=level, power=settings.power)


def _parts(pairs: Sequence[Pair]) -> tuple[PartChange, ...]:
    found = []
    for intent, group in _by_intent(pairs).items():
        sums: dict[str, list[tuple[float, float]]] = {}
        for before, after in group:
            for name in before.parts.keys() & after.parts.keys():
                sums.setdefault(name, []).append((before.parts[name], after.parts[name]))
        for name in sorted(sums):
            first, second = np.asarray(sums[name]).mean(axis=0)
            change = PartChange(
                intent=intent, part=name, pairs=len(sums[name]), before=float(first), after=float(second)
            )
            found.append(change)
    return tuple(found)


def _notes(baseline: Baseline, current: Baseline, pairs: int) -> tuple[str, ...]:
    notes = []
    if not pairs:
        notes.append("the two runs have no case in common")
    if changed := _differing(baseline.fingerprint.models, current.fingerprint.models):
        notes.append(f"other models than in the baseline ({', '.join(changed)}): part of the change may be theirs")
    if baseline.suite and current.suite and baseline.suite != current.suite:
        notes.append(f"the baseline is of another suite ({baseline.suite}, now {current.suite})")
    return tuple(notes)


def _differing(first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
    if not first or not second:
        return []
    return sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
