"""Results of a campaign run: each attempt with its judgement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.core.attack import AttackAttempt, AttackResult, attack_result, attempt_of
from proctor.core.report import Result
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore

__all__ = ["JudgedAttempt", "judged", "judgement_of", "results_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAttempt:
    """One attempt and what came of it."""

    case: str
    attempt: AttackAttempt
    result: AttackResult


def judgement_of(result: Result) -> AttackResult:
    """Return the judgement of an attempt; without a score of the judge it is unscored, with the reason."""
    found = next((each for score in result.scores if (each := attack_result(score)) is not None), None)
    return found or AttackResult(outcome="unscored", reason=result.reason or "the attempt was not judged")


def judged(results: Iterator[Result] | Sequence[Result]) -> Iterator[JudgedAttempt]:
    """Yield the attempts among results, with their judgements."""
    for each in results:
        attempt = attempt_of(each.case)
        if attempt is not None:
            yield JudgedAttempt(case=each.case.id, attempt=attempt, result=judgement_of(each))


def results_of(store: RunStore, runs: Sequence[str]) -> Iterator[Result]:
    """Yield the results of some runs, without their conversations, in the order of runs."""
    for name in runs:
        yield from RunReader(store, store.get(name)).graded(cases=True)
