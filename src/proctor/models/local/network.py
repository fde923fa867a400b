"""Run one ONNX network over lines of tokens: one by one on a CPU, in batches of similar length on a GPU."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnxruntime

from proctor.core.errors import StoreError
from proctor.core.fork_lock import ForkLock
from proctor.models.local.tokenizer import Line, Pieces
from proctor.models.local.weights import HINT, Weights

__all__ = ["Network", "open_network"]

# On a CPU each line runs alone. A batch is not faster there, and its lines would share a quantisation scale: the
# score of a text would depend on its neighbours.
CPU_PIECES = 1
GPU_PIECES = 8192  # a GPU is idle with less; there scores vary in the third digit with the rest of the batch
KEEP, KEPT_NUMBERS = 64, 4096  # cached lines, and numbers per line: a megabyte at most
UNHELPFUL = ("SkipLayerNormFusion",)  # on a CPU the separate sum and norm are a tenth faster than the fused one
PADDING = 1.25  # a shorter line may be padded by a quarter; beyond that it goes into another call


Array = np.ndarray[Any, Any]


class Network:
    """A session over the shared tokens. Thread-safe."""

    def __init__(self, session: Any, pieces: Pieces, file: str, *, batch: int = CPU_PIECES) -> None:
        self._session, self._pieces, self._file, self._batch = session, pieces, file, batch
        self._known: OrderedDict[tuple[Line, tuple[str, ...] | None], tuple[Array, ...]] = OrderedDict()
        self._lock = ForkLock()

    def run(self, lines: Sequence[Line], outputs: Sequence[str] | None = None) -> list[tuple[Array, ...]]:
        """Return the outputs for each line, in order: one array per requested output, or for all.

        Equal lines are run once: a text that repeats itself a thousand times costs no more than its first windows, and
        a document that is read as a whole and then in parts no more than the parts that differ.

        Raises:
            StoreError: the network fails, or returns values that are not finite.
        """
        wanted = None if outputs is None else tuple(outputs)
        with self._lock:
            known = ((line, self._known.get((line, wanted))) for line in dict.fromkeys(lines))
            found = {line: arrays for line, arrays in known if arrays is not None}
        different = [line for line in dict.fromkeys(lines) if line not in found]
        for group in _alike(different, self._batch):
            arrays = self._call(self._pieces.feed([different[i] for i in group]), outputs)
            for row, i in enumerate(group):
                found[different[i]] = tuple(array[row] for array in arrays)
        self._remember(different, wanted, found)
        return [found[line] for line in lines]

    def _remember(
        self, lines: Sequence[Line], wanted: tuple[str, ...] | None, found: dict[Line, tuple[Array, ...]]
    ) -> None:
        with self._lock:
            for line in lines[-KEEP:]:
                if sum(array.size for array in found[line]) <= KEPT_NUMBERS:
                    self._known[line, wanted] = tuple(array.copy() for array in found[line])
            while len(self._known) > KEEP:
                self._known.popitem(last=False)

    def _call(self, feed: dict[str, Array], outputs: Sequence[str] | None) -> list[Array]:
        try:
            arrays: list[Array] = self._session.run(outputs, feed)
        except Exception as broken:
            raise StoreError(f"the network cannot be run: {broken}", file=self._file, hint=HINT) from broken
        if not all(np.isfinite(array).all() for array in arrays):
            raise StoreError("the network answers with what is no number", file=self._file, hint=HINT)
        return arrays


def _alike(lines: Sequence[Line], most: int) -> Iterator[list[int]]:
    group: list[int] = []
    for i in sorted(range(len(lines)), key=lambda i: len(lines[i].ids)):
        length = len(lines[i].ids)
        if group and (length > PADDING * len(lines[group[0]].ids) + 4 or length * (len(group) + 1) > most):
            yield group
            group = []
        group.append(i)
    if group:
        yield group


def open_network(weights: Weights, name: str, pieces: Pieces, *, threads: int = 1) -> Network:
    """Load the network of that name, on a GPU if onnxruntime has one."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False  # the arena keeps the memory of the largest batch
    options.enable_mem_pattern = False
    file = weights.path(f"{name}.onnx")
    wanted = [
        p for p in ("CUDAExecutionProvider", "CPUExecutionProvider") if p in onnxruntime.get_available_providers()
    ]
    try:
        session = onnxruntime.InferenceSession(
            str(file), options, providers=wanted, disabled_optimizers=() if len(wanted) > 1 else UNHELPFUL
        )
    except Exception as broken:
        raise StoreError(f"the weights cannot be loaded: {broken}", file=str(file), hint=HINT) from broken
    on_gpu = session.get_providers()[0] != "CPUExecutionProvider"
    return Network(session, pieces, str(file), batch=GPU_PIECES if on_gpu else CPU_PIECES)
