"""Tests put to one version of a prompt, each output held against the original rules."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.rule import Rule
from proctor.core.sockets import Model
from proctor.core.trajectory import Trajectory, Turn
from proctor.prompts.prompt import Prompt
from proctor.prompts.render import compile_prompt
from proctor.scorers.answer.rules import Rules
from proctor.targets.prompt import PromptTarget

__all__ = ["Examiner", "Tried", "Verdicts", "has_err", "is_pass"]

Verdicts = Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One answer and the verdict on each rule: ``ok``, ``err``, ``na`` or ``unknown``, with its reason."""

    output: str = ""
    verdicts: Verdicts = field(default_factory=dict)
    error: str = ""
    out_of_budget: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Examiner:
    """Puts tests to a version of a prompt on one model and judges by the rules of the original."""

    model: Model
    judges: tuple[Model, ...]
    rules: tuple[Rule, ...]
    samples: int
    slots: asyncio.Semaphore
    timeout: float | None = None

    async def round(
        self, prompt: Prompt, cases: Sequence[Case], *, samples_from: int = 0
    ) -> dict[str, tuple[Tried, ...]]:
        """Every case put as many times as there are samples; by the id of the case."""
        target = PromptTarget(
            name=prompt.name,
            compiled=compile_prompt(prompt),
            model=self.model,
            sampling=prompt.sampling,
            schema=prompt.schema,
        )
        units = [(case, samples_from + number) for case in cases for number in range(self.samples)]
        found = await asyncio.gather(*(self._one(target, case, sample) for case, sample in units))
        by: dict[str, list[Tried]] = {case.id: [] for case in cases}
        for (case, _), tried in zip(units, found, strict=True):
            by[case.id].append(tried)
        return {name: tuple(several) for name, several in by.items()}

    async def verdicts(self, case: Case, output: str, rules: Sequence[Rule]) -> Verdicts:
        """What these rules say of an output that was not drawn from the model."""
        turn = Turn(messages=(Message(role="assistant", content=output),))
        return await self._judged(case, Trajectory(turns=(turn,)), tuple(rules))

    async def _one(self, target: PromptTarget, case: Case, sample: int) -> Tried:
        async with self.slots:
            try:
                async with asyncio.timeout(self.timeout):
                    run = await target.run(case, sample=sample)
            except TimeoutError:
                return Tried(error=f"no answer within {self.timeout:g} s")
            if run.error is not None:
                return Tried(error=run.error, out_of_budget=run.error_kind == "budget")
            return Tried(output=run.answer, verdicts=await self._judged(case, run, self.rules))

    async def _judged(self, case: Case, run: Trajectory, rules: tuple[Rule, ...]) -> Verdicts:
        score = await Rules(rules=rules, judges=self.judges).score(case, run)
        return {part.name: (part.label or "unknown", part.reason) for part in score.parts}


def is_pass(runs: Sequence[Tried]) -> bool:
    """Whether every sample was judged and none broke a rule."""
    return bool(runs) and all(
        any(outcome == "ok" for outcome, _ in each.verdicts.values()) and not _broken(each) for each in runs
    )


def has_err(runs: Sequence[Tried]) -> bool:
    """Whether some sample broke a rule."""
    return any(_broken(each) for each in runs)


def _broken(tried: Tried) -> bool:
    return any(outcome == "err" for outcome, _ in tried.verdicts.values())
