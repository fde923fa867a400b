"""Compare the answer with another answer by a model, in both orders."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from proctor.core.case import Case
from proctor.core.chat import Message, Request
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Model, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.ask_judge import Opinion, ask, reply_schema, total_cost
from proctor.scorers.checked_answers import last_expectation, no_answer, quoted, scored, skipped
from proctor.scorers.judge_material import collect, fence
from proctor.scorers.prompt_file import prompt_file

__all__ = ["Pairwise"]

_VERDICTS = ("first", "second", "tie")
_VALUE = {"win": 1.0, "tie": 0.5, "loss": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairwise:
    """A model judges whether the answer is better than the reference or the recorded answer, asked in both orders."""

    name: ClassVar[str] = "pairwise"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.5
    primary: ClassVar[str | None] = "rubric"

    rubric: str = "The better answer is more correct, more complete and more helpful to the user."
    against: Literal["reference", "recorded"] = "reference"
    judge: Model = socket()

    def __post_init__(self) -> None:
        if not self.rubric.strip():
            raise ValueError("rubric is empty: say what makes an answer better")

    @property
    def revision(self) -> str:
        """Return the version with the hash of the prompt, so that scores from different prompts differ in it."""
        return f"{self.version}+{prompt_file('pairwise').hash}"

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Ask twice, with the answer first and then second; count only a verdict that both replies share."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        other = self._other(case, run)
        if not other:
            return skipped(self, f"the case has no {'reference' if self.against == 'reference' else 'recorded answer'}")
        if other.strip() == run.answer.strip():
            return scored(self, 0.5, "both answers are the same", label="tie", confidence=1.0)
        opinions = await asyncio.gather(
            ask(self.judge, self._request(case, run, run.answer, other)),
            ask(self.judge, self._request(case, run, other, run.answer)),
        )
        return self._weigh(opinions[0], opinions[1], run)

    def _other(self, case: Case, run: Trajectory) -> str | None:
        if self.against == "recorded":
            return case.recorded.answer if case.recorded is not None else None
        return next((expect.reference for expect in last_expectation(case, run) if expect.reference), None)

    def _request(self, case: Case, run: Trajectory, first: str, second: str) -> Request:
        prompt = prompt_file("pairwise")
        asked = collect(case, run, ("page", "history", "input", "answer"))[:-1]  # the answer is added below
        material, code = fence([*asked, ("first answer", first), ("second answer", second)])
        messages = (
            Message(role="system", content=prompt.fill("system", rubric=self.rubric.strip())),
            Message(role="user", content=prompt.fill("user", material=material, code=code)),
        )
        schema = reply_schema({"type": "string", "enum": list(_VERDICTS)})
        return Request(messages=messages, schema=schema, schema_name="verdict")

    def _weigh(self, ahead: Opinion, behind: Opinion, run: Trajectory) -> Score:
        signed: dict[str, Any] = {"version": self.revision, "producer": f"judge:{self.judge.name}"}
        parts = (
            _part("answer first", ahead, {"first": "win", "second": "loss", "tie": "tie"}, signed),
            _part("answer second", behind, {"first": "loss", "second": "win", "tie": "tie"}, signed),
        )
        whole = {**signed, "name": self.name, "cost": total_cost([ahead, behind]), "parts": parts}
        broken = next((part for part in parts if part.status == "error"), None)
        if broken is not None:
            return Score(**whole, status="error", reason=f"{broken.name}: {broken.reason}", raw=broken.raw)
        one, other = (part.label or "" for part in parts)
        evidence = (Evidence(quote=quoted(run.answer), turn=len(run.turns) - 1),)
        if one == other:
            return Score(**whole, value=_VALUE[one], label=one, reason=ahead.reason, confidence=1.0, evidence=evidence)
        note = f"the orders disagree: {one} when the answer comes first, {other} when it comes second"
        if ahead.verdict == behind.verdict:
            note = f"position bias: the judge chose the {ahead.verdict} answer in both orders"
        confidence = 0.5 if "tie" in (one, other) else 0.0
        return Score(
            **whole,
            value=0.5,
            label="tie",
            reason=note,
            confidence=confidence,
            evidence=(*evidence, Evidence(note=note)),
        )


def _part(name: str, opinion: Opinion, meaning: dict[str, str], signed: dict[str, Any]) -> Score:
    if opinion.failure is not None:
        return Score(**signed, name=name, status="error", reason=opinion.failure, raw=opinion.raw, cost=opinion.cost)
    if not isinstance(opinion.verdict, str) or opinion.verdict not in meaning:
        reason = f"the judge's verdict {quoted(repr(opinion.verdict), 60)} is none of {', '.join(_VERDICTS)}"
        return Score(**signed, name=name, status="error", reason=reason, raw=opinion.raw, cost=opinion.cost)
    label = meaning[opinion.verdict]
    return Score(**signed, name=name, value=_VALUE[label], label=label, reason=opinion.reason, cost=opinion.cost)
