"""A copy of the project that the version before wrote, and the program called in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.in_process import call

FILES = Path(__file__).parent / "files"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """A project folder of the version before; `runs` has the id of each of its runs by what it is."""

    folder: Path
    runs: Mapping[str, str]

    def run(self, *words: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Call the program of today in the folder."""
        kept: Mapping[str, str] = os.environ  # noqa: TID251 - the program gets what this test has
        done = call(words, folder=self.folder, env={**kept, "COLUMNS": "200"})
        if code is not None:
            assert done.returncode == code, done.stdout + done.stderr
        return done


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """The project, in another place than it was written in."""
    folder = tmp_path / "shop"
    shutil.copytree(FILES / "shop", folder)
    runs = dict(line.split() for line in (FILES / "runs.txt").read_text(encoding="utf-8").splitlines())
    return Shop(folder=folder, runs=runs)
