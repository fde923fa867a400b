"""Generate the expected output of a test: the prompt's own answer, checked by rules and graded by judges."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from proctor.core.case import Case
from proctor.core.chat import Request
from proctor.core.errors import ModelError
from proctor.core.generated_test import GeneratedTest, with_metadata
from proctor.core.sockets import Model
from proctor.generate.build_case import Brief, inputs_of
from proctor.generate.generation_request import TruthMetric
from proctor.generate.stages.model_stage import Question, ReplyReading, ask
from proctor.generate.stages.reply_cause import cause_of
from proctor.generate.stages.schemas import object_of, text_of
from proctor.generate.stages.validate_artefacts import shown_inputs
from proctor.prompts.render import compile_prompt
from proctor.text.predicates import PredicateError, parse

__all__ = ["find_truth"]

_SCHEMA = object_of({"reason": text_of(), "score": {"type": "integer", "minimum": 0, "maximum": 100}})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    output: str
    score: float | None
    broken: tuple[str, ...] = ()
    reason: str = ""


async def find_truth(
    model: Model,
    judges: Sequence[Model],
    brief: Brief,
    case: Case,
    *,
    threshold: float = 0.8,
    tries: int = 3,
    metrics: Sequence[TruthMetric] = (),
) -> Case:
    """Return the case with its expected output if one is good enough; ``metadata`` records how it was made.

    The model answers the prompt. An answer that breaks a predicate is rejected without asking a judge; the rest is
    graded by every judge, or by the author's own metrics, and the grades are averaged. Below the threshold a new sample
    is drawn. Without a judge the content cannot be verified, so nothing is accepted.

    Raises:
        ModelError: the model itself did not answer.
        PromptError: the prompt cannot be rendered with the inputs.
    """
    if case.expect.reference is not None:
        return case
    messages = compile_prompt(brief.prompt).render(case.inputs, case.input)
    best: _Try | None = None
    used = 0
    for used in range(1, max(1, tries) + 1):
        request = Request(
            messages=messages,
            schema=brief.prompt.schema,
            schema_name=brief.prompt.schema_name,
            sampling=brief.prompt.sampling,
            sample=used - 1,
        )
        output = (await model.complete(request)).text.strip()
        attempt = await _judged(judges, brief, case, output, metrics)
        if best is None or (attempt.score or -1.0) > (best.score or -1.0):
            best = attempt
        if (best.score is not None and best.score >= threshold) or not judges:
            break
    assert best is not None
    made = _kept(case, best, model=model.name, judges=judges, tries=used, threshold=threshold)
    if not metrics:
        return made
    truth = {**(GeneratedTest.of(made).groundtruth or {}), "metrics": [metric.name for metric in metrics]}
    return with_metadata(made, groundtruth=truth)


async def _judged(
    judges: Sequence[Model], brief: Brief, case: Case, output: str, metrics: Sequence[TruthMetric]
) -> _Try:
    if not output:
        return _Try(output=output, score=0.0, reason="the answer is empty")
    broken = _broken(brief, case, output)
    if broken:
        return _Try(output=output, score=0.0, broken=broken, reason="it breaks a rule that is checked by code")
    asked = (
        [metric.grade(brief, case, output) for metric in metrics]
        if metrics
        else [_grade(judge, brief, case, output) for judge in judges]
    )
    said = await asyncio.gather(*asked)
    grades = [grade for grade in said if not isinstance(grade, str)]
    if not grades:
        causes = ", ".join(dict.fromkeys(each for each in said if isinstance(each, str)))
        return _Try(output=output, score=None, reason="no judge has graded it" + (f": {causes}" if causes else ""))
    return _Try(output=output, score=fmean(score for score, _ in grades), reason=grades[0][1])


def _broken(brief: Brief, case: Case, output: str) -> tuple[str, ...]:
    """Return the rules that the output breaks according to predicates."""
    found: list[str] = []
    for rule in brief.spec.enabled:
        if not rule.deciding_predicate:
            continue
        try:
            checked = parse(rule.deciding_predicate).check(output, inputs=inputs_of(case))
        except PredicateError:
            continue
        if checked.ok is False:
            found.append(rule.id)
    return tuple(found)


async def _grade(judge: Model, brief: Brief, case: Case, output: str) -> tuple[float, str] | str:
    """Return the judge's grade and its reason, or why there is none."""
    question = Question(
        stage="truth",
        material=[
            ("prompt under test", brief.prompt.text),
            ("rules", "\n".join(f"- {rule.text}" for rule in brief.spec.enabled)),
            ("input", shown_inputs(case)),
            ("answer", output),
        ],
        schema=_SCHEMA,
        holes={},
        instructions=brief.instructions.get("groundtruth", ""),
    )
    try:
        return await ask(judge, question, _read)
    except ModelError as error:
        return cause_of(error)


def _read(data: Any) -> ReplyReading[tuple[float, str]]:
    score = data.get("score")
    if not isinstance(score, (int, float)) or isinstance(score, bool) or not 0 <= score <= 100:
        return ReplyReading(complaints=("the score is not a number from 0 to 100",))
    return ReplyReading(value=(score / 100, " ".join(str(data.get("reason") or "").split())))


def _kept(case: Case, best: _Try, *, model: str, judges: Sequence[Model], tries: int, threshold: float) -> Case:
    accepted = best.score is not None and best.score >= threshold
    truth: dict[str, Any] = {
        "score": best.score,
        "model": model,
        "judges": [judge.name for judge in judges],
        "accepted": accepted,
        "tries": tries,
    }
    if best.reason:
        truth["reason"] = best.reason
    if best.broken:
        truth["broken"] = list(best.broken)
    if not accepted and best.output:
        truth["candidate"] = best.output
    expect = replace(case.expect, reference=best.output) if accepted else case.expect
    return with_metadata(replace(case, expect=expect), groundtruth=truth)
