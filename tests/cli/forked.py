"""The program in a process of its own, forked from one that has loaded it: most of a short call is loading."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["LOADED", "call"]

# What most verbs import. No network and no local model is opened, so that a fork is as good as a fresh start.
LOADED = [
    "proctor.cli.main",
    "proctor.cli.run",
    "proctor.wiring.job",
    "proctor.report.terminal",
    "proctor.report.formats",
]
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(LOADED)


def call(
    words: Sequence[str], *, folder: Path, env: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Call the program with these words, as `subprocess.run` does."""
    with tempfile.TemporaryDirectory() as place:
        out, err = Path(place) / "out", Path(place) / "err"
        process = _CONTEXT.Process(target=_main, args=(list(words), str(folder), dict(env), str(out), str(err)))
        process.start()
        process.join(seconds)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(list(words), seconds)
        code = process.exitcode
        process.close()
        return subprocess.CompletedProcess(list(words), code, _text(out), _text(err))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _main(words: list[str], folder: str, env: dict[str, str], out: str, err: str) -> None:
    os.chdir(folder)
    os.environ.clear()  # noqa: TID251 - this process is the program's, and gets what the test gives it
    os.environ.update(env)  # noqa: TID251
    sys.path[:0] = ["", *env.get("PYTHONPATH", "").split(os.pathsep)]
    for number, name, mode in ((0, os.devnull, os.O_RDONLY), (1, out, os.O_WRONLY), (2, err, os.O_WRONLY)):
        opened = os.open(name, mode | (os.O_CREAT | os.O_TRUNC if number else 0), 0o644)
        os.dup2(opened, number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - they live as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115

    from proctor.cli.main import main

    main(words)
