"""What is trained with rounding is what runs in int8, and what is kept small comes back within half a step."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("torch")

import numpy as np
import torch
from training.keeping import depth_of, keep, keep_small, load_kept, load_small
from training.network import Body, Headed, Linear, Reader, load_table, quantised_rows, rounded
from training.student import Task, fit, injection_loss

from tests.training.conftest import in_float


def test_int8_rows_are_close_to_the_table(tmp_path: Path) -> None:
    table = np.random.default_rng(1).normal(size=(20, 384)).astype(np.float32)
    whole, scale = quantised_rows(table)
    assert np.abs(whole * scale - table).max() <= scale.max() * 0.5001
    np.savez(tmp_path / "table.npz", q=whole, s=scale)
    assert np.array_equal(load_table(str(tmp_path / "table.npz")), whole * scale)


def test_a_network_comes_back_whole(tmp_path: Path) -> None:
    network = Headed(1, 7)
    keep(tmp_path / "kept.pt", network)
    kept = load_kept(tmp_path / "kept.pt")
    assert all(torch.equal(value, kept[name]) for name, value in network.state_dict().items())


@pytest.mark.parametrize("make", [lambda: Body(2), lambda: Headed(2, 4, entry=True), lambda: Reader(2, 5, 9)])
def test_a_network_kept_small_comes_back_within_half_a_step(tmp_path: Path, make: type[Body]) -> None:
    torch.manual_seed(0)
    network = make()
    keep_small(tmp_path / "small.npz", network)
    kept = load_small(tmp_path / "small.npz")
    assert depth_of(kept) == 2
    assert set(kept) == set(network.state_dict())
    products = {f"{name}.weight" for name, part in network.named_modules() if isinstance(part, Linear)}
    for name, value in network.state_dict().items():
        if name in products:
            step = value.abs().amax(1, keepdim=True) / 64
            assert ((kept[name] - value).abs() <= step * 0.5001).all(), name
        else:
            torch.testing.assert_close(kept[name], value, rtol=1e-3, atol=1e-6)
    network.load_state_dict(kept)
    keep_small(tmp_path / "again.npz", network)
    again = load_small(tmp_path / "again.npz")
    for name in products:  # what was rounded once is not rounded further
        torch.testing.assert_close(again[name], kept[name], rtol=1e-5, atol=1e-7)


def test_rounding_lets_gradients_through() -> None:
    product = Linear(8, 4)
    rounded(product)
    x = torch.randn(3, 8, requires_grad=True)
    product(x).sum().backward()
    assert x.grad is not None
    assert product.weight.grad is not None
    assert product.weight.grad.abs().sum() > 0
    rounded(product, False)
    torch.testing.assert_close(product(x), torch.nn.functional.linear(x, product.weight, product.bias))


@pytest.mark.filterwarnings("ignore")  # the exporter and the quantiser warn about their own age
def test_a_tiny_network_learns_and_its_rounding_is_that_of_int8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnx")
    ort = pytest.importorskip("onnxruntime")
    from training.batches import Lines
    from training.export import agreement, export, quantise
    from training.figures import auroc

    in_float(monkeypatch)
    torch.manual_seed(0)
    dice = np.random.default_rng(0)
    texts = [dice.integers(4, 40, 10).astype(np.int32) for _ in range(64)]
    for i, ids in enumerate(texts):
        ids[3] = 41 if i % 2 else 42  # the piece that decides
    table, network = torch.nn.Embedding(50, 384), Headed(1, 7)
    lines = Lines(texts, None, "cpu")
    loss = injection_loss([{"label": i % 2, "cat_id": -1, "w": 1.0} for i in range(64)], "cpu")
    task = Task(lines, network, loss, 320, 1)
    fit([task], table, steps=40, seconds=600, rate=1e-3, table_rate=1e-2, name="tiny", rounding=0.5)
    network.eval()
    keep_small(tmp_path / "small.npz", network)
    network.load_state_dict(load_small(tmp_path / "small.npz"))  # what is exported is what was kept
    ids, mask, types = lines.batch(list(range(64)))
    pieces = table(ids).detach()
    with torch.no_grad():
        rounded(network)
        trained = network(pieces, mask, types).numpy()
        rounded(network, False)
        plain = network(pieces, mask, types).numpy()
    assert auroc([i % 2 for i in range(64)], trained[:, 0]) > 0.95
    export(network, tmp_path / "whole.onnx", ["logits"])
    quantise(tmp_path / "whole.onnx", tmp_path / "small.onnx")
    feed = {"pieces": pieces.numpy(), "mask": mask.numpy(), "types": types.numpy()}
    seen = agreement(tmp_path / "whole.onnx", tmp_path / "small.onnx", [feed])
    assert seen["n"] == 64
    assert seen["mean"] < 0.2
    assert (tmp_path / "small.onnx").stat().st_size < 0.5 * (tmp_path / "whole.onnx").stat().st_size
    first, second = (
        ort.InferenceSession(str(tmp_path / f"{name}.onnx"), providers=["CPUExecutionProvider"]).run(None, feed)[0]
        for name in ("whole", "small")
    )
    np.testing.assert_allclose(first, plain, atol=1e-3)
    assert np.abs(second - trained).mean() < 0.05
    assert np.abs(second - trained).mean() < np.abs(second - plain).mean()


def test_a_task_without_rows_is_refused() -> None:
    from training.batches import Lines

    with pytest.raises(ValueError, match="without rows"):
        Task(Lines([], None, "cpu"), Headed(1, 7), injection_loss([], "cpu"), 64, 1)
