"""Read a message, a document or a pair of texts with the multilingual network: slower, and less led by words.

The network is the first layers of a language model, cut and rounded. It gives a second opinion on what the small
networks flag or are not sure of.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any, Final

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from proctor.core.errors import StoreError
from proctor.core.fork_lock import ForkLock
from proctor.models.local.model_registry import weights_of
from proctor.models.local.packed_matrices import unfolded
from proctor.models.local.text_frames import Frame, TextFrames
from proctor.models.local.unfolded_file import UnfoldedFile
from proctor.models.local.weights import HINT

__all__ = ["DANGERS", "MultilingualNetwork", "MultilingualReading", "multilingual_network"]

DANGERS: Final = ("legal_threat", "media_complaint", "safety_incident", "self_harm")
TOKENS: Final = 224  # of one line
KEEP: Final = 256  # cached lines

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class MultilingualReading:
    """The outputs for one line, as logits."""

    outputs: tuple[float, ...]

    @property
    def attack(self) -> float:
        """The logit of an attempt to take over the agent, or of an instruction in a document."""
        return self.outputs[5]

    @property
    def promise(self) -> float:
        """The logit that an answer grants or promises something."""
        return self.outputs[4]

    @property
    def danger(self) -> float:
        """The logit of any danger."""
        return float(np.logaddexp.reduce(self.outputs[7:11])) - self.outputs[6]

    @property
    def dangers(self) -> dict[str, float]:
        """The share of each danger among the dangers."""
        share = np.exp(np.array(self.outputs[7:11]) - np.logaddexp.reduce(self.outputs[7:11]))
        return dict(zip(DANGERS, share.tolist(), strict=True))

    @property
    def entailment(self) -> tuple[float, float, float]:
        """The logits of entailment, neutral and contradiction, of a pair."""
        return self.outputs[0], self.outputs[1], self.outputs[2]

    @property
    def support(self) -> float:
        """The logit that the first text of a pair supports the second."""
        return self.outputs[3]


class MultilingualNetwork:
    """A session with its tokenizer and table. Thread-safe."""

    def __init__(self, session: Any, tokenizer: Tokenizer, table: Array, scales: Array, file: str) -> None:
        self._session, self._table, self._scales, self._file = session, table, scales, file
        self._known: OrderedDict[tuple[int, ...], MultilingualReading] = OrderedDict()
        self._lock = ForkLock()
        self.frames = TextFrames(tokenizer)

    def read(self, texts: Sequence[str], frame: Frame = "user") -> list[MultilingualReading]:
        """Return what it says of each message, document or answer of an agent; a long text loses its end."""
        return [self._run(self.frames.alone(text, frame, TOKENS)) for text in texts]

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[MultilingualReading]:
        """Return what it says of each premise with its hypothesis; the premise gives way when both are too long."""
        return [self._run(self.frames.pair(premise, hypothesis, TOKENS)) for premise, hypothesis in pairs]

    def _run(self, line: tuple[int, ...]) -> MultilingualReading:
        with self._lock:
            if (known := self._known.get(line)) is not None:
                return known
        ids = np.array([line])
        pieces = self._table[ids].astype(np.float32) * self._scales[ids][:, :, None]
        try:
            (outputs,) = self._session.run(["outputs"], {"pieces": pieces})
        except Exception as broken:
            raise StoreError(f"the network cannot be run: {broken}", file=self._file, hint=HINT) from broken
        if not np.isfinite(outputs).all():
            raise StoreError("the network answers with what is no number", file=self._file, hint=HINT)
        found = MultilingualReading(tuple(outputs[0].tolist()))
        with self._lock:
            self._known[line] = found
            while len(self._known) > KEEP:
                self._known.popitem(last=False)
        return found


_door = RLock()


def multilingual_network(folder: Path | None = None, threads: int = 1) -> MultilingualNetwork:
    """Return the network, loaded once per process."""
    with _door:
        return _opened(folder, threads)


@cache
def _opened(folder: Path | None, threads: int) -> MultilingualNetwork:
    weights = weights_of(folder)
    graph, packed, tokens = (
        weights.path(name) for name in ("multilingual.onnx", "multilingual.npz", "multilingual.tokenizer.json")
    )
    try:
        with np.load(packed, allow_pickle=False) as kept:
            names = [name.removesuffix("|codes") for name in kept.files if name.endswith("|codes")]
            matrices = UnfoldedFile(unfolded(kept, name) for name in names)
            table, scales = kept["table"], kept["table|scales"]
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(each) for each in matrices.arrays]
        session = _session(graph, names, values, threads)
        matrices.release()
        tokenizer = Tokenizer.from_file(str(tokens))
    except Exception as broken:
        raise StoreError(f"the weights cannot be loaded: {broken}", file=str(packed), hint=HINT) from broken
    return MultilingualNetwork(session, tokenizer, table, scales, str(graph))


def _session(graph: Path, names: list[str], values: list[Any], threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.add_external_initializers(names, values)
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
