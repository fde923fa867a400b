"""Read lines with the optional large network: the first layers of a language model with what was learnt added."""

from __future__ import annotations

import json
import mmap
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime

from proctor.core.errors import StoreError
from proctor.core.fork_lock import ForkLock
from proctor.models.local.large_conversion import INDEX, NUMBERS
from proctor.models.local.large_graph import LargeShape, large_graph, rotation

__all__ = ["LargeLines", "open_lines"]

HINT: Final = "run `proctor models remove large` and `proctor models add large`"
KEEP: Final = 1024  # cached lines
HIDDEN: Final = -1e9

Array = np.ndarray[Any, Any]


class LargeLines:
    """A session over lines of token numbers. Thread-safe."""

    def __init__(self, session: Any, table: Array, shape: LargeShape, file: str) -> None:
        self._session, self._table, self._shape, self._file = session, table, shape, file
        self._known: OrderedDict[tuple[int, ...], Array] = OrderedDict()
        self._lock = ForkLock()

    def run(self, lines: Sequence[tuple[int, ...]]) -> Array:
        """Return the outputs of each line, one row each.

        Raises:
            StoreError: the network fails, or returns values that are not finite.
        """
        return np.stack([self._run(line) for line in lines]) if lines else np.zeros((0, self._shape.outputs))

    def _run(self, line: tuple[int, ...]) -> Array:
        with self._lock:
            if (known := self._known.get(line)) is not None:
                self._known.move_to_end(line)
                return known
        length = len(line)
        cos, sin = rotation(self._shape, length)
        place = np.arange(length)
        hidden = np.where(place[None, :] <= place[:, None], 0.0, HIDDEN).astype(np.float32)
        feed = {"states": self._table[list(line)].astype(np.float32), "cos": cos, "sin": sin, "hidden": hidden}
        try:
            (outputs,) = self._session.run(["outputs"], feed)
        except Exception as broken:
            raise StoreError(f"the network cannot be run: {broken}", file=self._file, hint=HINT) from broken
        if not np.isfinite(outputs).all():
            raise StoreError("the network answers with what is no number", file=self._file, hint=HINT)
        found: Array = outputs[0]
        with self._lock:
            self._known[line] = found
            while len(self._known) > KEEP:
                self._known.popitem(last=False)
        return found


def open_lines(folder: Path, threads: int = 1) -> LargeLines:
    """Load a conversion.

    Raises:
        StoreError: it is missing or broken.
    """
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        shape = LargeShape(**index["shape"])
        with (folder / NUMBERS).open("rb") as file:
            pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        values = {
            name: np.frombuffer(pages, np.dtype(kind), int(np.prod(sides)), offset).reshape(sides)
            for name, (kind, sides, offset) in index["places"].items()
        }
        table = values.pop("table")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        held = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in values.values()]
        options.add_external_initializers(list(values), held)
        session = onnxruntime.InferenceSession(
            large_graph(shape, values), options, providers=["CPUExecutionProvider"]
        )
    except Exception as broken:
        raise StoreError(f"the network cannot be loaded: {broken}", file=str(folder), hint=HINT) from broken
    if hasattr(mmap, "MADV_DONTNEED"):
        pages.madvise(mmap.MADV_DONTNEED)  # the session keeps a rearranged copy of the matrices
    return LargeLines(session, table, shape, str(folder))
