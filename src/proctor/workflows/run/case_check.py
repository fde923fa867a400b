"""Single cases, put to a target and graded one at a time, with nothing kept: what test runs of other tools ask for."""

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
from proctor.wiring.scorers import Bench

__all__ = ["CaseChecker", "with_answer"]


class CaseChecker:
    """Checks single cases of one suite; scorers and models are made once and shared by all of them.

    ``bench`` makes the graders, so that a mistake in a check is found before anything is run.
    """

    def __init__(self, project: Project, suite: Suite, *, scorers: Sequence[Scorer] = ()) -> None:
        self.bench = Bench(suite, project.rack(), given=scorers)
        self._timeout = project.config.settings.run.timeout

    async def check(self, case: Case, target: Target) -> Result:
        """Put the case to the target and grade the answer, as a run would.

        Raises:
            InputError: a check of the case cannot be used.
        """
        results: list[Result] = []
        self.bench.graders(case)  # a mistake in a check is raised here; inside a run it would end the worker
        runner = Runner(
            graders=self.bench.graders,
            ledger=_NoLedger(),
            concurrency=1,
            timeout=self._timeout,
            heard=results.append,
        )
        await runner.run(units([case], [target], 1))
        return results[0]


class _NoLedger:
    """Keeps nothing: a test run is not resumed."""

    def finished(self, key: int) -> bool:
        return False

    def pending(self, key: int) -> Trajectory | None:
        return None

    def keep_trajectory(self, key: int, *, case: Case, target: str, sample: int, trajectory: Trajectory) -> None:
        pass

    def keep_result(self, key: int, result: Result) -> None:
        pass


def with_answer(case: Case | Mapping[str, Any] | str, answer: Any = None) -> Case:
    """The case, with an answer that exists already: its text, or a mapping as a target may return it.

    Raises:
        MalformedError: naming everything that is wrong with the case or the answer.
    """
    if answer is None:
        return make_case(case, {})
    recorded = [answer] if isinstance(answer, Mapping) and "turns" not in answer else answer
    if isinstance(case, Case):
        asks = [ask.text for ask in case.asks]
        return replace(case, recorded=make_case({"id": case.id, "turns": asks, "recorded": recorded}, {}).recorded)
    written = {"input": case} if isinstance(case, str) else dict(case)
    return make_case({**written, "recorded": recorded}, {})
