"""The packed adapter holds what training left."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proctor.models.local.large_adapter import open_adapter
from tests.models.local.tiny_large import LAYERS, adapter_arrays
from training import large_export


def test_the_adapter_is_packed_and_its_hash_is_in_the_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays: dict[str, Any] = dict(adapter_arrays())
    np.savez(tmp_path / "adapter_float.npz", **arrays)
    (tmp_path / "manifest.json").write_text(json.dumps({"files": {"z": "1"}, "settings": {"large": {"a": 1}}}))
    monkeypatch.setattr(sys, "argv", ["export", str(tmp_path / "adapter_float.npz"), "--out", str(tmp_path)])
    large_export.main()
    first = (tmp_path / "large.npz").read_bytes()
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["files"] == {"large.npz": hashlib.sha256(first).hexdigest(), "z": "1"}
    assert manifest["settings"] == {"large": {"a": 1}}
    assert float(capsys.readouterr().out.split()[-1]) < 0.002
    adapter = open_adapter(tmp_path / "large.npz")
    assert adapter.layers == LAYERS
    assert np.array_equal(adapter.head[0], arrays["head.weight"])
    assert np.array_equal(adapter.norm, arrays["norm"])
    large_export.main()
    assert (tmp_path / "large.npz").read_bytes() == first


def test_lines_for_the_test_of_parity_keep_what_was_said_to_them() -> None:
    sizes = np.array([3, 500, 2] * 50)
    flat = np.arange(sizes.sum())
    found = large_export.parity(flat, sizes, np.arange(150)[:, None] * np.ones((1, 42)))
    assert len(found["sizes"]) == len(found["said"]) == large_export.LINES
    at = 0
    for size, said in zip(found["sizes"], found["said"][:, 0], strict=True):
        start = int(sizes[: int(said)].sum())
        assert found["flat"][at : at + size].tolist() == list(range(start, start + int(size)))
        at += int(size)
    assert set(found["sizes"].tolist()) == {2, 3}


def test_a_matrix_that_was_not_rounded_is_told_by_the_difference(tmp_path: Path) -> None:
    arrays = adapter_arrays()
    arrays["layers.1.up.a"] = arrays["layers.1.up.a"] + np.linspace(0, 0.02, 256, dtype=np.float32)
    assert large_export.write_adapter(arrays, tmp_path / "large.npz") > 0.01
