"""The adapter that ships is read as training left it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proctor.core.errors import StoreError
from proctor.models.local.large_adapter import ADAPTED, open_adapter
from tests.models.local.tiny_large import LAYERS, adapter_arrays, packed_adapter


def test_each_matrix_is_added_as_it_was_learnt(tmp_path: Path) -> None:
    arrays = adapter_arrays()
    np.savez(tmp_path / "large.npz", **packed_adapter(arrays))
    adapter = open_adapter(tmp_path / "large.npz")
    assert adapter.layers == LAYERS
    for layer in range(LAYERS):
        for name in ADAPTED:
            learnt = arrays[f"layers.{layer}.{name}.b"] @ arrays[f"layers.{layer}.{name}.a"]
            base = np.ones_like(learnt)
            assert np.allclose(adapter.merged(base, layer, name), 1 + learnt, atol=1e-3 * np.abs(learnt).max())
    gate = np.ones((4, 4), np.float32)
    assert np.array_equal(adapter.merged(gate, 0, "gate"), np.ones((4, 4)))


def test_a_broken_adapter_is_named(tmp_path: Path) -> None:
    file = tmp_path / "large.npz"
    with pytest.raises(StoreError, match="cannot be read"):
        open_adapter(file)
    file.write_bytes(b"PK")
    with pytest.raises(StoreError, match="cannot be read"):
        open_adapter(file)
    np.savez(file, norm=np.ones(3))
    with pytest.raises(StoreError, match=r"large\.npz"):
        open_adapter(file)
