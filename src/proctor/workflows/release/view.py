"""Prepare a comparison and a decision for reports, with reasons for the cases that got worse."""

from __future__ import annotations

from datetime import UTC, datetime

from proctor.core.attack_mask import masked_result
from proctor.core.errors import NotFoundError
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.release.causes import ReleaseCause, causes_of
from proctor.release.compare import Change, Comparison
from proctor.release.decide import RESCORE, UNKNOWN_SCORERS, ReleaseDecision
from proctor.release.flips import Flip
from proctor.release.measures import ALL, CheckCount
from proctor.release.reason import Reason, count_of, listed
from proctor.release.worsened_cases import WorseCase
from proctor.report import release_view as shown
from proctor.store.run_reader import RunReader
from proctor.workflows.release.case_changes import CaseChanges

__all__ = ["view_of"]

_RUN_WORDS = {"failed": "FAILED", "unjudged": "could not be judged"}
_TOLD = 100  # maximum number of cases with reasons


def view_of(
    comparison: Comparison,
    reader: RunReader,
    *,
    target: str,
    baseline: str,
    decision: ReleaseDecision | None = None,
    policy: str = "",
    cases: CaseChanges | None = None,
) -> shown.ReleaseView:
    """Return the data of the release report, with the scorers' reasons for the worst cases."""
    warnings = _warnings(decision) if decision else _notes(comparison)
    if cases is not None and cases.missing:
        warnings.append(f"the answers before cannot be shown: {cases.missing}")
    intents = len(comparison.current.intents)
    causes = causes_of(decision.reasons, intents=intents, comparison=comparison) if decision else ()
    return shown.ReleaseView(
        suite=reader.run.name,
        run=reader.run.id,
        target=target if len(reader.targets()) > 1 else "",
        baseline=baseline,
        baseline_run=comparison.baseline.run,
        policy=policy,
        decision=decision.outcome if decision else None,
        headline=_headline(comparison, decision, reader, len(causes)),
        reasons=tuple(_reason(each) for each in decision.reasons) if decision else (),
        causes=tuple(_cause(each) for each in causes),
        notes=tuple(dict.fromkeys(warnings)),
        changes=tuple(_change(each) for each in comparison.changes if each.pairs),
        newly_failing=tuple(
            _flip(each, reader if place < _TOLD else None, target) for place, each in enumerate(comparison.flips)
        ),
        worse=tuple(_worse(each, reader, target) for each in comparison.worse[:_TOLD]),
        worse_in_all=len(comparison.worse),
        missing=comparison.missing,
        added=comparison.added,
        cases=cases.cases if cases else (),
        cases_in_all=cases.total if cases else 0,
        time=datetime.now(UTC),
    )


def _warnings(decision: ReleaseDecision) -> list[str]:
    """Return the warnings; flips of cases that a cause names already are not told again."""
    told = set(decision.cases)
    return [
        each.message for each in decision.warnings if each.kind != "newly failing" or not told.issuperset(each.cases)
    ]


def _notes(comparison: Comparison) -> list[str]:
    notes = list(comparison.notes)
    if comparison.scorers:
        notes.append(f"{comparison.scorers.message}; {RESCORE}")
    elif comparison.scorers.unknown:
        notes.append(UNKNOWN_SCORERS)
    return notes


def _headline(comparison: Comparison, decision: ReleaseDecision | None, reader: RunReader, count: int) -> str:
    both = len(comparison.current.cases) - len(comparison.added) - len(comparison.rewritten)
    paired = f"{both} {'case is' if both == 1 else 'cases are'} in both runs"
    if decision is None:
        fallen = [each for each in comparison.regressions if each.intent == ALL]
        word = f"{len(fallen)} of {len(comparison.overall)} figures got worse over all intents"
        return f"{paired}; {word}, {count_of(comparison.worse)} got worse"
    if decision.outcome == "hold":
        found = len(decision.cases)
        cases = f"{found} case{'' if found == 1 else 's'} to look at"
        return f"{count} cause{'s' if count > 1 else ''} to hold, {cases}"
    against = _against(comparison, reader)
    if decision.outcome == "ship":
        return f"{paired}; {f'it ships, but {against}' if against else 'nothing speaks against it'}"
    if comparison.scorers:
        return "the run and the baseline were scored by different scorers, so they cannot be compared"
    if any(each.kind in ("rule", "newly failing") for each in decision.reasons):
        unsure = f"it cannot be decided, for {count} cause{'s' if count > 1 else ''}"
    else:
        unsure = "no drop was found, but one that matters could have gone unseen"
    return f"{unsure}; {against}" if against else unsure


