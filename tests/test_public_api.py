"""What `import proctor` offers, and what it costs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import proctor


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys, json; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_package_loads_nothing_else_of_it() -> None:
    assert {name for name in _loaded_by("import proctor") if name.startswith("proctor.")} == set()


def test_help_loads_no_guard() -> None:
    loaded = _loaded_by("from proctor.cli.main import cli; cli.main(['--help'], standalone_mode=False)")
    assert not {
        name
        for name in loaded
        if name.startswith(
            ("proctor.guard", "proctor.wiring", "proctor.workflows", "proctor.server", "proctor.project")
        )
    }


def test_a_guard_loads_no_model_before_it_is_made() -> None:
    loaded = _loaded_by("from proctor import Guard, guarded, guarded_tool")
    assert "proctor.wiring.guard" in loaded
    assert not {"onnxruntime", "numpy", "tokenizers", "sqlite3", "aiohttp"} & loaded


def test_a_project_loads_no_database_network_or_model_before_it_needs_one() -> None:
    loaded = _loaded_by("from proctor import Project, evaluate; Project.open()")
    assert "proctor.project" in loaded
    assert not {"onnxruntime", "numpy", "tokenizers", "sqlite3", "aiohttp", "proctor.workflows.run.job"} & loaded


def test_pytest_starts_with_the_plugin_alone() -> None:
    loaded = _loaded_by("import proctor.pytest_plugin")
    assert {name for name in loaded if name.startswith("proctor.")} == {"proctor.pytest_plugin"}


def test_what_is_offered_is_what_it_says() -> None:
    from proctor import Guard, guarded, guarded_tool
    from proctor.guard.current_session import guarded_tool as tool
    from proctor.wiring.guard import Guard as Made
    from proctor.wiring.wrap_target import guarded as wrapped

    assert (Guard, guarded, guarded_tool) == (Made, wrapped, tool)
    from proctor import Evaluation, Project, evaluate
    from proctor.project import Project as Opened
    from proctor.project import evaluate as evaluated
    from proctor.workflows.evaluation import Evaluation as Result

    assert (Evaluation, Project, evaluate) == (Result, Opened, evaluated)
    assert {"Evaluation", "Guard", "Project", "evaluate", "guarded", "guarded_tool"} <= set(dir(proctor))
    with pytest.raises(AttributeError, match="no attribute 'Gaurd'"):
        getattr(proctor, "Gaurd")  # noqa: B009 - what a user may write
