"""Low-priority background inference."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final

from proctor.models.local.network import Array, Network
from proctor.models.local.tokenizer import Line

__all__ = ["BackgroundInference"]

_NICE_INCREMENT: Final = 10  # increment of the nice value


class BackgroundInference:
    """Runs a network on a low-priority thread, apart from the threads that serve the gates.

    Only the network runs at low priority, since it releases the interpreter lock. A low-priority thread that holds the
    lock would block all others.
    """

    def __init__(self, network: Network) -> None:
        self._network = network

    def run(self, lines: Sequence[Line]) -> Sequence[tuple[Array, ...]]:
        """Return the outputs for each line."""
        try:
            going = _thread().submit(self._network.run, lines)
        except RuntimeError:  # the interpreter is shutting down: run it here
            return self._network.run(lines)
        return going.result()


@cache
def _thread() -> ThreadPoolExecutor:
    os.register_at_fork(after_in_child=_thread.cache_clear)  # threads do not survive a fork
    return ThreadPoolExecutor(1, thread_name_prefix="proctor-aside", initializer=_lower_priority)


def _lower_priority() -> None:
    if sys.platform == "linux":  # where this sets the priority of the thread, not of the process
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + _NICE_INCREMENT)