def _against(comparison: Comparison, reader: RunReader) -> str:
    """Return reasons for caution about a run that is not held: cases that flipped, or a run that failed."""
    found = []
    if cases := tuple(dict.fromkeys(flip.case for flip in comparison.flips)):
        verb = "passes" if len(cases) == 1 else "pass"
        found.append(f"{count_of(cases)} that passed no longer {verb}{listed(cases)}")
    if (word := _RUN_WORDS.get(reader.run.decision or "")) is not None:
        why = f" ({reader.run.reason})" if reader.run.reason else ""
        found.append(f"the run itself {word}{why}")
    return " and ".join(found)


def _cause(cause: ReleaseCause) -> shown.HoldCause:
    others = dict.fromkeys(reason.short or reason.statement for reason in cause.reasons[1:])
    return shown.HoldCause(
        text=cause.reason.statement,
        line=cause.reason.message if cause.cases == cause.reason.cases else "",
        also=tuple(others),
        rules=tuple(dict.fromkeys(reason.kind for reason in cause.reasons)),
        cases=cause.cases,
    )


def _reason(reason: Reason) -> shown.HoldReason:
    return shown.HoldReason(text=reason.message, rule=reason.kind, cases=reason.cases[:50])


def _change(change: Change) -> shown.FigureChange:
    return shown.FigureChange(
        dimension=change.dimension,
        intent=None if change.intent == ALL else change.intent,
        cases=change.pairs,
        before=change.before,
        after=change.after,
        difference=change.difference,
        low=change.interval.low if change.interval else None,
        high=change.interval.high if change.interval else None,
        p=change.adjusted if change.is_testable else None,
        detectable=change.detectable,
        verdict=change.verdict,
    )


def _flip(flip: Flip, reader: RunReader | None, target: str) -> shown.FlippedCase:
    score = _score_of(flip.case, flip.check, reader, target) if flip.check and reader else None
    return shown.FlippedCase(
        case=flip.case,
        check=flip.check,
        intent=flip.intent,
        before=_share(flip.before),
        after=_share(flip.after),
        by_rule=flip.exact,
        reason=score.reason if score else "",
    )


def _share(count: CheckCount) -> str:
    return f"{count.passed} of {count.total}"


def _worse(case: WorseCase, reader: RunReader, target: str) -> shown.WorseCaseView:
    dimension, fall = next(iter(case.falls.items()), ("", None))
    part = next((name.partition(".")[2] for name in case.parts if name.startswith(f"{dimension}.")), "")
    score = _score_of(case.case, f"{dimension}.{part}" if part else dimension, reader, target)
    reason = score.reason if score else ""
    if case.lost:
        reason = f"no longer passes; {reason}" if reason else "no longer passes"
    return shown.WorseCaseView(
        case=case.case,
        intent=case.intent,
        dimension=dimension,
        part=part,
        before=fall.before if fall else None,
        after=fall.after if fall else None,
        reason=reason,
        quote=next((each.quote for each in score.evidence if each.quote), "") if score else "",
    )


def _score_of(case: str, name: str, reader: RunReader, target: str) -> Score | None:
    """Return the score behind a figure, of the lowest sample: the part if there is one, else the dimension."""
    try:
        results = [masked_result(each) for each in reader.find(case, target=target)]
    except NotFoundError:
        return None
    whole, _, part = name.partition(".")
    found = [score for result in results if (score := _named(result, whole, part)) is not None]
    return min(found, key=lambda score: 2.0 if score.value is None else score.value, default=None)


def _named(result: Result, whole: str, part: str) -> Score | None:
    every = [*result.scores, *(inner for score in result.scores for inner in score.parts)]
    dimension = next((score for score in every if score.name == whole), None)
    if dimension is None or not part:
        return dimension
    return next((score for score in dimension.parts if score.name == part and score.reason), dimension)
