"""The multilingual network that is written out answers as the one that was trained."""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

import numpy as np
import torch
from training.qwen_network import ACTS_AT, Network, keep_rounded

from proctor.models.local.multilingual import _opened
from proctor.models.local.weights import open_weights
from training import multilingual_export


@pytest.mark.parametrize("both", [False, True])
def test_the_written_network_answers_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, both: bool) -> None:
    torch.manual_seed(3)
    network = Network(300, 64, 2, 128, both=both).eval()
    with torch.no_grad():
        network.table.weight.mul_(0.3)
        for layer in network.layers:
            layer.before.uniform_(0.9, 1.1)  # equal ones would be written once
            layer.between.uniform_(0.9, 1.1)
    keep_rounded(network, tmp_path / "kept")
    tokenizer = open_weights().path("multilingual.tokenizer.json")
    monkeypatch.setattr(sys, "argv", ["export", str(tmp_path / "kept"), str(tokenizer), str(tmp_path)])
    multilingual_export.main()
    names = ("multilingual.onnx", "multilingual.npz", "multilingual.tokenizer.json")
    files = {name: sha256((tmp_path / name).read_bytes()).hexdigest() for name in names}
    (tmp_path / "manifest.json").write_text(json.dumps({"files": files, "settings": {}}))
    written = _opened(tmp_path, 1)
    near, _ = multilingual_export.rounded_network(tmp_path / "kept")
    line = tuple(np.random.default_rng(1).integers(0, 300, 20).tolist())
    with torch.no_grad():
        wanted = near(torch.tensor([line]), torch.tensor([20]))[0, :ACTS_AT].numpy()  # turns and faults are not asked
        again = multilingual_export.shipped_network(tmp_path)(torch.tensor([line]), torch.tensor([20]))[0, :ACTS_AT]
    if not both:  # what ships looks back, and can be taught further
        assert np.abs(again.numpy() - wanted).max() < 0.1 * np.abs(wanted).max() + 0.05
    assert np.abs(np.array(written._run(line).outputs) - wanted).max() < 0.1 * np.abs(wanted).max() + 0.05
