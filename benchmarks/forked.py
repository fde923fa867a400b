"""Proctor in processes forked from one that has loaded it: a start takes milliseconds and not a second."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["ForkedProctor"]

# Starting a process looks after all others, and an exit code can be read once: a second thread would read 255.
_ONE_AT_A_TIME = threading.Lock()
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "proctor.cli.run",
        "proctor.cli.show",
        "proctor.cli.export",
        "proctor.cli.triggers",
        "proctor.cli.progress",
        "proctor.workflows.run.job",
        "proctor.workflows.release.floor_alarms",
        "proctor.workflows.judge.error_bands",
        "proctor.report.formats",
        "proctor.report.terminal",
        "proctor.scorers.answer.contains",
        "proctor.targets.python",
    ]
)


class ForkedProctor:
    """One ``proctor`` command in a process of its own; ends, is killed and is heard as a ``subprocess.Popen`` is."""

    def __init__(self, words: Sequence[str], folder: Path, number: int) -> None:
        self._files = [folder / f".{name}-{number}" for name in ("stdout", "stderr")]
        self._process = _CONTEXT.Process(target=_main, args=(list(words), str(folder), *map(str, self._files)))
        with _ONE_AT_A_TIME:
            self._process.start()

    @property
    def returncode(self) -> int | None:
        """The exit code; ``-9`` when it was killed, ``None`` while it runs."""
        return self.poll()

    def poll(self) -> int | None:
        """The exit code; ``None`` while it runs."""
        with _ONE_AT_A_TIME:
            return self._process.exitcode

    def kill(self) -> None:
        """Send SIGKILL."""
        with _ONE_AT_A_TIME:
            self._process.kill()

    def communicate(self, timeout: float) -> tuple[str, str]:
        """What it said, once it has ended; it is killed when that takes longer than ``timeout`` seconds."""
        until = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > until:
                self.kill()
            time.sleep(0.01)
        output, errors = (each.read_text() if each.exists() else "" for each in self._files)
        return output, errors


def _main(words: list[str], folder: str, output: str, errors: str) -> None:
    os.chdir(folder)
    sys.path.insert(0, "")
    for number, name in ((1, output), (2, errors)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115

    from proctor.cli.main import main  # loaded already in the fork server

    main(words)
