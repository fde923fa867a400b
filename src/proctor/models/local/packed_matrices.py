"""Unfold matrices that ship in four bits a weight into the int8 matrices that a network runs with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["unfolded"]

BLOCK = 64  # weights of a row that share a scale
ZERO = 8  # the code of a weight that is zero
MOST = 64  # seven of the eight bits, so that no sum overflows on a processor without the newer instructions

Array = np.ndarray[Any, Any]


def unfolded(packed: Mapping[str, Array], name: str) -> Array:
    """Return the matrix of that name, inputs by outputs, in units of its columns' scales."""
    rows, columns = packed[f"{name}|shape"].tolist()
    codes = packed[f"{name}|codes"]
    whole = np.empty((rows, columns), np.int8)
    flat = whole.reshape(-1)
    flat[0::2], flat[1::2] = codes & 15, codes >> 4
    whole -= ZERO
    steps = packed[f"{name}|scales"].astype(np.float32) / packed[f"{name}|columns"][:, None]
    wide = whole.astype(np.float32)
    for at in range(0, columns, BLOCK):
        wide[:, at : at + BLOCK] *= steps[:, at // BLOCK, None]
    return np.ascontiguousarray(np.rint(wide, out=wide).clip(-MOST, MOST).astype(np.int8).T)
