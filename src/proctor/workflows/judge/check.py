"""Compare a judge's scores with labels by people, using a run's scores or new calls."""

from __future__ import annotations

import asyncio
import dataclasses
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.config import Config
from proctor.core.case import Case, Check, Suite
from proctor.core.chat import Reply, Request
from proctor.core.decode import decode
from proctor.core.errors import InputError, NotFoundError, SuiteError
from proctor.core.judge_card import JudgeCard
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.sockets import Model
from proctor.core.trajectory import Trajectory
from proctor.project import Project
from proctor.release.judge_card import Judged, judge_card
from proctor.runner.grade import Grader, grade
from proctor.store.run_reader import RunReader
from proctor.suites.case_shorthand import make_checks
from proctor.wiring.models import ModelPool
from proctor.wiring.scorers import GraderFactory
from proctor.workflows.judge.labels import Labelled, read_labels, value_of
from proctor.workflows.run.job import Job, open_job

__all__ = ["JudgeQuestion", "check_judge"]

_DEFAULT_THRESHOLD = 0.5  # of a score without one: a part that only informs
_APART = 1000  # offset of sample numbers between repetitions; a scorer uses the numbers in between


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuestion:
    """A judge and the labels to measure it by. Without ``samples`` a run's own scores are used."""

    labels: Path
    scorer: str | None = None
    target: str | None = None
    samples: int | None = None
    scale: tuple[float, float] | None = None
    threshold: float | None = None
    people_threshold: float = 0.5
    values: Mapping[str, float] = field(default_factory=dict)
    judge: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """A labelled answer and the judge's scores for it, one per repetition."""

    case: Case
    run: Trajectory
    labels: tuple[Labelled, ...]
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True, slots=True)
class _Again:
    """The same model for another repetition, with shifted sample numbers."""

    model: Model
    times: int

    @property
    def name(self) -> str:
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        return await self.model.complete(dataclasses.replace(request, sample=request.sample + self.times * _APART))


async def check_judge(config: Config, question: JudgeQuestion, reader: RunReader | None = None) -> JudgeCard:
    """Return the card of a judge.

    Raises:
        InputError: the labels, the run, the scorer or its settings are invalid; no model was called.
    """
    labels = read_labels(question.labels)
    notes: list[str] = []
    if reader is None:
        answers = list(_given(labels, question.labels))
    else:
        answers = list(_from_run(reader, labels, question.target, notes))
    if not answers:
        hint = "the `case` of a label is a case's id in the run; `answer`, where given, its very words"
        raise InputError("no label belongs to an answer", file=str(question.labels), hint=hint)
    if reader is not None and question.samples is None:
        name = question.scorer or _only_scorer(answers)
        found = [dataclasses.replace(each, scores=_picked(each.scores, name)) for each in answers]
    else:
        name, found = await _asked(config, question, reader, answers)
    if not any(each.scores for each in found):
        known = sorted({score.name for each in answers for score in each.scores})
        hint = f"there are: {', '.join(known)}"
        raise NotFoundError(f"no answer has a score named {name!r}", hint=hint)
    scored = [score for each in found for score in each.scores]
    return judge_card(
        _items(found, question),
        scorer=name,
        judge=_producers(scored),
        revision=next((score.version for score in scored if score.version), ""),
        labels=question.labels.name,
        run=reader.run.id if reader else "",
        created=datetime.now(UTC),
        threshold=_DEFAULT_THRESHOLD if question.threshold is None else question.threshold,
        people_threshold=question.people_threshold,
        notes=notes,
    )


def _given(labels: Sequence[Labelled], path: Path) -> Iterator[_Answer]:
    by_case: dict[tuple[str, str | None], list[Labelled]] = defaultdict(list)
    for label in labels:
        by_case[label.case, label.answer].append(label)
    for group in by_case.values():
        case = next((label.given for label in group if label.given is not None), None)
        if case is None or case.recorded is None:
            hint = "name a run with --run, or give each line `input` and `answer`"
            raise InputError("the label has no answer with it", file=str(path), line=group[0].line, hint=hint)
        yield _Answer(case=case, run=case.recorded, labels=tuple(group))


