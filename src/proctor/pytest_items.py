"""Cases as pytest items, and the check behind the fixture `assert_case`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proctor.config import find_config, load_config, read_environment
from proctor.core.case import Case, Suite
from proctor.core.errors import ProctorError
from proctor.core.report import Result
from proctor.core.sockets import Target
from proctor.project import Project
from proctor.report.case_text import case_text
from proctor.suites.load import LoadedSuite
from proctor.suites.memory_suite import PLACE
from proctor.targets.recording import RecordingTarget
from proctor.wiring.scorers import check_graders
from proctor.wiring.targets import make_targets
from proctor.workflows.evaluate import Scorers, given_scorers, given_target
from proctor.workflows.run.case_check import CaseChecker, with_answer
from proctor.workflows.run.prompt_suite import existing_suite_path, open_tests
from proctor.workflows.run.suite_source import Opened

__all__ = ["AssertCase", "CaseItem", "SuiteFile", "TestProject", "UnscoredCaseError"]


class UnscoredCaseError(Exception):
    """A case could not be judged: the target gave no answer, or a scorer failed."""


class TestProject:
    """The project of a test run: that of the folder where pytest was started, with the command-line options."""

    __test__ = False  # pytest must not collect this class

    def __init__(self, config: pytest.Config) -> None:
        start = config.invocation_params.dir
        found = load_config(find_config(start), read_environment(start), start=start)
        if judge := config.option.proctor_judge:
            found = replace(found, settings=replace(found.settings, judge=judge))
        self.project = Project(found)
        self.suites = [existing_suite_path(name, found, start).resolve() for name in config.option.proctor_suites]
        self._targets: list[str] = config.option.proctor_targets
        self._models: list[str] = config.option.proctor_models

    def open_suite(self, path: Path) -> Opened:
        """Return the suite at that path, or the tests generated from a prompt."""
        return open_tests(path, judged=self.project.config.settings.judge is not None)

    def targets(self, opened: Opened | None = None) -> list[Target]:
        """Return the targets named on the command line, or the default of the suite or the project."""
        return make_targets(
            self._targets,
            self._models,
            config=self.project.config,
            model_pool=self.project.model_pool(),
            http=self.project.http,
            prompt=opened.prompt if opened else None,
            suite=opened.loaded if opened else None,
        )

    def close(self) -> None:
        """Close the project."""
        self.project.close()


class SuiteFile(pytest.File):
    """A suite file or a folder of suite files; its cases are the tests."""

    def __init__(self, *, project: TestProject, **node: Any) -> None:
        super().__init__(**node)
        self.tested = project

    def collect(self) -> Iterator[CaseItem]:
        """Yield one item per case and target; an error in the suite is shown without a traceback."""
        try:
            opened = self.tested.open_suite(self.path)
            checker = CaseChecker(self.tested.project, opened.loaded.suite)
            targets = self.tested.targets(opened)
            for case in opened.loaded.cases():
                check_graders(checker.grader_factory, case, opened.loaded)
                for target in targets:
                    name = f"{case.id}[{target.name}]" if len(targets) > 1 else case.id
                    yield CaseItem.from_parent(
                        self, name=name, case=case, target=target, checker=checker, loaded=opened.loaded
                    )
        except ProctorError as error:
            raise self.CollectError(str(error)) from error


class CaseItem(pytest.Item):
    """One case run against one target.

    The answer is fetched and graded in the setup phase. So pytest reports a case that could not be judged as an error,
    and one that did not pass as a failure.
    """

    def __init__(self, *, case: Case, target: Target, checker: CaseChecker, loaded: LoadedSuite, **node: Any) -> None:
        super().__init__(**node)
        self.case, self.target = case, target
        self.add_marker("proctor")
        self.extra_keyword_matches.update((*case.tags, *((case.intent,) if case.intent else ())))
        self._checker, self._loaded = checker, loaded
        self._result: Result | None = None

    def setup(self) -> None:
        """Run the case against the target and grade the answer."""
        assert isinstance(self.parent, SuiteFile)
        try:
            self._result = self.parent.tested.project.run_sync(self._checker.check(self.case, self.target))
        except ProctorError as error:
            pytest.fail(str(error), pytrace=False)
        if self._result.outcome == "unscored":
            pytest.fail(self._text(self._result), pytrace=False)

    def runtest(self) -> None:
        """Fail with the causes if the case did not pass."""
        assert self._result is not None
        if self._result.outcome == "fail":
            pytest.fail(self._text(self._result), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the suite file and the name of the case."""
        return self.path, None, self.name

    def _text(self, result: Result) -> str:
        file, line = self._loaded.place(self.case.id) or (self.path, None)
        return case_text(result, f"{file}:{line}" if line else str(file))


class AssertCase:
    """The fixture `assert_case`: checks answers against cases inside ordinary tests."""

    def __init__(self, project: TestProject) -> None:
        self._tested = project

    def __call__(
        self,
        case: Case | Mapping[str, Any] | str,
        answer: str | Mapping[str, Any] | Callable[..., Any] | Target | None = None,
        *,
        scorers: Scorers = (),
    ) -> Result:
        """Return the result if the case passes.

        ``answer`` is the answer's text, a mapping with `answer` and `tool_calls`, a function that answers, or a Target.
        Without it, the target of the command line or of proctor.yaml answers.

        Raises:
            AssertionError: the case failed; the text names the causes.
            UnscoredCaseError: it could not be judged.
            InputError: the case, a check or the target is wrong.
        """
        __tracebackhide__ = True
        try:
            result = self._result(case, answer, scorers)
        except ProctorError as error:
            raise error.with_traceback(None) from None  # the traceback of Proctor's own code does not help the user
        if result.outcome == "unscored":
            raise UnscoredCaseError(case_text(result))
        if result.outcome == "fail":
            raise AssertionError(case_text(result))
        return result

    def _result(self, case: Case | Mapping[str, Any] | str, answer: Any, scorers: Scorers) -> Result:
        checks, live = given_scorers(scorers)
        checker = CaseChecker(self._tested.project, Suite(name="assert_case", scorers=checks), scorers=live)
        given = isinstance(answer, (str, Mapping))
        asked = with_answer(case, answer if given else None)
        return self._tested.project.run_sync(checker.check(asked, self._target(answer, given or asked.recorded)))

    def _target(self, answer: Any, recorded: Any) -> Target:
        if answer is not None and not isinstance(answer, (str, Mapping)):
            return given_target(answer)
        if recorded:
            return RecordingTarget(name="given answer", path=PLACE, index={})
        return self._tested.targets()[0]
