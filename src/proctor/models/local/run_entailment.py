"""Run the entailment network over lines of a passage and a claim, each line once for all its heads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from proctor.models.local.model_registry import network_of
from proctor.models.local.tokenizer import Line

__all__ = ["LogitJudge", "judge_of"]

KEEP = 1024  # cached lines: about three megabytes

Array = np.ndarray[Any, Any]


class LogitJudge:
    """The logits of lines: entailment, neutral, contradiction, and support.

    Entailment and support use the same line for most pairs, and an answer's claims recur when the whole answer is
    judged, so logits are cached. Thread-safe.
    """

    def __init__(self, folder: Path | None = None, threads: int = 1) -> None:
        self._folder, self._threads = folder, threads
        self._known: OrderedDict[Line, Array] = OrderedDict()
        self._lock = Lock()

    def logits(self, lines: Sequence[Line]) -> list[Array]:
        """Return one row of logits for each line, in order."""
        network = network_of("nli", self._folder, self._threads)
        with self._lock:
            found = {line: self._known[line] for line in lines if line in self._known}
        new = [line for line in dict.fromkeys(lines) if line not in found]
        found |= {line: output for line, (output,) in zip(new, network.run(new), strict=True)} if new else {}
        with self._lock:
            for line, output in found.items():
                self._known[line] = output
                self._known.move_to_end(line)
            while len(self._known) > KEEP:
                self._known.popitem(last=False)
        return [found[line] for line in lines]


@cache
def judge_of(folder: Path | None = None, threads: int = 1) -> LogitJudge:
    """Return one judge per weights folder and process, shared by entailment and support."""
    return LogitJudge(folder, threads)
