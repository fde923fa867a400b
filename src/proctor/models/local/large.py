"""Read texts, pairs of texts and conversations with the optional large network.

It is the first layers of a language model, fetched on request, with the adapter that ships. It takes milliseconds for
each token and most of a gigabyte of memory, and is right more often than the networks that ship.
"""

from __future__ import annotations

import json
import mmap
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from threading import RLock
from typing import Any, Final

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from proctor.core.errors import StoreError
from proctor.core.fork_lock import ForkLock
from proctor.models.local.large_files import ADD, INDEX, NUMBERS, TOKENIZER, ready_folder
from proctor.models.local.large_graph import LargeShape, large_graph, rotation
from proctor.models.local.model_registry import weights_of
from proctor.models.local.multilingual import MultilingualReading
from proctor.models.local.text_frames import PAIR_TOKENS, Frame, Role, TextFrames
from proctor.models.local.unused_memory import release_unused_memory

__all__ = ["ACTS", "FAULT_AT", "LargeNetwork", "LargeReading", "large_network"]

# What a turn of each role may do, in the order of the outputs.
ACTS: Final[dict[Role, tuple[str, ...]]] = {
    "agent": (
        "done", "will_do", "proposes", "asks", "informs", "refuses", "way_forward", "hands_over", "deflects_person",
        "closes", "empty",
    ),
    "customer": (
        "wants_person", "agrees", "declines", "asks", "asks_again", "corrects", "gives", "thanks", "still_open",
    ),
}  # fmt: skip
ACTS_AT: Final = 11
FAULT_AT: Final = ACTS_AT + sum(map(len, ACTS.values()))  # the logit of a fault; those of its kinds follow
HINT: Final = f"run `proctor models remove large`, then `{ADD}`"
TEXT_TOKENS: Final = 256  # of a line with one text
TURN_TOKENS: Final = 200  # of a line with a turn and the one before it
KEEP: Final = 256  # cached lines
LONG: Final = 100  # tokens of a part whose memory is given back at once
PART: Final = 320  # tokens of a line that are read at once
HIDDEN: Final = -1e9

Array = np.ndarray[Any, Any]
Line = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LargeReading(MultilingualReading):
    """The outputs at one place of a line, as logits."""

    def acts(self, role: Role) -> dict[str, float]:
        """The logit of each act that a turn of this role may do."""
        start = ACTS_AT + (len(ACTS["agent"]) if role == "customer" else 0)
        return dict(zip(ACTS[role], self.outputs[start : start + len(ACTS[role])], strict=True))

    @property
    def fault(self) -> float:
        """The logit that the act of an agent is at fault."""
        return self.outputs[FAULT_AT]

    @property
    def fault_kinds(self) -> tuple[float, ...]:
        """The logits of the kinds of faults, in the order of training."""
        return self.outputs[FAULT_AT + 1 :]


