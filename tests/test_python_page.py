"""The examples of docs/python.md, run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
TESTS = [block for block in BLOCKS if block.startswith("def test_")]
PROGRAMS = [block for block in BLOCKS if block not in TESTS]


def test_the_page_has_examples() -> None:
    assert len(PROGRAMS) == 5
    assert len(TESTS) == 1


@pytest.mark.parametrize("code", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_prints_what_its_comments_say(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "python_page"}
    monkeypatch.setitem(sys.modules, "python_page", type(sys)("python_page"))  # dataclasses look their module up
    exec(compile(code, "python.md", "exec"), space)
    printed = capsys.readouterr().out.splitlines()
    expected = re.findall(r"print\(.*\)  # (.*)", code)
    assert expected
    for words in expected:
        assert words in printed


def test_the_tests_of_the_page_pass(tmp_path: Path) -> None:
    (tmp_path / "test_page.py").write_text(TESTS[0], encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:langsmith_plugin"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "3 passed" in done.stdout, done.stdout + done.stderr
