"""Runs a network on a thread that steps back where others want the core: for what nobody waits for."""

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

__all__ = ["Aside"]

_STEPS_BACK: Final = 10  # on the scale of nice


class Aside:
    """A network beside the crew that serves the gates.

    Only the network itself steps back. It does without the interpreter meanwhile; a thread that had to wait for a core
    while it holds the interpreter would hold up everybody.
    """

    def __init__(self, network: Network) -> None:
        self._network = network

    def run(self, lines: Sequence[Line]) -> Sequence[tuple[Array, ...]]:
        """The outputs for each line."""
        try:
            going = _thread().submit(self._network.run, lines)
        except RuntimeError:  # the program ends and takes no more work: do it here
            return self._network.run(lines)
        return going.result()


@cache
def _thread() -> ThreadPoolExecutor:
    os.register_at_fork(after_in_child=_thread.cache_clear)  # threads stay behind in the parent
    return ThreadPoolExecutor(1, thread_name_prefix="proctor-aside", initializer=_step_back)


def _step_back() -> None:
    if sys.platform == "linux":  # where it is the priority of a thread, not of the process
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + _STEPS_BACK)
