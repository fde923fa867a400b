"""Matrices of four bits a weight come back in eight, in the units of their columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proctor.models.local.packed_matrices import BLOCK, MOST, unfolded


@given(rows=st.integers(1, 6), blocks=st.integers(1, 3), short=st.integers(0, 31), seed=st.integers(0, 99))
def test_a_matrix_comes_back(rows: int, blocks: int, short: int, seed: int) -> None:
    columns = blocks * BLOCK - 2 * short  # the last block of a row may be short
    dice = np.random.default_rng(seed)
    codes = dice.integers(-7, 8, (rows, columns))
    scales = dice.uniform(0.01, 1, (rows, -(-columns // BLOCK))).astype(np.float16)
    whole = codes * np.repeat(scales.astype(np.float32), BLOCK, 1)[:, :columns]
    each = np.abs(whole).max(1).astype(np.float32) / MOST
    each[each == 0] = 1
    flat = (codes + 8).astype(np.uint8).reshape(-1)
    packed = {
        "m|codes": flat[0::2] | (flat[1::2] << 4),
        "m|shape": np.array([rows, columns]),
        "m|scales": scales,
        "m|columns": each,
    }
    found = unfolded(packed, "m")
    assert found.dtype == np.int8
    assert found.shape == (columns, rows)
    assert found.flags.c_contiguous
    assert np.abs(found.T * each[:, None] - whole).max() <= each.max() * 0.51
