"""A comparison and a decision as the report room shows them, with what the scores said of the cases that got worse."""

from __future__ import annotations

from datetime import UTC, datetime

from proctor.core.errors import NotFoundError
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.release.compare import Change, Comparison
from proctor.release.decide import Decision, Reason
from proctor.release.measures import ALL
from proctor.release.worse import WorseCase
from proctor.report import release_view as shown
from proctor.store.reading import RunReader

__all__ = ["view_of"]

_TOLD = 100  # cases whose scores are looked up; a person reads fewer


def view_of(
    comparison: Comparison,
    reader: RunReader,
    *,
    target: str,
    baseline: str,
    decision: Decision | None = None,
    policy: str = "",
) -> shown.ReleaseView:
    """Everything there is to show; of the worst cases also why, in the words of their scores."""
    warnings = [each.message for each in decision.warnings] if decision else list(comparison.notes)
    return shown.ReleaseView(
        suite=reader.run.name,
        run=reader.run.id,
        target=target if len(reader.targets()) > 1 else "",
        baseline=baseline,
        baseline_run=comparison.baseline.run,
        policy=policy,
        decision=decision.outcome if decision else None,
        headline=_headline(comparison, decision),
        reasons=tuple(_reason(each) for each in decision.reasons) if decision else (),
        notes=tuple(dict.fromkeys(warnings)),
        changes=tuple(_change(each) for each in comparison.changes if each.pairs),
        worse=tuple(_worse(each, reader, target) for each in comparison.worse[:_TOLD]),
        worse_in_all=len(comparison.worse),
        missing=comparison.missing,
        added=comparison.added,
        time=datetime.now(UTC),
    )


def _headline(comparison: Comparison, decision: Decision | None) -> str:
    both = len(comparison.current.cases) - len(comparison.added) - len(comparison.rewritten)
    paired = f"{both} cases are in both runs"
    if decision is None:
        fallen = [each for each in comparison.regressions if each.intent == ALL]
        word = f"{len(fallen)} of {len(comparison.overall)} figures got worse over all intents"
        return f"{paired}; {word}, {len(comparison.worse)} cases got worse"
    if decision.outcome == "ship":
        return f"{paired}; nothing speaks against it"
    count = len(decision.reasons)
    if decision.outcome == "hold":
        return f"{count} reason{'s' if count > 1 else ''} to hold, {len(decision.cases)} cases to look at"
    return "nothing speaks against it, but a drop that matters could have gone unseen"


def _reason(reason: Reason) -> shown.Reason:
    return shown.Reason(text=reason.message, rule=reason.kind, cases=reason.cases[:50])


def _change(change: Change) -> shown.Change:
    return shown.Change(
        dimension=change.dimension,
        intent=None if change.intent == ALL else change.intent,
        cases=change.pairs,
        before=change.before,
        after=change.after,
        difference=change.difference,
        low=change.interval.low if change.interval else None,
        high=change.interval.high if change.interval else None,
        p=change.adjusted,
        detectable=change.detectable,
        verdict=change.verdict,
    )


def _worse(case: WorseCase, reader: RunReader, target: str) -> shown.WorseCase:
    dimension, fall = next(iter(case.falls.items()), ("", None))
    part = next((name.partition(".")[2] for name in case.parts if name.startswith(f"{dimension}.")), "")
    score = _score_of(case.case, f"{dimension}.{part}" if part else dimension, reader, target)
    reason = score.reason if score else ""
    if case.lost:
        reason = f"no longer passes; {reason}" if reason else "no longer passes"
    return shown.WorseCase(
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
    """The score behind a figure, of the lowest sample: the part where there is one, else the dimension."""
    try:
        results = reader.find(case, target=target)
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
