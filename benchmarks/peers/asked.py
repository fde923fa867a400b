"""How a detector answers: a text comes in as a line of JSON, what it says and how long it took goes out as another."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["answer"]


def answer(check: Callable[[str], Mapping[str, Any]], *, repeats: int = 1) -> None:
    """Answer until there are no more lines: what ``check`` says, and the best times of so many in microseconds.

    ``us`` is of the processor, all threads of the process; ``wall_us`` of the clock. What the detector prints itself
    goes to standard error.
    """
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        text = json.loads(line)
        cpu = wall = float("inf")
        said: Mapping[str, Any] = {}
        for _ in range(repeats):
            begin, begin_cpu = time.perf_counter_ns(), time.process_time_ns()
            said = check(text)
            cpu = min(cpu, time.process_time_ns() - begin_cpu)
            wall = min(wall, time.perf_counter_ns() - begin)
        out.write(json.dumps({"us": cpu / 1000, "wall_us": wall / 1000, **said}) + "\n")
        out.flush()
