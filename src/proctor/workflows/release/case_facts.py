"""What a person needs to judge a case, as lines of text: the question, the answer, the expectation, the findings."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.core.case import Case, Check, Expectation
from proctor.core.report import Result
from proctor.core.trajectory import Trajectory

__all__ = ["answers_in", "expected_lines", "found_lines", "questions_in"]


def questions_in(case: Case) -> tuple[str, ...]:
    """Return the user's messages; for a case with only prompt variables, these."""
    return tuple(ask.text for ask in case.asks) or tuple(f"{name}: {value}" for name, value in case.inputs.items())


def answers_in(run: Trajectory) -> tuple[str, ...]:
    """Return the answer of each turn, or why there is none."""
    if not run.turns and run.error:
        return (f"no answer: {run.error}",)
    return tuple(turn.answer or (f"no answer: {turn.error}" if turn.error else "") for turn in run.turns)


def expected_lines(case: Case) -> Iterator[str]:
    """Yield the expectations on a case and its turns, and its checks."""
    yield from _of(case.expect)
    for number, ask in enumerate(case.asks, start=1):
        if ask.expect is not None:
            yield from (f"turn {number}: {line}" for line in _of(ask.expect))
        yield from (f"turn {number}: {_check(check)}" for check in ask.checks)
    yield from map(_check, case.checks)


def found_lines(result: Result) -> Iterator[str]:
    """Yield the scores under their thresholds, with their reasons."""
    for score in result.scores:
        if score.passed is False:
            yield f"{score.name} {score.value:.2f} < {score.threshold:g}: {score.reason}"


def _check(check: Check) -> str:
    settings = ", ".join(f"{name}: {value}" if name else str(value) for name, value in check.settings.items())
    return f"{check.name or check.scorer}: {settings}" if settings else check.name or check.scorer


def _of(expect: Expectation) -> Iterator[str]:
    if expect.reference:
        yield f"reference: {expect.reference}"
    lists = (("facts", expect.facts), ("products", expect.products), ("forbidden", expect.forbidden))
    yield from (f"{name}: {'; '.join(values)}" for name, values in lists if values)
    if expect.rules:
        yield f"rules: {'; '.join(rule.text for rule in expect.rules)}"
    if expect.tool_calls:
        yield f"tool calls: {', '.join(call.name for call in expect.tool_calls)}"
    if expect.escalation is not None:
        yield f"escalation: {'yes' if expect.escalation else 'no'}"
