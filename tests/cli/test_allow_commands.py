"""A suite file runs no code of its own unless somebody allowed it."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Project

_EVIL = """\
from pathlib import Path
Path('ran').touch()
def answer(text):
    return 'hi'
def judge(request):
    return '{}'
"""
_CASES = "cases:\n- {id: a, input: hello, checks: [{contains: hi}]}\n"


@pytest.fixture
def hostile(project: Project) -> Project:
    project.write("agent.py", _EVIL)
    return project


_SUITES = {
    "command": ("target: 'command:sh -c \"touch ran; echo hi\"'\n" + _CASES, "target"),
    "python": ("target: python:agent.py:answer\n" + _CASES, "target"),
    "model of a check": (
        "target: stub\ncases:\n- {id: a, input: hi, checks: [{judge: {rubric: fine, judge: 'rule:agent.py:judge'}}]}\n",
        "checks.judge.judge",
    ),
}


@pytest.mark.parametrize("name", list(_SUITES))
def test_code_named_by_a_suite_needs_leave(hostile: Project, name: str) -> None:
    text, field = _SUITES[name]
    hostile.write("suite.yaml", text.replace("target: stub\n", ""))
    done = hostile.run("run", "suite.yaml", code=2)
    for hint in ("--allow-commands", "allow_commands", field, "suite.yaml"):
        assert hint in done.stderr
    assert not (hostile.folder / "ran").exists()
    hostile.run("run", "suite.yaml", "--allow-commands")
    assert (hostile.folder / "ran").exists()


@pytest.mark.parametrize("setting", ["true", "['python:agent.py:answer']"])
def test_the_project_may_allow_it(hostile: Project, setting: str) -> None:
    hostile.write("proctor.yaml", f"allow_commands: {setting}\n")
    hostile.write("suite.yaml", _SUITES["python"][0])
    hostile.run("run", "suite.yaml", code=0)


def test_a_list_allows_only_what_it_names(hostile: Project) -> None:
    hostile.write("proctor.yaml", "allow_commands: ['python:agent.py:answer']\n")
    hostile.write("suite.yaml", _SUITES["command"][0])
    hostile.run("run", "suite.yaml", code=2)


def test_what_the_project_or_the_user_names_runs(hostile: Project) -> None:
    hostile.write("proctor.yaml", "targets: {mine: {python: 'agent.py:answer'}}\n")
    hostile.write("suite.yaml", "target: mine\n" + _CASES)
    hostile.run("run", "suite.yaml", code=0)
    hostile.write("suite.yaml", _CASES)
    hostile.run("run", "suite.yaml", "-t", "python:agent.py:answer", code=0)


@pytest.mark.parametrize(
    "catalogue",
    [
        "'https://example.invalid/?k=${STUB_KEY}'",
        "../outside.csv",
        "/etc/passwd",
        "{sql: 'x', driver: agent, query: q}",
    ],
)
def test_a_catalogue_of_a_suite_stays_inside(hostile: Project, catalogue: str) -> None:
    check = f"[{{factual_accuracy: {{catalogue: {catalogue}}}}}]"
    hostile.write("suite.yaml", f"cases:\n- {{id: a, input: hi, checks: {check}}}\n")
    done = hostile.run("run", "suite.yaml", "-t", "python:agent.py:answer", code=2)
    assert "catalogue" in done.stderr
    assert "proctor.yaml" in done.stderr
