"""Processes run and measured from outside: wall time, processor time, memory; and the stub as one of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "Measured", "StubProcess", "hurry", "measure", "memory_of", "stub"]

ROOT = Path(__file__).parents[1]
_POLL_SECONDS = 0.01
_GIVE_UP_SECONDS = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one process took. ``curve`` has its memory in MB over the seconds of its life."""

    code: int
    wall: float
    cpu: float
    peak: float
    started: float
    output: str
    errors: str
    curve: tuple[tuple[float, float], ...] = ()


def hurry() -> str:
    """Put this process and its children before others that share the machine, where that is allowed."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(10))
    except (PermissionError, AttributeError):
        return "ordinary priority"
    return "raised priority (real-time, round robin) for every process measured and for the stub"


def measure(
    command: Sequence[str], *, folder: Path | None = None, watch: Callable[[int, float], bool] | None = None
) -> Measured:
    """Run a command to its end; ``watch`` is told its pid and age now and then, and ends the watching with true."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.monotonic()
        process = subprocess.Popen(command, cwd=folder or ROOT, stdout=output, stderr=errors)
        peak, curve = 0.0, list[tuple[float, float]]()
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            age = time.monotonic() - started
            if pid:
                break
            high, now = memory_of(process.pid)
            peak = max(peak, high)
            if not curve or age - curve[-1][0] >= 0.5:
                curve.append((age, now))
            if watch is not None and watch(process.pid, age):
                watch = None
            if age > _GIVE_UP_SECONDS:
                process.kill()
            time.sleep(_POLL_SECONDS)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Measured(
            code=process.returncode,
            wall=age,
            cpu=usage.ru_utime + usage.ru_stime,
            peak=peak,
            started=started,
            output=_text(output),
            errors=_text(errors),
            curve=tuple(curve),
        )


def _text(file: Any) -> str:
    file.seek(0)
    return str(file.read().decode("utf-8", "replace"))


def memory_of(pid: int) -> tuple[float, float]:
    """The most and the present resident memory of a process, in MB."""
    high = now = 0.0
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                if line.startswith(b"VmHWM:"):
                    high = int(line.split()[1]) / 1024
                elif line.startswith(b"VmRSS:"):
                    now = int(line.split()[1]) / 1024
    except OSError:
        pass
    return high, now


@dataclass(frozen=True, slots=True, kw_only=True)
class StubProcess:
    """The stub in a process of its own."""

    address: str

    @property
    def base_url(self) -> str:
        """Where a client of the OpenAI API is pointed."""
        return f"{self.address}/v1"

    def stats(self) -> dict[str, Any]:
        """What the stub has seen since it was started or reset."""
        with urllib.request.urlopen(f"{self.address}/stats") as reply:
            told: dict[str, Any] = json.load(reply)
        return told

    def reset(self) -> None:
        """Begin the counts anew."""
        urllib.request.urlopen(f"{self.address}/reset", data=b"").close()


@contextmanager
def stub(*options: str) -> Iterator[StubProcess]:
    """A stub with these options, for as long as it is wanted."""
    command = [sys.executable, "-m", "benchmarks.stub", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address:
                raise RuntimeError("the stub did not start")
            yield StubProcess(address=address)
        finally:
            process.terminate()
            process.wait()
