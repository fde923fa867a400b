"""A process that brings the history up to the log, so that receiving and indexing use different cores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from proctor.core.errors import StoreError
from proctor.store.history import History

__all__ = ["index_process", "index_until_orphaned", "main"]

_EVERY: Final = 0.5  # seconds
_NICENESS: Final = 5  # receiving goes first
_STOP_SECONDS: Final = 10.0
_PROGRAM: Final = "import sys; from proctor.workflows.monitor.index_process import main; main(sys.argv[1:])"


@contextmanager
def index_process(store: Path, *, search: bool = True) -> Iterator[None]:
    """Have a child process that indexes; it ends with its parent, also if that is killed."""
    command = [sys.executable, "-c", _PROGRAM, str(store), "search" if search else "", str(os.getpid())]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 - our own program
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def index_until_orphaned(store: Path, *, search: bool, parent: int) -> None:
    """Index again and again while the parent lives; a failure of the store is tried again."""
    with History(store, search=search) as history:
        while os.getppid() == parent:
            try:
                history.catch_up(seconds=2.0)
            except StoreError:
                time.sleep(1)
            time.sleep(_EVERY)


def main(words: list[str]) -> None:
    """Run as the child."""

    def stop(number: int, frame: object) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent decides
    os.nice(_NICENESS)
    store, search, parent = words
    index_until_orphaned(Path(store), search=bool(search), parent=int(parent))
