"""A process that brings the history up to the log, so that receiving and indexing use different cores."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from proctor.config import Config, open_config
from proctor.core.errors import StoreError
from proctor.store.event_log import FOLDER, EventLog
from proctor.store.guard_index import GuardIndex
from proctor.store.guard_log import FOLDER as GUARD_FOLDER
from proctor.wiring.history_settings import history_settings, open_history
from proctor.wiring.monitor_state import state_url
from proctor.workflows.monitor.history_upkeep import HistoryUpkeep

__all__ = ["index_process", "index_until_orphaned", "main"]

_log = logging.getLogger(__name__)
_EVERY: Final = 0.5  # seconds
_AGAIN: Final = 5.0  # seconds after a failure
_NICENESS: Final = 5  # receiving goes first
_STOP_SECONDS: Final = 10.0
_PROGRAM: Final = "import sys; from proctor.workflows.monitor.index_process import main; main(sys.argv[1:])"


@contextmanager
def index_process(config: Config) -> Iterator[Callable[[], bool]]:
    """Have a child process that indexes, seals and retains; it ends with its parent, also if that is killed.

    Yields a function that says whether it runs: without it the parent indexes. Of several servers that share a state
    the parent indexes too: its alert rules see what it has counted.
    """
    is_shared = state_url(config) is not None
    command = [sys.executable, "-c", _PROGRAM, str(config.path or ""), str(os.getpid())]
    process = subprocess.Popen(  # noqa: S603 - our own program
        command, cwd=config.folder, env=dict(config.environment.values), stdin=subprocess.DEVNULL
    )
    try:
        yield lambda: not is_shared and process.poll() is None
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def index_until_orphaned(config: Config, *, parent: int) -> None:
    """Index again and again while the parent lives; a failure of the store is tried again.

    The parent ends its files of the log now and then; what has no writer is sealed here.
    """
    told = ""
    while os.getppid() == parent:
        try:
            _index(config, parent=parent)
        except (StoreError, OSError) as error:  # the disk is full, for example: nothing is lost, the log has the events
            if str(error) != told:
                told = str(error)
                _log.warning("the history does not follow the log, and is tried again: %s", told)
            time.sleep(_AGAIN)


def _index(config: Config, *, parent: int) -> None:
    alone = state_url(config) is None
    with open_history(config, indexes=alone) as history, EventLog(config.store / FOLDER) as log:
        upkeep = HistoryUpkeep(history=history, log=log, settings=history_settings(config))
        while os.getppid() == parent:
            upkeep.tick()
            _index_decisions(config)
            time.sleep(_EVERY)


def _index_decisions(config: Config) -> None:
    """Bring the index of the guard's log up to it, if this project has a guard; the history does not wait for it."""
    if not (config.store / GUARD_FOLDER).is_dir():
        return
    try:
        with GuardIndex(config.store) as index:
            index.catch_up(seconds=_EVERY)
    except (StoreError, OSError) as error:  # its pages say so too
        _log.debug("the index of the guard's log does not follow it: %s", error)


def main(words: list[str]) -> None:
    """Run as the child."""

    def stop(number: int, frame: object) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent decides
    os.nice(_NICENESS)
    path, parent = words
    index_until_orphaned(open_config(path or None), parent=int(parent))
