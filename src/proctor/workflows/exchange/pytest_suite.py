"""Run the cases of an exported pytest file: each case against a model, graded as in a run."""

from __future__ import annotations

import atexit
import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from proctor.config import Config, find_config, load_config, read_environment
from proctor.core.case import Case
from proctor.core.errors import ConfigError
from proctor.core.sockets import Target
from proctor.project import Project
from proctor.suites.load import open_suite
from proctor.workflows.run.case_check import CaseChecker

__all__ = ["PytestSuite", "PytestVerdict"]

MODEL, JUDGE = "PROCTOR_TEST_MODEL", "PROCTOR_TEST_JUDGE"


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestVerdict:
    """The result of one case on one model; ``unscored`` if it could not be judged."""

    passed: bool
    unscored: bool
    reason: str
    answer: str = ""


class PytestSuite:
    """The cases of an exported suite. Models are connected at the first check and shared."""

    def __init__(self, file: str, *, suite: str, prompt: str, models: Sequence[str] = ()) -> None:
        self._folder = Path(file).parent
        self._prompt = prompt
        self._models = tuple(models)
        self._loaded = open_suite(self._folder / suite)
        self._cases: dict[str, Case] = {case.id: case for case in self._loaded.cases()}
        self._targets: dict[str, Target] = {}
        self._verdicts: dict[tuple[str, str], PytestVerdict] = {}

    @property
    def unjudged_share(self) -> float | None:
        """The share of the checked cases that could not be judged; ``None`` if none was checked."""
        if not self._verdicts:
            return None
        return sum(verdict.unscored for verdict in self._verdicts.values()) / len(self._verdicts)

    @property
    def unjudged_reason(self) -> str:
        """How many cases could not be judged, and the most frequent reason."""
        reasons = Counter(verdict.reason for verdict in self._verdicts.values() if verdict.unscored)
        most = f", mostly: {reasons.most_common(1)[0][0]}" if reasons else ""
        return (
            f"{sum(reasons.values())} of {len(self._verdicts)} tests could not be judged{most}; "
            f"name a judge in {JUDGE}, or raise ALLOWED_UNJUDGED"
        )

    @property
    def case_ids(self) -> Sequence[str]:
        """All case ids."""
        return list(self._cases)

    @cached_property
    def models(self) -> Sequence[str]:
        """The models under test; an empty name is the project's default model."""
        chosen = [each.strip() for each in (self._config.environment.get(MODEL) or "").split(",") if each.strip()]
        return chosen or self._models or [self._config.settings.model or ""]

    def check(self, case_id: str, model: str) -> PytestVerdict:
        """Run the case on the model and grade the answer.

        Raises:
            InputError: there is no such model, or a setting is wrong.
        """
        if not model:
            raise ConfigError("no model is set", hint=f"name one in {MODEL}, or as `model:` in proctor.yaml")
        if model not in self._targets:
            path = str((self._folder / self._prompt).resolve())
            (self._targets[model],) = self._project.targets([path], [model] if model else [])
        result = self._project.run_sync(self._checker.check(self._cases[case_id], self._targets[model]))
        verdict = PytestVerdict(
            passed=result.outcome == "pass",
            unscored=result.outcome == "unscored",
            reason=result.reason,
            answer=result.trajectory.answer,
        )
        self._verdicts[case_id, model] = verdict
        return verdict

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
