"""Run and grade single cases without storing them, for test runners such as pytest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor.core.case import Case, Suite
from proctor.core.report import Result
from proctor.core.sockets import Scorer, Target
from proctor.core.trajectory import Trajectory
from proctor.project import Project
from proctor.runner.run import Runner
from proctor.runner.unit import units
from proctor.suites.case_shorthand import make_case
from proctor.wiring.scorers import GraderFactory

__all__ = ["CaseChecker", "with_answer"]


class CaseChecker:
    """Checks single cases of one suite; scorers and models are created once and shared.

    ``grader_factory`` creates the graders, so that an error in a check is found before the target is called.
    """

    def __init__(self, project: Project, suite: Suite, *, scorers: Sequence[Scorer] = ()) -> None:
        self.grader_factory = GraderFactory(suite, project.model_pool(), given=scorers)
        self._timeout = project.config.settings.run.timeout

    async def check(self, case: Case, target: Target) -> Result:
        """Run the case against the target and grade the answer, as in a run.

        Raises:
            InputError: a check of the case is invalid.
        """
        results: list[Result] = []
        self.grader_factory.graders(case)  # raise errors in checks here; inside a run they would end the worker
        runner = Runner(
            graders=self.grader_factory.graders,
            ledger=_NoLedger(),
            concurrency=1,
            timeout=self._timeout,
            heard=results.append,
        )
        await runner.run(units([case], [target], 1))
        return results[0]


class _NoLedger:
    """A ledger that stores nothing: a test run is not resumed."""

    def finished(self, key: int) -> bool:
        return False

    def pending(self, key: int) -> Trajectory | None:
        return None

    def keep_trajectory(self, key: int, *, case: Case, target: str, sample: int, trajectory: Trajectory) -> None:
        pass

    def keep_result(self, key: int, result: Result) -> None:
        pass


def with_answer(case: Case | Mapping[str, Any] | str, answer: Any = None) -> Case:
    """Return the case with an existing answer: a text, or a mapping as returned by a target.

    Raises:
        MalformedError: the case or the answer is invalid; all problems are listed.
    """
    if answer is None:
        return make_case(case, {})
    recorded = [answer] if isinstance(answer, Mapping) and "turns" not in answer else answer
    if isinstance(case, Case):
        asks = [ask.text for ask in case.asks]
        return replace(case, recorded=make_case({"id": case.id, "turns": asks, "recorded": recorded}, {}).recorded)
    written = {"input": case} if isinstance(case, str) else dict(case)
    return make_case({**written, "recorded": recorded}, {})
