"""The part of the large network that ships: a low-rank adapter in four bits a weight, a norm and a head."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from proctor.core.errors import StoreError
from proctor.models.local.weights import HINT

__all__ = ["ADAPTED", "LargeAdapter", "open_adapter", "pack_codes"]

ADAPTED: Final = ("q", "k", "v", "o", "up", "down")
BLOCK: Final = 64  # weights that share a scale
MOST: Final = 7  # the largest code
ZERO: Final = 8  # the code of a weight that is zero

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class LargeAdapter:
    """What is added to the base. ``digest`` is the hash of the file."""

    numbers: Mapping[str, Array]
    digest: str

    @property
    def layers(self) -> int:
        """The number of layers of the base that are used."""
        return int(self.numbers["layers"])

    @property
    def norm(self) -> Array:
        """The factors of the last norm."""
        return self.numbers["norm"].astype(np.float32)

    @property
    def head(self) -> tuple[Array, Array]:
        """The weights of the outputs, a row for each, and what is added to them."""
        return self.numbers["head.weight"].astype(np.float32), self.numbers["head.bias"].astype(np.float32)

    def merged(self, weight: Array, layer: int, name: str) -> Array:
        """Return the matrix of the base (outputs by inputs) with what was learnt added to it."""
        start = f"layers.{layer}.{name}"
        if f"{start}.a|codes" in self.numbers:
            weight += self._unpacked(f"{start}.b").T @ self._unpacked(f"{start}.a")
        return weight

    def _unpacked(self, name: str) -> Array:
        packed, shape = self.numbers[f"{name}|codes"], tuple(self.numbers[f"{name}|shape"].tolist())
        codes = np.empty(packed.size * 2, np.float32)
        codes[0::2], codes[1::2] = packed & 15, packed >> 4
        codes -= ZERO
        whole = codes.reshape(-1, BLOCK) * self.numbers[f"{name}|scales"].astype(np.float32)[:, None]
        unpacked: Array = whole.reshape(-1)[: int(np.prod(shape))].reshape(shape)
        return unpacked


def pack_codes(name: str, value: Array) -> dict[str, Array]:
    """Return a matrix in four bits a weight: two in a byte, and a scale in half precision for each block."""
    flat = np.pad(value.astype(np.float32).reshape(-1), (0, -value.size % BLOCK)).reshape(-1, BLOCK)
    scales = (np.abs(flat).max(1) / MOST).clip(1e-7).astype(np.float16)
    codes = (np.rint(flat / scales.astype(np.float32)[:, None]).clip(-MOST, MOST) + ZERO).astype(np.uint8).reshape(-1)
    return {
        f"{name}|codes": codes[0::2] | (codes[1::2] << 4),
        f"{name}|scales": scales,
        f"{name}|shape": np.array(value.shape, np.int64),
    }


def open_adapter(file: Path) -> LargeAdapter:
    """Read the adapter.

    Raises:
        StoreError: it cannot be read, or something is missing in it.
    """
    try:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        with np.load(file, allow_pickle=False) as kept:
            adapter = LargeAdapter({name: kept[name] for name in kept.files}, digest)
        _ = adapter.layers, adapter.norm, adapter.head
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(file), hint=HINT) from broken
    return adapter
