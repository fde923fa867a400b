"""The example's tests are what its prompt makes today, and a script that keeps its rules passes them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.in_process import call

EXAMPLE = Path(__file__).parents[2] / "examples" / "ticket_tags"


def proctor(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return call(words, folder=folder, env=os.environ)  # noqa: TID251 - it gets what this test has


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "ticket_tags"))


def test_the_files_are_up_to_date_and_made_anew_the_same(copy: Path) -> None:
    before = {path.name: path.read_bytes() for path in (copy / "ticket-tags.tests").iterdir()}
    assert "up to date" in proctor(copy, "generate", "ticket-tags.prompty").stdout
    shutil.rmtree(copy / "ticket-tags.tests")
    assert proctor(copy, "generate", "ticket-tags.prompty").returncode == 0
    assert {path.name: path.read_bytes() for path in (copy / "ticket-tags.tests").iterdir()} == before


def test_a_script_that_keeps_the_rules_passes(copy: Path) -> None:
    done = proctor(copy, "run", "ticket-tags.prompty", "-m", "rule:tagger.py:tag", "--light", "-q")
    assert (done.returncode, done.stdout.split(":")[0]) == (0, "PASSED"), done.stdout + done.stderr