def _from_run(reader: RunReader, labels: Sequence[Labelled], target: str | None, notes: list[str]) -> Iterator[_Answer]:
    by_case: dict[str, list[Labelled]] = defaultdict(list)
    for label in labels:
        by_case[label.case].append(label)
    targets = reader.targets()
    if target is not None and target not in targets:
        raise NotFoundError(f"run {reader.run.id} had no target {target!r}", hint=f"it had: {', '.join(targets)}")
    if target is None and len(targets) > 1 and any(label.target is None and label.answer is None for label in labels):
        raise InputError(
            f"run {reader.run.id} had several targets", hint=f"name one with --target: {', '.join(targets)}"
        )
    met, others = set(), 0
    for result in reader.results(target=target):
        mine = [label for label in by_case.get(result.case.id, ()) if _is_about(label, result)]
        others += any(label.answer is not None for label in by_case.get(result.case.id, ())) and not mine
        met |= {label.line for label in mine}
        if mine:
            yield _Answer(case=result.case, run=result.trajectory, labels=tuple(mine), scores=result.scores)
    if missing := sum(label.line not in met for label in labels):
        why = f" ({others} answers of the run are not the ones that were labelled)" if others else ""
        notes.append(f"{missing} of {len(labels)} labels belong to no answer of this run and are left out{why}")


def _is_about(label: Labelled, result: Result) -> bool:
    """Return whether a label is about this answer; a label without a sample number is about the first."""
    if label.target is not None and label.target != result.target:
        return False
    if label.answer is not None:
        return label.answer.strip() == result.trajectory.answer.strip()
    return result.sample == (label.sample or 0)


def _only_scorer(answers: Sequence[_Answer]) -> str:
    names = dict.fromkeys(score.name for each in answers for score in each.scores)
    judged = dict.fromkeys(
        score.name for each in answers for score in each.scores if score.producer.startswith("judge")
    )
    for found in (judged, names):
        if len(found) == 1:
            return next(iter(found))
    hint = f"name one with --scorer: {', '.join(names)}"
    raise InputError("the run has several scorers" if names else "the run has no scores", hint=hint)


def _picked(scores: Sequence[Score], name: str) -> tuple[Score, ...]:
    """Return the score of that name; ``relevance.intent_relevance`` is a part of a score, at any depth."""
    first, _, rest = name.partition(".")
    for score in scores:
        if score.name == name:
            return (score,)
        if score.name == first and (found := _picked(score.parts, rest)):
            return found
    for score in scores:
        if found := _picked(score.parts, name):
            return found
    return ()


async def _asked(
    config: Config, question: JudgeQuestion, reader: RunReader | None, answers: Sequence[_Answer]
) -> tuple[str, list[_Answer]]:
    """Score every answer again, the requested number of times."""
    if question.judge:
        config = dataclasses.replace(config, settings=dataclasses.replace(config.settings, judge=question.judge))
    async with _model_pool(config) as model_pool:
        grader_factory, path = _grader_factory(config, question, reader, answers, model_pool)
        name = path or grader_factory.name
        slots = asyncio.Semaphore(config.settings.run.concurrency)
        times = question.samples or 1
        graders = [_again(grader_factory, number) for number in range(times)]

        async def score(each: _Answer) -> _Answer:
            async with slots:
                grades = [await grade(each.case, each.run, [grader]) for grader in graders]
            scores = [found for one in grades for found in _picked(one.scores, name)]
            return dataclasses.replace(each, scores=tuple(scores))

        return name, list(await asyncio.gather(*(score(each) for each in answers)))


@asynccontextmanager
async def _model_pool(config: Config) -> AsyncIterator[ModelPool]:
    async with Project(config) as project:
        yield project.model_pool()


