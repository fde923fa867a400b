"""A real browser and a real dashboard over a small simulated store, for the tests of the pages.

``dashboard``: a running server over a store of its own, which the test may change. ``dashboard.page(browser, "/alerts",
name="ben", role="auditor")`` is a signed-in page; a script error, a refused inline style, an alert box or a request to
anywhere else fails the test at its end. ``empty_dashboard`` has no store yet. ``desk``: the stores on this thread, to
call handlers as functions with ``asked(...)`` of served.py. A module with a browser runs no asyncio of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.server.pages.page_stores import PageStores
from tests.server.pages.served import ServedDashboard, open_desk, served
from tests.server.pages.simulated_store import make_store


@pytest.fixture(scope="session")
def simulated_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with some days of traffic, an alert and a rated audit; nobody changes it."""
    return make_store(tmp_path_factory.mktemp("dashboard") / "project")


@pytest.fixture
def project_folder(simulated_store: Path, tmp_path: Path) -> Path:
    """A copy of the simulated project, which the test may change."""
    return Path(shutil.copytree(simulated_store, tmp_path / "project"))


@pytest.fixture
def desk(project_folder: Path) -> Iterator[PageStores]:
    """The stores of the simulated project, on this thread."""
    with open_desk(project_folder) as opened:
        yield opened


@pytest.fixture
def dashboard(project_folder: Path) -> Iterator[ServedDashboard]:
    """A running dashboard over a copy of the simulated project."""
    yield from _running(project_folder)


@pytest.fixture
def empty_dashboard(tmp_path: Path) -> Iterator[ServedDashboard]:
    """A running dashboard of a project in which nothing has happened."""
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "proctor.yaml").write_text("", encoding="utf-8")
    yield from _running(folder)


def _running(folder: Path) -> Iterator[ServedDashboard]:
    with served(folder) as running:
        yield running
        running.close()
        assert running.problems == []
