"""A target whose attacks are run beside their benign twins, each on a fresh world."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from proctor.core.attack import AttackAttempt, Observation, attempt_of, twin_case
from proctor.core.case import Case
from proctor.core.errors import MalformedError
from proctor.core.sockets import Conversation, Talking, Target
from proctor.core.trajectory import Trajectory
from proctor.core.world import WorldRecord, with_twin, with_world
from proctor.targets.attack_stage import AttackStage
from proctor.targets.play_case import drive

__all__ = ["Twinned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Twinned:
    """A target that runs the benign twin after each attempt; other cases it runs unchanged.

    The attempt and its twin are two conversations, one after the other. A twin that fails has its error in its own
    trajectory. ``declared`` is what the project says that the target shows; ``timeout`` is in seconds and for each
    of the two.
    """

    target: Target
    declared: tuple[Observation, ...] | None = None
    timeout: float | None = None

    @property
    def name(self) -> str:
        """The name shown in reports."""
        return self.target.name

    @property
    def spec(self) -> Mapping[str, Any]:
        """The settings that decide the behaviour of the target."""
        return self.target.spec

    @property
    def shows(self) -> tuple[Observation, ...]:
        """What the target shows of itself: as declared, or words alone."""
        return self.declared or getattr(self.target, "shows", None) or ("words",)

    def within(self, seconds: float | None) -> Twinned:
        """Return the same target with this time limit for each conversation."""
        return replace(self, timeout=seconds)

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Run the case; for an attack also its twin, which is kept in the metadata of the trajectory."""
        if case.recorded is not None:
            return await self.target.run(case, sample=sample)
        try:
            attempt = attempt_of(case)
        except MalformedError as error:
            return self._failed(f"the attack of this case is malformed: {error}")
        if attempt is None:
            return await self.target.run(case, sample=sample)
        made = await self._play(case, attempt, sample)
        if made.error is not None or (case.asks and not attempt.twin_turns):
            return made
        harmless = twin_case(case, attempt)
        twin = await self._play(harmless, attempt_of(harmless) or attempt, sample)
        if twin.error_kind == "budget":  # not run for lack of money: a resumed run must put both again
            made = replace(made, error=f"the benign twin was not run: {twin.error}", error_kind="budget")
        return with_twin(made, twin)

    async def _play(self, case: Case, attempt: AttackAttempt, sample: int) -> Trajectory:
        stages: list[AttackStage] = []
        talking = self.target if isinstance(self.target, Talking) and getattr(self.target, "talks", True) else None

        def begin(on: Talking) -> Conversation:
            stages.append(AttackStage(on.begin(case, sample=sample), attempt, self.shows))
            return stages[0]

        try:
            async with asyncio.timeout(self.timeout):
                if talking is None:
                    made = await self._whole(case, attempt, sample)
                else:
                    made = await drive(case, partial(begin, talking), target=self.name)
        except TimeoutError:
            message = f"no answer within {self.timeout:g} s" if self.timeout else "timed out"
            made = replace(self._failed(message), error_kind="timeout")
        except Exception as error:  # a broken target is one error record; the attempt must survive its twin
            made = self._failed(f"the target broke: {type(error).__name__}: {error}"[:500])
        return with_world(made, stages[0].world if stages else WorldRecord(shows=self.shows))

    async def _whole(self, case: Case, attempt: AttackAttempt, sample: int) -> Trajectory:
        """Run a case on a target without turns: nothing can be planted, and no session begun."""
        wanted = next((f"a text at {plant.at!r}" for plant in attempt.plants), None)
        wanted = wanted or ("a new session" if attempt.new_session else None)
        if wanted is None:
            return await self.target.run(case, sample=sample)
        hint = "a Python class or an HTTP target can: see docs/targets.md, part `Targets under attack`"
        return self._failed(f"the attack needs {wanted}, which this kind of target cannot give\n  hint: {hint}")

    def _failed(self, message: str) -> Trajectory:
        return Trajectory(target=self.name, error=message, error_kind="target")
