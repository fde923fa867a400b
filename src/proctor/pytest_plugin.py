"""pytest plugin: runs the cases of a suite as tests (`pytest --proctor SUITE`); has the fixture `assert_case`.

pytest imports this module at every start, so all other imports are inside functions.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from proctor.pytest_items import AssertCase, SuiteFile, TestProject

__all__ = [
    "assert_case",
    "pytest_addoption",
    "pytest_collect_directory",
    "pytest_collect_file",
    "pytest_configure",
    "pytest_unconfigure",
]

_PROJECT = pytest.StashKey["TestProject"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the group "proctor"."""
    group = parser.getgroup("proctor", "cases of Proctor suites")
    group.addoption(
        "--proctor",
        dest="proctor_suites",
        action="append",
        default=[],
        metavar="SUITE",
        help="Run each case of SUITE as a test: a file, a folder, a prompt with generated tests, or a name in"
        " proctor.yaml. May be repeated.",
    )
    group.addoption(
        "--proctor-target",
        dest="proctor_targets",
        action="append",
        default=[],
        metavar="TARGET",
        help="Target of the cases, as `proctor run --target` takes it. May be repeated.",
    )
    group.addoption(
        "--proctor-model",
        dest="proctor_models",
        action="append",
        default=[],
        metavar="MODEL",
        help="Model for prompt targets: a name in proctor.yaml or provider:model. May be repeated.",
    )
    group.addoption(
        "--proctor-judge", dest="proctor_judge", metavar="MODEL", help="Model that judges what rules cannot."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and add the suites to the collected paths."""
    config.addinivalue_line("markers", "proctor: a case of a Proctor suite (`pytest --proctor SUITE`)")
    if config.option.proctor_suites:
        known = set(config.args)
        config.args.extend(path for path in map(str, _project(config).suites) if path not in known)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close the project if it was opened."""
    if (project := config.stash.get(_PROJECT, None)) is not None:
        del config.stash[_PROJECT]
        project.close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
    """Collect a suite file named with --proctor."""
    return _suite(file_path, parent)


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> SuiteFile | None:
    """Collect a folder of suite files named with --proctor."""
    return _suite(path, parent)


@pytest.fixture
def assert_case(pytestconfig: pytest.Config) -> AssertCase:
    """Return the check `assert_case(case, answer_or_function)`."""
    from proctor.pytest_items import AssertCase  # noqa: PLC0415 - only tests that use it pay for it

    try:
        return AssertCase(_project(pytestconfig))
    except pytest.UsageError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def _suite(path: Path, parent: pytest.Collector) -> SuiteFile | None:
    if not parent.config.option.proctor_suites:
        return None
    project = _project(parent.config)
    if path not in project.suites:
        return None
    from proctor.pytest_items import SuiteFile  # noqa: PLC0415

    return SuiteFile.from_parent(parent, path=path, project=project)


def _project(config: pytest.Config) -> TestProject:
    if _PROJECT not in config.stash:
        from proctor.core.errors import ProctorError  # noqa: PLC0415
        from proctor.pytest_items import TestProject  # noqa: PLC0415

        try:
            config.stash[_PROJECT] = TestProject(config)
        except ProctorError as error:
            raise pytest.UsageError(str(error)) from error
    return config.stash[_PROJECT]
