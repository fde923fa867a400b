"""Those who do the job: Proctor through its command line, bare aiohttp, and the peers that could be installed."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.peers.environments import PEERS, Peer, environment
from benchmarks.processes import ROOT, Measured, StubProcess, measure, stub
from benchmarks.project import write_project

__all__ = ["Contender", "Ran", "bare", "ours", "ours_with_two_models", "peers", "put_to"]

IN_FLIGHT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One job done: what the process took, what the stub saw, and what came out."""

    measured: Measured
    stats: dict[str, Any]
    passed: int | None
    judged: int | None

    @property
    def loop(self) -> float:
        """Seconds from the first request to the last response, as the stub saw them."""
        return float(self.stats["loop"] or 0.0)

    @property
    def cpu_per_call(self) -> float:
        """Milliseconds of processor time for each call answered, start-up included."""
        return 1000 * self.measured.cpu / max(1, int(self.stats["answered"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """Somebody who does the job against a server: so many cases, in a folder of their own."""

    name: str
    job: Callable[[StubProcess, int, Path], tuple[Measured, int | None, int | None]]


def put_to(contender: Contender, cases: int, *options: str) -> Ran:
    """Have the job done once, against a fresh stub with these options."""
    with tempfile.TemporaryDirectory() as folder, stub(*options) as server:
        measured, passed, judged = contender.job(server, cases, Path(folder))
        return Ran(measured=measured, stats=server.stats(), passed=passed, judged=judged)


def _ours(
    server: StubProcess, cases: int, folder: Path, *, two_models: bool = False
) -> tuple[Measured, int | None, int | None]:
    project = write_project(folder, server.base_url, cases, two_models=two_models)
    measured = measure(project.run(), folder=folder)
    if measured.code not in (0, 1, 3):
        raise RuntimeError(f"proctor ended with {measured.code}:\n{measured.errors}")
    passed, failed, _ = project.counts()
    return measured, passed, passed + failed


def _told(measured: Measured) -> tuple[int | None, int | None]:
    """The counts in the last line of output; nothing when the program did not come to its end."""
    lines = measured.output.strip().splitlines()
    if measured.code or not lines:
        return None, None
    told = json.loads(lines[-1])
    return told["passed"], told["judged"]


def _program(command: Sequence[str], folder: Path, variables: Sequence[str] = ()) -> Measured:
    return measure(["env", f"PYTHONPATH={ROOT}", *variables, *command], folder=folder)


def _bare(server: StubProcess, cases: int, folder: Path) -> tuple[Measured, int | None, int | None]:
    command = [sys.executable, "-m", "benchmarks.bare", server.base_url, "--cases", str(cases)]
    measured = _program([*command, "--concurrency", str(IN_FLIGHT)], folder)
    return measured, *_told(measured)


def ours() -> Contender:
    """Proctor, as a user runs it."""
    return Contender(name="Proctor", job=_ours)


def ours_with_two_models() -> Contender:
    """Proctor with another model as the judge, on the same endpoint."""
    return Contender(name="Proctor, two models", job=partial(_ours, two_models=True))


def bare() -> Contender:
    """The floor."""
    return Contender(name="bare aiohttp", job=_bare)


def peers() -> list[Contender]:
    """The peers that are installed, or can be."""
    return [_peer(peer, python) for peer in PEERS if (python := environment(peer))]


def _peer(peer: Peer, python: Path) -> Contender:
    def job(server: StubProcess, cases: int, folder: Path) -> tuple[Measured, int | None, int | None]:
        command = [str(python), "-m", peer.program, server.base_url, "--cases", str(cases)]
        measured = _program([*command, "--concurrency", str(IN_FLIGHT)], folder, peer.variables)
        return measured, *_told(measured)

    return Contender(name=peer.name, job=job)
