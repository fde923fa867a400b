"""A call inside the test's process gives what a process of its own gives, and leaves nothing behind."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from pathlib import Path

import pytest

from proctor.text.known_secrets import known_secrets
from tests.cli.conftest import Project

AGENT = """\
import logging, subprocess, sys, warnings

def answer(text):
    logging.getLogger("agent").warning("said by a log")
    warnings.warn("said by a warning")
    print("said by Python")
    subprocess.run(["sh", "-c", "echo said by a child >&2"], check=True)
    return {word!r}
"""


@pytest.mark.parametrize(
    "words",
    [
        ("rnu",),
        ("list", "scorers"),
        ("doctor",),
        ("--debug", "run", "missing.yaml"),
    ],
    ids=" ".join,
)
def test_it_prints_and_exits_as_a_process_does(project: Project, words: tuple[str, ...]) -> None:
    project.write("suite.yaml", "cases:\n  - {id: a, input: hello, checks: [{exact: fine}]}\n")
    here, apart = (
        project.run(*words),
        project.run_process(*words),
    )
    assert (here.returncode, here.stdout) == (apart.returncode, apart.stdout)
    if "--debug" not in words:  # a traceback names the line that started the program
        assert here.stderr == apart.stderr
    else:
        assert here.stderr.splitlines()[-1] == apart.stderr.splitlines()[-1]


def test_what_user_code_prints_logs_and_warns_is_caught(project: Project) -> None:
    project.write("agent.py", AGENT.format(word="fine"))
    project.write("suite.yaml", "cases:\n  - {id: a, input: hello, checks: [{exact: fine}]}\n")
    words = ("run", "suite.yaml", "-t", "python:agent.py:answer", "-q")
    here, apart = project.run(*words, code=0), project.run_process(*words, code=0)
    parts = ("a log", "a warning", "Python", "a child")
    for done in (here, apart):
        told = done.stdout + done.stderr
        assert [part for part in parts if f"said by {part}" not in told] == []


def test_each_project_has_its_own_modules(project: Project, tmp_path: Path) -> None:
    project.write("suite.yaml", "cases:\n  - {id: a, input: hello, checks: [{exact: fine}]}\n")
    project.write("helper.py", "WORD = 'fine'\n")
    project.write("agent.py", "from helper import WORD\n\n\ndef answer(text):\n    return WORD\n")
    project.run("run", "suite.yaml", "-t", "python:agent:answer", "-q", code=0)
    other = Project(folder=tmp_path / "other", server=project.server)
    for name in ("suite.yaml", "proctor.yaml", "agent.py"):
        other.write(name, (project.folder / name).read_text())
    other.write("helper.py", "WORD = 'no'\n")
    other.run("run", "suite.yaml", "-t", "python:agent:answer", "-q", code=1)
    project.write("helper.py", "WORD = 'not this'\n")
    project.run("run", "suite.yaml", "-t", "python:agent:answer", "-q", code=1)


def test_nothing_is_left_behind(project: Project) -> None:
    project.write("suite.yaml", "cases:\n  - {id: a, input: hello, checks: [{exact: fine}]}\n")
    project.write("agent.py", AGENT.format(word="fine"))
    project.write(".env", "AGENT_API_KEY=a-long-and-secret-value-1234\n")
    before = _state()
    project.run("run", "suite.yaml", "-t", "python:agent:answer", code=0)
    assert _state() == before
    assert "agent" not in sys.modules


def _state() -> tuple[object, ...]:
    root = logging.getLogger()
    streams = (sys.stdin, sys.stdout, sys.stderr, sys.excepthook)
    variables = dict(os.environ)  # noqa: TID251 - to see that they are put back
    rest = (root.handlers[:], root.level, warnings.filters[:], known_secrets(), len(os.listdir("/proc/self/fd")))
    return (Path.cwd(), variables, sys.path[:], streams, *rest)