def _grader_factory(
    config: Config, question: JudgeQuestion, reader: RunReader | None, answers: Sequence[_Answer], model_pool: ModelPool
) -> tuple[Grader, str]:
    """Return the grader, and the name of the part to read if not the whole score."""
    if reader is None:
        if not question.scorer:
            hint = "e.g. --scorer relevance, or --scorer 'judge: {rubric: is it right?, kind: score}'"
            raise InputError("no scorer is named", hint=hint)
        check, part = _written(question.scorer)
        return GraderFactory(Suite(name="labels"), model_pool).grader(check), part
    job = decode(Job, reader.run.settings["job"])
    suite = open_job(config, job).loaded.suite
    checks = [*suite.scorers, *(check for each in answers for check in each.case.checks)]
    wanted = question.scorer or _only_scorer(answers)
    first = wanted.partition(".")[0]
    for check in checks:
        if first in (check.name, check.scorer):
            return GraderFactory(suite, model_pool).grader(check), wanted if "." in wanted else ""
    for check in checks:  # a dimension of a composite
        if any(_picked(each.scores, wanted) for each in answers) and check.scorer == "quality":
            return GraderFactory(suite, model_pool).grader(check), wanted
    known = ", ".join(dict.fromkeys(check.name or check.scorer for check in checks))
    raise NotFoundError(f"the suite has no scorer {wanted!r}", hint=f"it has: {known}")


def _written(text: str) -> tuple[Check, str]:
    """Parse a scorer from the command line: a name, a part, or a check as in a suite."""
    from proctor.prompts.yaml_text import read_yaml  # noqa: PLC0415 - costs 40 ms

    data: Any = read_yaml(text, file="--scorer", error=SuiteError)
    if isinstance(data, str):
        first, _, rest = data.partition(".")
        return Check(scorer=first), data if rest else ""
    return make_checks([data], ("--scorer",))[0], ""


def _again(grader: Grader, times: int) -> Grader:
    """Return the same grader for another repetition."""
    judge = getattr(grader.scorer, "judge", None)
    if not times or judge is None:
        return grader
    scorer: Any = grader.scorer
    return dataclasses.replace(grader, scorer=dataclasses.replace(scorer, judge=_Again(judge, times)))


def _items(answers: Sequence[_Answer], question: JudgeQuestion) -> list[Judged]:
    known = dict(question.values)
    for each in answers:
        for score in each.scores:
            if score.label is not None and score.value is not None:
                known.setdefault(score.label, score.value)
    items = []
    for each in answers:
        people = []
        for label in each.labels:
            try:
                people += [value_of(said, known, question.scale) for said in label.said]
            except ValueError as error:
                raise InputError(str(error), file=str(question.labels), line=label.line) from None
        samples = [sample for score in each.scores for sample in _samples(score)]
        if all(sample.status == "skipped" for sample in samples):
            continue  # nothing to score, so the judge was not called
        items.append(
            Judged(
                case=each.case.id,
                people=tuple(people),
                judge=tuple(sample.value for sample in samples),
                reasons=tuple(sample.reason for sample in samples if sample.value is None),
                orders=next((found for score in each.scores if (found := _orders(score))), None),
                length=len(each.run.answer) or None,
                against=_against(each) if any(_orders(score) for score in each.scores) else None,
                threshold=_own_threshold(each.scores) if question.threshold is None else None,
            )
        )
    return items


def _samples(score: Score) -> Sequence[Score]:
    """Return the repetitions of a score, which are its parts; the score itself if it has none."""
    samples = [part for part in score.parts if part.name.startswith("sample ")]
    return samples or (score,)


def _orders(score: Score) -> tuple[str, str] | None:
    parts = {part.name: part.label for part in score.parts}
    one, other = parts.get("answer first"), parts.get("answer second")
    return (one, other) if one and other else None


def _against(each: _Answer) -> int | None:
    return len(each.case.expect.reference) if each.case.expect.reference else None


def _own_threshold(scores: Sequence[Score]) -> float | None:
    """Return the threshold of an answer's score; every repetition has the same, which the case's intent may set."""
    return next((score.threshold for score in scores if score.threshold is not None), None)


def _producers(scores: Sequence[Score]) -> str:
    return ", ".join(sorted({score.producer for score in scores if score.status == "ok"}))[:200]
