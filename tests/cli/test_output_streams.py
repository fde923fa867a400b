"""Output that cannot be written: a closed stream, a full disk. What a verb does is done all the same."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Project

Suite = Callable[..., str]
_FULL = Path("/dev/full")


def _shell(project: Project, redirection: str, *words: str) -> subprocess.CompletedProcess[str]:
    line = f'exec "$@" {redirection}'
    command = ["sh", "-c", line, "sh", *PROGRAM, *words]
    variables = project.variables()
    return subprocess.run(
        command, cwd=project.folder, env=variables, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("words", [("list", "scorers"), ("--help",), ("doctor",)])
def test_a_closed_output_is_no_failure(project: Project, words: tuple[str, ...]) -> None:
    done = _shell(project, ">&-", *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_run_without_any_stream_has_its_own_exit_code_and_results(project: Project, suite_of: Suite) -> None:
    assert _shell(project, "<&- >&- 2>&-", "run", suite_of(3)).returncode == 0
    assert _shell(project, "<&- >&- 2>&-", "run", suite_of(3, bad=(1,))).returncode == 1
    assert "1 of 3 failed" in project.run("show", "last", code=0).stdout
    assert (project.folder / ".proctor" / "proctor.db").read_bytes().startswith(b"SQLite format 3")


@pytest.mark.skipif(not _FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", [("list", "scorers"), ("run", "suite.jsonl"), ("run", "suite.jsonl", "-q")])
def test_a_full_disk_under_the_output_is_said(project: Project, suite_of: Suite, words: tuple[str, ...]) -> None:
    suite_of(3)
    done = _shell(project, f"> {_FULL}", *words)
    assert done.returncode == 3
    assert "error: the output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    if words[0] == "run":
        assert "3 of 3 passed" in project.run("show", "last", code=0).stdout
