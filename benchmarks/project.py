"""A Proctor project to measure: a suite file of so many cases, and a proctor.yaml that points at the stub."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.options import RUBRIC
from benchmarks.replies import question, reference

__all__ = ["Project", "proctor", "write_project"]

_CONFIG = """\
model: stub
judge: {judge}
models:
  stub: {{provider: compatible, base_url: "{base_url}", model: stub}}
  second: {{provider: compatible, base_url: "{base_url}", model: stub-second}}
"""


def proctor(*arguments: str) -> list[str]:
    """A ``proctor`` command line, of the environment that runs this."""
    return [str(Path(sys.executable).with_name("proctor")), *arguments]


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A folder with a suite in it."""

    folder: Path
    suite: str

    def run(self, *arguments: str, concurrency: int = 50) -> list[str]:
        """The command that runs the suite."""
        return proctor("run", self.suite, "-j", str(concurrency), *arguments)

    def counts(self) -> tuple[int, int, int]:
        """How many passed, failed and could not be judged in the last run, by its JSON report."""
        command = proctor("export", "last", "-o", "out.json")
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        counts = json.loads((self.folder / "out.json").read_text())["report"]["counts"]
        return tuple(counts.get(name, 0) for name in ("passed", "failed", "unscored"))


def write_project(folder: Path, base_url: str, cases: int, *, judged: bool = True, two_models: bool = False) -> Project:
    """Write the project; without a judge the answers are graded by a rule, and with two models the judge is another."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "proctor.yaml").write_text(_CONFIG.format(base_url=base_url, judge="second" if two_models else "stub"))
    scorer = {"judge": RUBRIC} if judged else {"regex": r"item \d+ costs \d+"}
    with (folder / "prices.jsonl").open("w") as file:
        file.write(json.dumps({"suite": {"name": "prices", "scorers": [scorer]}}) + "\n")
        for number in range(cases):
            case = {"id": f"item-{number}", "input": question(number), "expect": {"reference": reference(number)}}
            file.write(json.dumps(case) + "\n")
    return Project(folder=folder, suite="prices.jsonl")
