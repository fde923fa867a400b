"""Score the answer with a model that follows a rubric."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal

from proctor.core.case import Case
from proctor.core.chat import Message, Request
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Model, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.ask_judge import Opinion, ask, reply_schema, total_cost
from proctor.scorers.checked_answers import no_answer, quoted
from proctor.scorers.judge_material import EVERYTHING, Included, collect, fence
from proctor.scorers.majority_vote import majority, mean
from proctor.scorers.prompt_file import prompt_file

__all__ = ["Judge"]

MOST_SAMPLES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A model judges the answer by a rubric: pass, a score or a label, with the reason first."""

    name: ClassVar[str] = "judge"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.5
    primary: ClassVar[str | None] = "rubric"

    rubric: str
    kind: Literal["pass", "score", "label"] = "pass"
    scale: tuple[float, ...] = (1.0, 5.0)
    labels: Mapping[str, float] = field(default_factory=dict)
    pass_labels: tuple[str, ...] = ()
    include: tuple[Included, ...] = EVERYTHING
    samples: int = 1
    judge: Model = socket()

    def __post_init__(self) -> None:
        if not self.rubric.strip():
            raise ValueError("rubric is empty: say what a good answer is")
        if len(self.scale) != 2 or not self.scale[0] < self.scale[1]:
            raise ValueError(f"scale is {list(self.scale)}; write it as [lowest, highest]")
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise ValueError(f"samples is {self.samples}; it must be from 1 to {MOST_SAMPLES}")
        if "answer" not in self.include:
            raise ValueError("include leaves out the answer, which is what is judged")
        self._check_labels()

    def _check_labels(self) -> None:
        if self.kind != "label":
            if self.labels or self.pass_labels:
                raise ValueError(f"labels belong to `kind: label`, and kind is {self.kind}")
            return
        if len(self.labels) < 2:
            raise ValueError("labels must name at least two, each with its value: `labels: {good: 1, poor: 0}`")
        for name, value in self.labels.items():
            if not 0 <= value <= 1:
                raise ValueError(f"the value of label {name!r} is {value:g}; it must be from 0 to 1")
        for name in self.pass_labels:
            if name not in self.labels:
                raise ValueError(f"pass_labels names {name!r}, which is none of {', '.join(self.labels)}")

    @property
    def revision(self) -> str:
        """Return the version with the hash of the prompt, so that scores from different prompts differ in it."""
        return f"{self.version}+{prompt_file('judge').hash}"

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Ask the judge ``samples`` times and combine the replies."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        request = Request(
            messages=self.messages(case, run), schema=_schema(self.kind, tuple(self.labels)), schema_name="verdict"
        )
        evidence = (Evidence(quote=quoted(run.answer), turn=len(run.turns) - 1),)
        if self.samples == 1:
            return self._read(await ask(self.judge, request), self.name, evidence)
        requests = [replace(request, sample=index) for index in range(self.samples)]
        opinions = await asyncio.gather(*(ask(self.judge, each) for each in requests))
        samples = [self._read(opinion, f"sample {index + 1}") for index, opinion in enumerate(opinions)]
        together = mean(samples) if self.kind == "score" else majority(samples)
        return replace(together, name=self.name, cost=total_cost(opinions), evidence=evidence)

    def messages(self, case: Case, run: Trajectory) -> tuple[Message, ...]:
        """Return the judge's messages: the rubric as the system message, the material as the user message."""
        material, code = fence(collect(case, run, self.include))
        return (
            _instructions(self.rubric, self.kind, self.scale, tuple(self.labels)),
            Message(role="user", content=prompt_file("judge").fill("user", material=material, code=code)),
        )

    def _read(self, opinion: Opinion, name: str, evidence: tuple[Evidence, ...] = ()) -> Score:
        """Convert one reply to a score; a verdict outside the allowed values is an error and is not repaired."""
        signed: dict[str, Any] = {"name": name, "version": self.revision, "cost": opinion.cost}
        signed["evidence"] = evidence
        signed["producer"] = f"judge:{self.judge.name}"
        if opinion.failure is not None:
            return Score(**signed, status="error", reason=opinion.failure, raw=opinion.raw)
        verdict = opinion.verdict
        if self.kind == "score":
            low, high = self.scale
            if isinstance(verdict, (int, float)) and not isinstance(verdict, bool) and low <= verdict <= high:
                value = (verdict - low) / (high - low)
                return Score(**signed, value=value, reason=opinion.reason, measured=float(verdict))
            wrong = f"the judge's score {quoted(repr(verdict), 60)} is not from {low:g} to {high:g}"
        else:
            values = self.labels if self.kind == "label" else {"pass": 1.0, "fail": 0.0}
            if isinstance(verdict, str) and verdict in values:
                return self._labelled(signed, verdict, values[verdict], opinion.reason)
            wrong = f"the judge's verdict {quoted(repr(verdict), 60)} is none of {', '.join(values)}"
        return Score(**signed, status="error", reason=wrong, raw=opinion.raw)

    def _labelled(self, signed: Mapping[str, Any], label: str, value: float, reason: str) -> Score:
        if self.pass_labels:
            passed = float(label in self.pass_labels)
            return Score(**signed, value=passed, reason=reason, label=label, measured=value)
        return Score(**signed, value=value, reason=reason, label=label)


@lru_cache(maxsize=256)
def _instructions(rubric: str, kind: str, scale: tuple[float, ...], labels: tuple[str, ...]) -> Message:
    """Return the system message, which is the same for every case."""
    prompt = prompt_file("judge")
    low, high = (f"{end:g}" for end in scale)
    names = ", ".join(f'"{name}"' for name in labels)
    verdict = prompt.fill(f"verdict {kind}", low=low, high=high, labels=names)
    return Message(role="system", content=prompt.fill("system", rubric=rubric.strip(), verdict=verdict))


@lru_cache(maxsize=256)
def _schema(kind: str, labels: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the reply schema; cached as one object, so that values derived from it are computed once."""
    if kind == "score":
        return reply_schema({"type": "number"})
    return reply_schema({"type": "string", "enum": list(labels) if kind == "label" else ["pass", "fail"]})
