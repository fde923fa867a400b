"""The program in a process of its own, for signals and kills; it is forked from one that has loaded it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

__all__ = ["Started"]

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.cli.loaded"])


class Started:
    """The program under way, with as much of `subprocess.Popen` as the tests use."""

    def __init__(self, words: Sequence[str], *, folder: Path, env: Mapping[str, str]) -> None:
        self._words = list(words)
        (out, to_out), (err, to_err) = _CONTEXT.Pipe(duplex=False), _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(target=_into_pipes, args=(self._words, str(folder), dict(env), to_out, to_err))
        self._process.start()
        to_out.close()
        to_err.close()
        self.stdout = open(os.dup(out.fileno()), encoding="utf-8")  # noqa: SIM115 - closed once all is read
        self.stderr = open(os.dup(err.fileno()), encoding="utf-8")  # noqa: SIM115
        out.close()
        err.close()
        self.pid: int = self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        """Kill it if it still runs: a test that failed must not keep the session waiting at its end."""
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        self.stdout.close()
        self.stderr.close()

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def communicate(self, timeout: float = 60) -> tuple[str, str]:
        """Everything it has yet to say, once it has ended."""
        with ThreadPoolExecutor(2) as two:
            told = [two.submit(file.read) for file in (self.stdout, self.stderr)]
            self._process.join(timeout)
            if late := self._process.exitcode is None:
                self._process.kill()
                self._process.join()
            out, err = (each.result() for each in told)
        self.stdout.close()
        self.stderr.close()
        if late:
            raise subprocess.TimeoutExpired(self._words, timeout, out, err)
        return out, err


def _into_pipes(words: list[str], folder: str, env: dict[str, str], out: Connection, err: Connection) -> None:
    _main(words, folder, env, os.dup(out.fileno()), os.dup(err.fileno()))


def _main(words: list[str], folder: str, env: dict[str, str], out: int, err: int) -> None:
    os.chdir(folder)
    os.environ.clear()  # noqa: TID251 - this process is the program's, and gets what the test gives it
    os.environ.update(env)  # noqa: TID251
    sys.path[:0] = ["", *env.get("PYTHONPATH", "").split(os.pathsep)]
    for number, opened in enumerate((os.open(os.devnull, os.O_RDONLY), out, err)):
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - they live as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115

    from proctor.cli.main import main

    main(words)
