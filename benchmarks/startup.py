"""What a command costs before it does any work: `python -m benchmarks.startup`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.processes import Measured, hurry, measure
from benchmarks.project import proctor
from benchmarks.table import Row, markdown

__all__ = ["startup"]

OURS = "Proctor"
ROUNDS = 10
_HELP_SECONDS = 0.15
_RUN_SECONDS = 0.4
_FILES = {
    "proctor.yaml": "targets: {agent: {python: 'agent.py:answer'}}\ntarget: agent\n",
    "agent.py": "def answer(question):\n    return 'Orders ship within 3 days.'\n",
    "first.yaml": "cases:\n  - {id: shipping, input: When does my order ship?, checks: [{contains: 3 days}]}\n",
}


def startup(rounds: int = ROUNDS) -> list[Row]:
    """``proctor --help``, and ``proctor run`` of one case that a rule checks; the best of so many rounds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in _FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        measure(proctor("run", "first.yaml"), folder=folder)  # compiles the modules and makes the database
        helped = [measure(proctor("--help"), folder=folder) for _ in range(rounds)]
        ran = [measure(proctor("run", "first.yaml"), folder=folder) for _ in range(rounds)]
    return [
        _row(f"`proctor --help`, best of {rounds}", helped, _HELP_SECONDS),
        _row(f"`proctor run` of one case checked by a rule, best of {rounds}", ran, _RUN_SECONDS),
    ]


def _row(name: str, runs: Sequence[Measured], limit: float) -> Row:
    wall, cpu = min(each.wall for each in runs), min(each.cpu for each in runs)
    kept = wall <= limit and all(each.code == 0 for each in runs)
    return Row(
        measure=name, bound=f"≤ {limit} s", kept=kept, figures={OURS: f"{wall:.2f} s, {cpu:.2f} s of processor time"}
    )


if __name__ == "__main__":
    print(hurry())
    print(markdown(startup(), [OURS]))