class LargeNetwork:
    """A session with its tokenizer and table. Thread-safe."""

    def __init__(self, session: Any, tokenizer: Tokenizer, table: Array, shape: LargeShape, file: str) -> None:
        self._session, self._table, self._shape, self._file = session, table, shape, file
        self._known: OrderedDict[tuple[Line, tuple[int, ...]], Array] = OrderedDict()
        self._lock = ForkLock()
        self._nothing = _start(shape)
        self.frames = TextFrames(tokenizer)

    def read(self, texts: Sequence[str], frame: Frame = "user") -> list[LargeReading]:
        """Return what it says of each message, document or answer of an agent; a long text loses its end."""
        return self._readings([self.frames.alone(text, frame, TEXT_TOKENS) for text in texts])

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[LargeReading]:
        """Return what it says of each premise with its hypothesis; the premise gives way when both are too long."""
        return self._readings([self.frames.pair(premise, hypothesis, PAIR_TOKENS) for premise, hypothesis in pairs])

    def turns(self, turns: Sequence[tuple[str, str]], role: Role) -> list[LargeReading]:
        """Return what it says of each turn of that role; a turn is given with the one before it, which may be empty."""
        return self._readings([self.frames.turn(before, text, role, TURN_TOKENS) for before, text in turns])

    def at_marks(self, line: Sequence[int], marks: Sequence[int]) -> list[LargeReading]:
        """Return what it says at some places of a line of tokens, at each as if the line ended there."""
        return [_reading(row) for row in self.outputs(tuple(line), tuple(marks))] if marks else []

    def logits(self, lines: Sequence[Sequence[int]]) -> Array:
        """Return the outputs at the end of each line of tokens, a row for each."""
        rows = [self.outputs(tuple(line)) for line in lines]
        return np.concatenate(rows) if rows else np.zeros((0, self._shape.outputs), np.float32)

    def outputs(self, line: Line, marks: tuple[int, ...] = ()) -> Array:
        """Return the outputs at each mark of a line of tokens, or at its end if there are no marks.

        Raises:
            StoreError: the network fails, or returns values that are not finite.
        """
        marks = marks or (len(line) - 1,)
        with self._lock:
            if (known := self._known.get((line, marks))) is not None:
                self._known.move_to_end((line, marks))
                return known
        found = self._run(line, marks)
        with self._lock:
            self._known[line, marks] = found
            while len(self._known) > KEEP:
                self._known.popitem(last=False)
        return found

    def _readings(self, lines: Sequence[Line]) -> list[LargeReading]:
        return [_reading(self.outputs(line)[0]) for line in lines]

    def _run(self, line: Line, marks: tuple[int, ...]) -> Array:
        found = []
        left = self._nothing
        for start, end in _parts(len(line)):
            here = [mark for mark in marks if start <= mark < end]
            outputs, left = self._run_part(line, start, end, here, left)
            found.append(outputs)
            if end - start > LONG:  # a hundredth of its time; without it the heap may grow by most of a gigabyte
                release_unused_memory()
        order = np.argsort(np.argsort(marks, kind="stable"), kind="stable")  # parts come in the order of the line
        rows: Array = np.concatenate(found)[order]
        return rows

    def _run_part(
        self, line: Line, start: int, end: int, marks: Sequence[int], left: dict[str, Array]
    ) -> tuple[Array, dict[str, Array]]:
        """Return the outputs at the marks of a part of a line, and what it leaves to the next one."""
        own, all_places = np.arange(start, end), np.arange(end)
        cos, sin = rotation(self._shape, own)
        feed = {
            "states": self._table[list(line[start:end])].astype(np.float32),
            "cos": cos,
            "sin": sin,
            "hidden": np.where(all_places[None, :] <= own[:, None], 0.0, HIDDEN).astype(np.float32),
            "marks": np.array(sorted(marks), np.int64) - start,
            "count": np.array(sorted(marks), np.float32).reshape(-1, 1) + 1,
            **{f"{name}.before": value for name, value in left.items()},
        }
        wanted = ["outputs", *(left if end < len(line) else ())]
        try:
            found, *more = self._session.run(wanted, feed)
        except Exception as broken:
            raise StoreError(f"the network cannot be run: {broken}", file=self._file, hint=HINT) from broken
        if not np.isfinite(found).all():
            raise StoreError("the network answers with what is no number", file=self._file, hint=HINT)
        return found, dict(zip(wanted[1:], more, strict=True))


def _parts(length: int) -> list[tuple[int, int]]:
    """Cut a long line into equal parts: each looks back at those before it, which takes half the time of one look."""
    count = -(-length // PART)
    bounds = [length * at // count for at in range(count + 1)]
    return list(pairwise(bounds))


def _start(shape: LargeShape) -> dict[str, Array]:
    """What there is before the first part of a line."""
    empty = np.zeros((shape.groups, 0, shape.size), np.float32)
    names = [f"layers.{layer}.{kind}" for layer in range(shape.layers) for kind in ("keys", "values")]
    return {"total": np.zeros((1, shape.width), np.float32), **dict.fromkeys(names, empty)}


def _reading(row: Array) -> LargeReading:
    return LargeReading(tuple(row.tolist()))


_door = RLock()


def large_network(models: Path, folder: Path | None = None, threads: int = 1) -> LargeNetwork:
    """Return the network from the folder of fetched models, loaded once per process.

    Raises:
        StoreError: it is not installed for these weights, or it is broken.
    """
    with _door:
        return _opened(models, folder, threads)


@cache
def _opened(models: Path, folder: Path | None, threads: int) -> LargeNetwork:
    weights = weights_of(folder)
    place = ready_folder(models, weights)
    tokens = weights.path(TOKENIZER)
    try:
        index = json.loads((place / INDEX).read_text(encoding="utf-8"))
        shape = LargeShape(**index["shape"])
        with (place / NUMBERS).open("rb") as file:
            pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        values = {
            name: np.frombuffer(pages, np.dtype(kind), int(np.prod(sides)), at).reshape(sides)
            for name, (kind, sides, at) in index["places"].items()
        }
        table = values.pop("table")
        session = _session(large_graph(shape, values), values, threads)
        if hasattr(mmap, "MADV_DONTNEED"):  # the session keeps a rearranged copy of the matrices
            pages.madvise(mmap.MADV_DONTNEED)
        tokenizer = Tokenizer.from_file(str(tokens))
    except Exception as broken:
        raise StoreError(f"the large network cannot be loaded: {broken}", file=str(place), hint=HINT) from broken
    return LargeNetwork(session, tokenizer, table, shape, str(place))


def _session(graph: bytes, values: dict[str, Array], threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    held = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in values.values()]
    options.add_external_initializers(list(values), held)
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
