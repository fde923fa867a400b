"""Results of held-out attempts as reports may show them: figures without a word of the attack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from proctor.core.attack import AttackAttempt, attempt_of, with_attempt
from proctor.core.case import Ask, Case
from proctor.core.chat import Message
from proctor.core.errors import MalformedError
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn

__all__ = ["HIDDEN", "is_held_out", "masked_result", "masked_results"]

HIDDEN: Final = "held out: not shown"


def masked_results(results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results, held-out attempts without their texts."""
    return map(masked_result, results)


def masked_result(result: Result) -> Result:
    """Return the result of a held-out attempt with figures and outcome only; others unchanged."""
    attempt = _attempt(result)
    if attempt is None or not attempt.held_out:
        return result
    return replace(
        result,
        case=_masked_case(result.case, attempt),
        trajectory=_masked_run(result.trajectory),
        scores=tuple(map(_masked_score, result.scores)),
        reason=HIDDEN if result.reason else "",
        extra={},
    )


def is_held_out(result: Result) -> bool:
    """Whether this is the result of a held-out attempt."""
    attempt = _attempt(result)
    return attempt is not None and attempt.held_out


def _attempt(result: Result) -> AttackAttempt | None:
    try:
        return attempt_of(result.case)
    except MalformedError:
        return None


def _masked_case(case: Case, attempt: AttackAttempt) -> Case:
    kept = AttackAttempt(
        campaign=attempt.campaign, scope=attempt.scope, severity=attempt.severity, round=attempt.round, held_out=True
    )
    turns = tuple(Ask(text=HIDDEN) for _ in case.asks)
    return with_attempt(Case(id=case.id, intent=case.intent, turns=turns, checks=case.checks), kept)


def _masked_run(run: Trajectory) -> Trajectory:
    return Trajectory(
        turns=tuple(map(_masked_turn, run.turns)),
        target=run.target,
        error=HIDDEN if run.error else None,
        error_kind=run.error_kind,
    )


def _masked_turn(turn: Turn) -> Turn:
    said = (Message(role="user", content=HIDDEN), Message(role="assistant", content=HIDDEN))
    return Turn(
        messages=said,
        latency=turn.latency,
        first_token=turn.first_token,
        usage=turn.usage,
        cost=turn.cost,
        time=turn.time,
    )


def _masked_score(score: Score) -> Score:
    return replace(score, reason=HIDDEN if score.reason else "", evidence=(), parts=(), raw=None, extra={})
