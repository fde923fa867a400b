"""The whole recipe on tiny data: train, export, quantise, compare, and run what was exported."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

import numpy as np
import torch
from torch import nn
from training.batches import collate, encode_pairs, planned
from training.calibrate import platt, threshold
from training.export import agreement, export, quantise
from training.figures import auroc, recall_at, wilson
from training.network import Headed, quantised_rows
from training.student import Task, fit, injection_loss

pytestmark = pytest.mark.slow


def lines(count: int, length: int = 10) -> list[np.ndarray]:
    dice = np.random.default_rng(0)
    found = []
    for i in range(count):
        ids = dice.integers(4, 40, length)
        ids[3] = 41 if i % 2 else 42  # the piece that decides
        found.append(ids.astype(np.int32))
    return found


@pytest.mark.filterwarnings("ignore")  # the exporter and the quantiser warn about their own age
def test_a_tiny_network_learns_exports_and_agrees_after_quantising(tmp_path: Path) -> None:
    torch.manual_seed(0)
    table = nn.Embedding(50, 384)
    network = Headed(1, 7)
    texts = lines(64)
    rows = [{"label": i % 2, "cat_id": -1, "w": 1.0} for i in range(64)]
    fit(
        [Task(texts, network, injection_loss(rows, "cpu"), 320, 1)],
        table,
        steps=40,
        rate=1e-3,
        table_rate=1e-2,
        device="cpu",
        name="tiny",
    )
    network.eval()
    ids, mask, types = collate(texts, "cpu")
    with torch.no_grad():
        score = network(table(ids), mask, types)[:, 0].numpy()
    assert auroc([i % 2 for i in range(64)], score) > 0.95
    export(network, tmp_path / "whole.onnx", ["logits"])
    quantise(tmp_path / "whole.onnx", tmp_path / "small.onnx")
    feed = {"pieces": table(ids).detach().numpy(), "mask": mask.numpy(), "types": types.numpy()}
    seen = agreement(tmp_path / "whole.onnx", tmp_path / "small.onnx", [feed])
    assert seen["n"] == 64
    assert seen["mean"] < 0.2
    assert (tmp_path / "small.onnx").stat().st_size < 0.5 * (tmp_path / "whole.onnx").stat().st_size


def test_groups_cover_every_row_once_within_the_budget() -> None:
    lengths = [3, 50, 7, 7, 21, 9]
    groups = list(planned(lengths, 60, None))
    assert sorted(i for group in groups for i in group) == list(range(6))
    assert all(max(lengths[i] for i in group) * len(group) <= 60 or len(group) == 1 for group in groups)


def test_int8_rows_are_close_to_the_table() -> None:
    table = np.random.default_rng(1).normal(size=(20, 384)).astype(np.float32)
    whole, scale = quantised_rows(table)
    assert np.abs(whole * scale - table).max() <= scale.max() * 0.5001


def test_figures() -> None:
    assert auroc([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.2]) == 1.0
    assert auroc([0, 1], [0.5, 0.5]) == 0.5
    benign = np.arange(100.0)
    assert recall_at(benign, np.array([98.5, 99.5, 120.0]), 0.01) == (1.0, 98.0)
    assert threshold(benign, 0.05) == 94.0
    low, high = wilson(5, 10)
    assert low < 0.5 < high


def test_calibration_recovers_a_known_slope() -> None:
    dice = np.random.default_rng(2)
    logits = dice.normal(0, 3, 20000)
    labels = (dice.random(20000) < 1 / (1 + np.exp(-(0.5 * logits - 1)))).astype(float)
    slope, offset = platt(logits, labels, np.ones(20000))
    assert abs(slope - 0.5) < 0.05
    assert abs(offset + 1) < 0.1


def test_a_pair_too_long_gives_way_in_its_first_part() -> None:
    class Letters:
        def encode_batch_fast(self, texts: list[str], add_special_tokens: bool) -> list[object]:
            assert not add_special_tokens
            return [type("Line", (), {"ids": [ord(c) for c in text]})() for text in texts]

    ((ids, second),) = encode_pairs(Letters(), [("a" * 100, "b" * 6)], 32)  # type: ignore[arg-type]
    assert len(ids) <= 32
    assert (ids == ord("b")).sum() == 6
    assert ids[second] == ord("b")
