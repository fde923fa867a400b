"""Put each case of a run beside the same case of its baseline: question, both answers, what changed, the figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from proctor.core.attack_mask import HIDDEN, is_held_out, masked_result
from proctor.core.errors import InputError
from proctor.core.report import Result
from proctor.core.trajectory import Trajectory
from proctor.release.compare import Comparison
from proctor.release.measures import QUALITY, CaseMeasure
from proctor.report.release_view import CaseState, CaseTurn, ComparedCase, FigurePair
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.text.word_diff import word_diff
from proctor.workflows.release.baseline import Side
from proctor.workflows.release.baseline_answers import baseline_answers
from proctor.workflows.release.case_facts import answers_in, expected_lines, found_lines, questions_in

__all__ = ["CaseChanges", "case_changes"]

_MOST = 2_000  # cases with their texts; the worst first
_LONGEST = 20_000  # characters of one text
_ROUNDING = 1e-9
_ORDER: tuple[CaseState, ...] = ("worse", "better", "rewritten", "new", "missing", "changed", "same")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChanges:
    """The cases of both runs side by side, how many there are in all, and why answers before are missing, if so."""

    cases: tuple[ComparedCase, ...] = ()
    total: int = 0
    missing: str = ""


def case_changes(comparison: Comparison, reader: RunReader, store: RunStore, *, target: str, side: Side) -> CaseChanges:
    """Return the cases of a comparison with their texts: at most 2,000, first those that changed most."""
    before = {case.case: case for case in comparison.baseline.cases}
    after = {case.case: case for case in comparison.current.cases}
    states = _states(comparison, before, after)
    worst = {each.case: place for place, each in enumerate(comparison.worse)}
    names = sorted(states, key=lambda name: (_ORDER.index(states[name]), worst.get(name, len(worst)), name))
    kept = set(names[:_MOST])
    now = _results(reader, target, kept)
    old, missing = _answers(side, store, kept)
    made = [
        _change(name, states[name], before.get(name), after.get(name), now.get(name), old.get(name))
        for name in names[:_MOST]
    ]
    # An answer that reads otherwise with the same figures is known only now.
    made.sort(key=lambda each: _ORDER.index(each.state))
    return CaseChanges(cases=tuple(made), total=len(names), missing=missing)


def _states(
    comparison: Comparison, before: Mapping[str, CaseMeasure], after: Mapping[str, CaseMeasure]
) -> dict[str, CaseState]:
    worse = {each.case for each in comparison.worse} | {flip.case for flip in comparison.flips}
    rewritten = set(comparison.rewritten)
    found: dict[str, CaseState] = {}
    for name in dict.fromkeys((*after, *before)):
        if name not in before:
            found[name] = "new"
        elif name not in after:
            found[name] = "missing"
        elif name in rewritten:
            found[name] = "rewritten"
        elif name in worse:
            found[name] = "worse"
        else:
            better = _is_better(before[name], after[name], comparison.settings.case_drop)
            found[name] = "better" if better else "same"
    return found


def _is_better(before: CaseMeasure, after: CaseMeasure, least: float) -> bool:
    if before.outcome == "fail" and after.outcome == "pass":
        return True
    rises = [new - old for name, old in before.dimensions.items() if old is not None and (new := after.figure(name))]
    return max(rises, default=0.0) > max(least, _ROUNDING)


def _results(reader: RunReader, target: str, kept: set[str]) -> dict[str, Result]:
    """Return the result to show of each case: the first that failed, else the first."""
    found: dict[str, Result] = {}
    for each in reader.results(target=target, by_case=True):
        name = each.case.id
        if name in kept and (name not in found or (found[name].outcome != "fail" and each.outcome == "fail")):
            found[name] = each
    return found


def _answers(side: Side, store: RunStore, kept: set[str]) -> tuple[dict[str, Trajectory], str]:
    found: dict[str, Trajectory] = {}
    try:
        for case, _, trajectory in baseline_answers(side, store):
            if case in kept:
                found.setdefault(case, trajectory)
    except InputError as error:
        return found, error.message
    return found, ""


def _change(
    name: str,
    state: CaseState,
    before: CaseMeasure | None,
    after: CaseMeasure | None,
    result: Result | None,
    old: Trajectory | None,
) -> ComparedCase:
    known = after or before
    assert known is not None
    turns = tuple(_turns(result, old))
    if state == "same" and any(turn.before is not None and turn.before != turn.after for turn in turns):
        state = "changed"
    hidden = result is not None and is_held_out(result)
    shown = masked_result(result) if result is not None and hidden else result
    return ComparedCase(
        case=name,
        intent=known.intent,
        state=state,
        outcome_before=before.outcome if before else None,
        outcome_after=after.outcome if after else None,
        before=before.figure(QUALITY) if before else None,
        after=after.figure(QUALITY) if after else None,
        figures=tuple(_figures(before, after)),
        turns=turns,
        expected=() if result is None or hidden else tuple(expected_lines(result.case)),
        found=tuple(found_lines(shown)) if shown is not None else (),
    )


def _turns(result: Result | None, old: Trajectory | None) -> Iterator[CaseTurn]:
    """Yield each turn with both answers; the texts of a held-out attempt are not shown."""
    if result is not None and is_held_out(result):
        yield CaseTurn(question=HIDDEN)
        return
    asked: Sequence[str] = questions_in(result.case) if result else [turn.asked for turn in old.turns] if old else []
    now = answers_in(result.trajectory) if result else ()
    was = answers_in(old) if old else ()
    for question, before, after in zip_longest(asked, was, now):
        cut = [None if text is None else text[:_LONGEST] for text in (before, after)]
        differ = cut[0] is not None and cut[1] is not None and cut[0] != cut[1]
        pieces = word_diff(cut[0] or "", cut[1] or "") if differ else ()
        yield CaseTurn(
            question=(question or "")[:_LONGEST],
            before=cut[0],
            after=cut[1],
            diff=tuple((piece.op, piece.text) for piece in pieces),
        )


def _figures(before: CaseMeasure | None, after: CaseMeasure | None) -> Iterator[FigurePair]:
    """Yield the figures that changed, the largest fall first."""
    if before is None or after is None:
        return
    names = dict.fromkeys((*before.dimensions, *after.dimensions, *before.parts, *after.parts))
    pairs = [FigurePair(name=name, before=before.figure(name), after=after.figure(name)) for name in names]
    moved = [pair for pair in pairs if pair.before != pair.after and abs(pair.difference or 1.0) > _ROUNDING]
    yield from sorted(moved, key=lambda pair: pair.difference if pair.difference is not None else 0.0)
