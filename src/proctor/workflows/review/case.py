"""Collect what a person needs to judge a queued case: the question, both answers, the expectation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from proctor.config import Config
from proctor.core.attack_mask import HIDDEN, is_held_out, masked_result
from proctor.core.case import Case, Check, Expectation
from proctor.core.errors import InputError, NotFoundError
from proctor.core.report import Result
from proctor.core.trajectory import Trajectory
from proctor.store.answers import answers_path, read_answers
from proctor.store.decisions import baseline_of
from proctor.store.review import ReviewItem
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.release.baseline import baseline_file, open_baseline

__all__ = ["ReviewCase", "review_case"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCase:
    """One case to judge; ``missing`` lists what is no longer stored, and why."""

    question: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = field(default=())


def review_case(config: Config, store: RunStore, item: ReviewItem) -> ReviewCase:
    """Return the case of an item, with the answers of the run and of the baseline, and the expectation.

    A held-out attempt is shown without its texts.
    """
    try:
        reader = RunReader(store, store.get(item.run))
        results = reader.find(item.case_id, target=item.target)
    except NotFoundError as error:
        return ReviewCase(missing=(f"the answer: {error.message}",))
    result = next((each for each in results if each.outcome == "fail"), results[0])
    if is_held_out(result):
        hidden = masked_result(result)
        return ReviewCase(question=(HIDDEN,), found=tuple(_found(hidden)), missing=(f"the conversation: {HIDDEN}",))
    before, why = _before(config, store, reader, item)
    return ReviewCase(
        question=tuple(ask.text for ask in result.case.asks) or _inputs(result.case),
        answer=_said(result.trajectory),
        before=_said(before) if before is not None else (),
        expected=tuple(_expected(result.case)),
        found=tuple(_found(result)),
        missing=(why,) if why else (),
    )


def _before(config: Config, store: RunStore, reader: RunReader, item: ReviewItem) -> tuple[Trajectory | None, str]:
    """Return the baseline's answer: from its run if stored, else from the answers file of the baseline."""
    run = baseline_of(store, run=item.run, target=item.target)
    if run is None:
        return None, ""
    try:
        other = RunReader(store, store.get(run))
        target = item.target if item.target in other.targets() else None
        return other.find(item.case_id, target=target)[0].trajectory, ""
    except NotFoundError:
        pass
    try:
        path = baseline_file(config, reader, item.target)
        baseline = open_baseline(path)
        if baseline.run == run and baseline.answers:
            for case, _, trajectory in read_answers(answers_path(path), baseline.answers):
                if case == item.case_id:
                    return trajectory, ""
    except InputError as error:
        return None, f"the answer before: {error.message}"
    return None, f"the answer before: run {run} is not on record here, and no answers lie beside the baseline"


def _said(run: Trajectory) -> tuple[str, ...]:
    if not run.turns and run.error:
        return (f"no answer: {run.error}",)
    return tuple(turn.answer or (f"no answer: {turn.error}" if turn.error else "") for turn in run.turns)


def _inputs(case: Case) -> tuple[str, ...]:
    return tuple(f"{name}: {value}" for name, value in case.inputs.items())


def _expected(case: Case) -> Iterable[str]:
    yield from _of(case.expect)
    for number, ask in enumerate(case.asks, start=1):
        if ask.expect is not None:
            yield from (f"turn {number}: {line}" for line in _of(ask.expect))
        yield from (f"turn {number}: {_check(check)}" for check in ask.checks)
    yield from map(_check, case.checks)


def _check(check: Check) -> str:
    settings = ", ".join(f"{name}: {value}" if name else str(value) for name, value in check.settings.items())
    return f"{check.name or check.scorer}: {settings}" if settings else check.name or check.scorer


def _of(expect: Expectation) -> Iterable[str]:
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


def _found(result: Result) -> Iterable[str]:
    for score in result.scores:
        if score.passed is False:
            yield f"{score.name} {score.value:.2f} < {score.threshold:g}: {score.reason}"
