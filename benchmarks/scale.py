"""The measures of size: memory while the cases grow, a large run shown, and a killed run resumed."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import StubProcess, measure, stub
from benchmarks.project import Project, proctor, write_project
from benchmarks.replies import true_passes
from benchmarks.table import Row

__all__ = ["growth", "resumed"]

OURS = "Proctor"
_IN_FLIGHT = 50
_FLAT = 1.15  # the largest run may take this much more than the smallest


def growth(sizes: Sequence[int]) -> list[Row]:
    """One target call and a rule for each case at 0 ms: peak memory by size, then the largest run shown."""
    peaks: list[float] = []
    rows: list[Row] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder, stub() as server:
            project = write_project(Path(folder), server.base_url, size, judged=False)
            ran = measure(project.run("-q"), folder=project.folder)
            answered = int(server.stats()["answered"])
            if ran.code or answered != size:
                raise RuntimeError(
                    f"{size} cases: ended with {ran.code}, {answered} answered\n{ran.errors}{ran.output}"
                )
            peaks.append(ran.peak)
            cpu = 1000 * ran.cpu / size
            rows.append(_peak_row(size, ran.peak, f"{ran.peak:.0f} MB, {ran.wall:.0f} s, {cpu:.2f} ms a case"))
            print(f"{size} cases: {ran.peak:.0f} MB, {ran.wall:.1f} s", file=sys.stderr, flush=True)
            if size == max(sizes):
                rows += _shown(project, size)
    flat = peaks[-1] / peaks[0]
    rows.append(
        Row(
            measure=f"memory, {sizes[-1]:,} cases over {sizes[0]:,}",
            bound=f"flat (≤ {_FLAT} ×)",
            kept=flat <= _FLAT,
            figures={OURS: f"{flat:.2f} ×"},
        )
    )
    return rows


def _peak_row(size: int, peak: float, text: str) -> Row:
    return Row(measure=f"peak memory, {size:,} cases", bound="≤ 80 MB", kept=peak <= 80, figures={OURS: text})


def _shown(project: Project, size: int) -> list[Row]:
    last = f"item-{size - 1}"
    pages = {
        "`proctor show`": proctor("show", "last"),
        "its last page": proctor("show", "last", "--page", str(size // 20)),
        "one of its cases": proctor("show", "last", last),
    }
    rows = []
    for name, command in pages.items():
        ran = [measure(command, folder=project.folder) for _ in range(3)]
        if any(one.code for one in ran):
            raise RuntimeError(f"{name}: {ran[0].errors}")
        best, peak = min(one.wall for one in ran), max(one.peak for one in ran)
        text = f"{best:.2f} s, {peak:.0f} MB"
        rows.append(
            Row(measure=f"{name}, {size:,} results", bound="instant (≤ 1 s)", kept=best <= 1.0, figures={OURS: text})
        )
    return rows


@dataclass(slots=True)
class _Killer:
    """Kills the process without warning once the stub has answered so many calls."""

    server: StubProcess
    after: int
    in_flight: int = 0
    answered: int = 0

    def __call__(self, pid: int, _: float) -> bool:
        seen = self.server.stats()
        if int(seen["answered"]) < self.after:
            return False
        os.kill(pid, signal.SIGKILL)
        seen = self.server.stats()
        self.in_flight, self.answered = int(seen["in_flight"]), int(seen["answered"])
        return True


def resumed(cases: int, shares: Sequence[float] = (0.1, 0.5, 0.9)) -> list[Row]:
    """Kill -9 in the midst of a run, then ``--resume``: how many calls were answered twice?"""
    rows = []
    for share in shares:
        with tempfile.TemporaryDirectory() as folder, stub("--latency", "50") as server:
            project = write_project(Path(folder), server.base_url, cases)
            killer = _Killer(server, after=int(2 * cases * share))
            first = measure(project.run(), folder=project.folder, watch=killer)
            if first.code != -signal.SIGKILL:
                raise RuntimeError(f"the run was not killed: {first.code}\n{first.errors}")
            _until_idle(server)
            again = measure(proctor("run", "--resume", "last"), folder=project.folder)
            passed, failed, unscored = project.counts()
            seen = server.stats()
        twice, answered = int(seen["answered_again"]), int(seen["answered"])
        right = (passed, failed, unscored) == (true_passes(cases), cases - true_passes(cases), 0) and again.code == 1
        text = (
            f"{answered} answered = {2 * cases} + {answered - 2 * cases}; {twice} twice;"
            f" {killer.in_flight} in flight at the kill; {passed} of {passed + failed} pass"
        )
        print(f"killed at {share:.0%}: {text}", file=sys.stderr, flush=True)
        rows.append(
            Row(
                measure=f"kill -9 at {share:.0%} of {2 * cases} calls, then `--resume`",
                bound=f"≤ {_IN_FLIGHT} answered twice (what was in flight), result as if never killed",
                kept=right and twice <= _IN_FLIGHT and answered - 2 * cases <= _IN_FLIGHT,
                figures={OURS: text},
            )
        )
    return rows


def _until_idle(server: StubProcess) -> None:
    """Wait until the stub has ended what the killed process had asked of it."""
    while int(server.stats()["in_flight"]):
        time.sleep(0.02)
