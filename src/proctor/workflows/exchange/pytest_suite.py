"""What an exported pytest file runs on: one case at a time, put to a model and graded as a run would."""

from __future__ import annotations

import atexit
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from proctor.config import Config, find_config, load_config, read_environment
from proctor.core.case import Case
from proctor.core.sockets import Target
from proctor.project import Project
from proctor.suites.load import open_suite
from proctor.workflows.run.case_check import CaseChecker

__all__ = ["PytestSuite", "PytestVerdict"]

MODEL, JUDGE = "PROCTOR_TEST_MODEL", "PROCTOR_TEST_JUDGE"


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestVerdict:
    """What came of one case on one model; ``unscored`` when nobody could say."""

    passed: bool
    unscored: bool
    reason: str
    answer: str = ""


class PytestSuite:
    """The cases of an exported suite. Models are connected at the first check and shared by all of them."""

    def __init__(self, file: str, *, suite: str, prompt: str) -> None:
        self._folder = Path(file).parent
        self._prompt = prompt
        self._loaded = open_suite(self._folder / suite)
        self._cases: dict[str, Case] = {case.id: case for case in self._loaded.cases()}
        self._targets: dict[str, Target] = {}

    @property
    def case_ids(self) -> Sequence[str]:
        """Every case, by its id."""
        return list(self._cases)

    @cached_property
    def models(self) -> Sequence[str]:
        """The models under test; one without a name stands for the project's own."""
        told = self._config.environment.get(MODEL) or self._config.settings.model or ""
        return [each.strip() for each in told.split(",") if each.strip()] or [""]

    def check(self, case_id: str, model: str) -> PytestVerdict:
        """Put the case to the model and grade the answer.

        Raises:
            InputError: there is no such model, or a setting is wrong.
        """
        if model not in self._targets:
            path = str((self._folder / self._prompt).resolve())
            (self._targets[model],) = self._project.targets([path], [model] if model else [])
        result = self._project.run_sync(self._checker.check(self._cases[case_id], self._targets[model]))
        return PytestVerdict(
            passed=result.outcome == "pass",
            unscored=result.outcome == "unscored",
            reason=result.reason,
            answer=result.trajectory.answer,
        )

    @cached_property
    def _config(self) -> Config:
        start = self._folder.resolve()
        environment = read_environment(start)
        config = load_config(find_config(start), environment, start=start)
        judge = environment.get(JUDGE)
        return (
            dataclasses.replace(config, settings=dataclasses.replace(config.settings, judge=judge)) if judge else config
        )

    @cached_property
    def _project(self) -> Project:
        project = Project(self._config)
        atexit.register(project.close)
        return project

    @cached_property
    def _checker(self) -> CaseChecker:
        return CaseChecker(self._project, self._loaded.suite)
