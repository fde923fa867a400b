"""A fresh copy of an example, to be run as a reader would."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.cli.conftest import Project
from tests.cli.server import ChatServer

__all__ = ["copied"]

_EXAMPLES = Path(__file__).parents[2] / "examples"
_NOT_IN_GIT = (".proctor", "out", "__pycache__")


def copied(name: str, folder: Path, server: ChatServer) -> Project:
    """Copy what git keeps, without runs or databases that lie about."""
    shutil.copytree(_EXAMPLES / name, folder, ignore=shutil.ignore_patterns(*_NOT_IN_GIT), dirs_exist_ok=True)
    return Project(folder=folder, server=server)
