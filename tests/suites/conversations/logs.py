"""Files with conversations, written for a test."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory
from proctor.suites.conversations import open_conversations


def lines(folder: Path, *rows: Any, name: str = "log.jsonl") -> Path:
    path = folder / name
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def cases(path: Path, form: str = "auto") -> list[Case]:
    return list(open_conversations(path, form))


def only(path: Path, form: str = "auto") -> tuple[Case, Trajectory]:
    (case,) = cases(path, form)
    assert case.recorded is not None
    return case, case.recorded


def words(run: Trajectory) -> list[tuple[str, str]]:
    return [(turn.asked, turn.answer) for turn in run.turns]
