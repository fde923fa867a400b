"""Convert the base of the large network once: its first layers with the adapter added, in int8 for onnxruntime."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from proctor.core.errors import StoreError
from proctor.models.fetch import DRAFT
from proctor.models.local.gguf_file import HINT, GgufFile
from proctor.models.local.large_adapter import LargeAdapter
from proctor.models.local.large_files import INDEX, NUMBERS, is_converted
from proctor.models.local.large_graph import LargeShape
from proctor.models.local.weights import HINT as WEIGHTS_HINT

__all__ = ["convert", "tokens_of"]

MOST: Final = 64  # seven of the eight bits, so that no sum overflows on a processor without the newer instructions
ALIGNMENT: Final = 64  # bytes
MATRICES: Final = {
    "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output", "gate": "ffn_gate", "up": "ffn_up",
    "down": "ffn_down",
}  # fmt: skip
COLUMNS: Final = 1024  # that are rounded at once

Array = np.ndarray[Any, Any]


def tokens_of(tokenizer: Path) -> list[str]:
    """Return the tokens of a tokenizer, in the order of their numbers.

    Raises:
        StoreError: the file cannot be read.
    """
    try:
        vocabulary: dict[str, int] = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
        return sorted(vocabulary, key=vocabulary.__getitem__)
    except (OSError, ValueError, KeyError, TypeError) as broken:
        raise StoreError(f"the tokenizer cannot be read: {broken}", file=str(tokenizer), hint=WEIGHTS_HINT) from broken


def convert(
    base: Path,
    adapter: LargeAdapter,
    tokens: Sequence[str],
    target: Path,
    *,
    say: Callable[[str], None] = lambda text: None,
) -> None:
    """Write the conversion to the folder ``target``, which appears when it is whole.

    Raises:
        StoreError: the base is not what the adapter was made for.
        OSError: it cannot be written.
    """
    with GgufFile(base) as file, tempfile.TemporaryDirectory(prefix=DRAFT, dir=target.parent) as work:
        shape = _shape(file, adapter)
        draft = Path(work) / target.name
        draft.mkdir()
        with (draft / NUMBERS).open("wb") as out:
            places = {name: _written(out, value) for name, value in _numbers(file, adapter, tokens, shape, say)}
            size = out.tell()
        index = {"size": size, "shape": asdict(shape), "places": places}
        (draft / INDEX).write_text(json.dumps(index), encoding="utf-8")
        draft.chmod(0o755)
        try:
            os.rename(draft, target)  # atomic: an interrupted conversion leaves nothing under this name
        except OSError:
            if not is_converted(target):  # else another process was faster
                _set_aside(target, Path(work))
                os.rename(draft, target)


def _set_aside(target: Path, work: Path) -> None:
    """Move what is there out of the way: it is cut off or of another time, and goes with the drafts."""
    os.rename(target, work / "before")


def _written(out: BinaryIO, value: Array) -> tuple[str, list[int], int]:
    out.write(b"\0" * (-out.tell() % ALIGNMENT))
    place = out.tell()
    out.write(np.ascontiguousarray(value).data)
    return value.dtype.name, list(value.shape), place


def _shape(file: GgufFile, adapter: LargeAdapter) -> LargeShape:
    fields = file.fields
    try:
        if fields["general.architecture"] != "qwen2":
            raise StoreError(f"is a model of kind {fields['general.architecture']}", file=str(file.path), hint=HINT)
        width, heads = int(fields["qwen2.embedding_length"]), int(fields["qwen2.attention.head_count"])
        shape = LargeShape(
            width=width,
            heads=heads,
            groups=int(fields["qwen2.attention.head_count_kv"]),
            size=width // heads,
            inner=int(fields["qwen2.feed_forward_length"]),
            layers=adapter.layers,
            outputs=len(adapter.head[1]),
            theta=float(fields["qwen2.rope.freq_base"]),
            epsilon=float(fields["qwen2.attention.layer_norm_rms_epsilon"]),
        )
    except KeyError as missing:
        raise StoreError(f"the GGUF file has no field {missing}", file=str(file.path), hint=HINT) from None
    if adapter.norm.shape != (width,) or adapter.head[0].shape != (shape.outputs, 2 * width):
        raise StoreError("the adapter was made for a model of another size", file=str(file.path), hint=HINT)
    return shape


def _numbers(
    file: GgufFile, adapter: LargeAdapter, tokens: Sequence[str], shape: LargeShape, say: Callable[[str], None]
) -> Iterator[tuple[str, Array]]:
    """Yield all numbers by the names that the graph has for them, one layer after the other."""
    known = {token: number for number, token in enumerate(file.fields.get("tokenizer.ggml.tokens", ()))}
    if missing := [token for token in tokens if token not in known]:
        raise StoreError(f"the base has no token {missing[0]!r}", file=str(file.path), hint=HINT)
    # The model ties both tables; of the two in the file the one of the output has more bits.
    yield "table", file.rows("output.weight", [known[token] for token in tokens]).astype(np.float16)
    for layer in range(shape.layers):
        say(f"converting layer {layer + 1} of {shape.layers}")
        start, name = f"blk.{layer}", f"layers.{layer}"
        yield f"{name}.before", file.tensor(f"{start}.attn_norm.weight")
        yield f"{name}.between", file.tensor(f"{start}.ffn_norm.weight")
        for short, long in MATRICES.items():
            codes, scales = _rounded(adapter.merged(file.tensor(f"{start}.{long}.weight"), layer, short))
            yield f"{name}.{short}", codes.T
            yield f"{name}.{short}.scale", scales
        for short in "qkv":
            yield f"{name}.{short}.bias", file.tensor(f"{start}.attn_{short}.bias")
    yield "norm", adapter.norm
    weight, bias = adapter.head
    yield "head.weight", weight
    yield "head.bias", bias


def _rounded(weight: Array) -> tuple[Array, Array]:
    """Return a matrix (outputs by inputs) in whole numbers, and the scale of each output."""
    codes = np.empty(weight.shape, np.int8)
    scales = (np.abs(weight).max(1) / MOST).clip(1e-12).astype(np.float32)
    for at in range(0, len(weight), COLUMNS):
        codes[at : at + COLUMNS] = np.rint(weight[at : at + COLUMNS] / scales[at : at + COLUMNS, None])
    return codes, scales
