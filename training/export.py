"""Writes the networks as ONNX with int8 weights, and checks that int8 and float agree."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn

from training.keeping import depth_of, load_small
from training.marking import INTENTS, TAGS
from training.network import Body, Headed, Reader, mean_pool

__all__ = ["Vectors", "agreement", "build", "export", "quantise"]


class Vectors(nn.Module):
    """A body that gives each piece's vector and the sentence's."""

    def __init__(self, body: Body) -> None:
        super().__init__()
        self.body = body

    def forward(
        self, pieces: torch.Tensor, mask: torch.Tensor, types: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Sentence vectors of length one, and the vectors of the pieces."""
        hidden = self.body(pieces, mask, types)
        return nn.functional.normalize(mean_pool(hidden, mask), dim=-1), hidden


def build(name: str, state: dict[str, torch.Tensor]) -> tuple[nn.Module, list[str]]:
    """The network of that name with its trained state, and the names of its outputs."""
    depth = depth_of(state)
    if name == "embed":
        body = Body(depth)
        body.load_state_dict(state)
        return Vectors(body), ["vector", "tokens"]
    network: nn.Module
    if name == "reader":
        network, outputs = Reader(depth, len(INTENTS), len(TAGS)), ["text", "tags"]
    else:
        network, outputs = Headed(depth, 4, entry=True) if name == "nli" else Headed(depth, 7), ["logits"]
    network.load_state_dict(state)
    return network, outputs


def export(network: nn.Module, path: Path, outputs: list[str]) -> None:
    """One ONNX file; batch and length stay open."""
    network.eval()
    pieces, mask = torch.randn(2, 8, 384), torch.ones(2, 8)
    types = torch.zeros(2, 8, dtype=torch.long)
    axes = {name: {0: "batch", 1: "length"} for name in ("pieces", "mask", "types", "tokens", "tags")}
    torch.onnx.export(
        network,
        (pieces, mask, types),
        str(path),
        input_names=["pieces", "mask", "types"],
        output_names=outputs,
        dynamic_axes={**axes, **{o: {0: "batch"} for o in outputs if o not in ("tokens", "tags")}},
        opset_version=17,
        dynamo=False,
    )


def quantise(source: Path, target: Path, whole: str = "") -> None:
    """Int8 weights for the matrix products, one scale a column; activations are scaled as they come.

    Seven bits of the eight are used, so that no sum overflows on a processor without the newer instructions. Products
    whose name holds ``whole`` stay in float.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    ready = source.with_suffix(".ready.onnx")
    quant_pre_process(str(source), str(ready), skip_symbolic_shape=True)
    products = [n.name for n in onnx.load(str(ready)).graph.node if n.op_type == "MatMul"]
    quantize_dynamic(
        str(ready),
        str(target),
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        op_types_to_quantize=["MatMul"],
        nodes_to_exclude=[n for n in products if whole and whole in n],
    )
    ready.unlink()


def agreement(
    whole: Path, small: Path, batches: list[dict[str, np.ndarray]], decide: int | None = None
) -> dict[str, float]:
    """How far int8 is from float over the batches: largest and mean difference, share of equal decisions.

    The decision is the largest of the first ``decide`` outputs (of all when none is given); of one output, its sign.
    """
    import onnxruntime as ort

    first, second = (ort.InferenceSession(str(p), providers=["CPUExecutionProvider"]) for p in (whole, small))
    a = np.concatenate([first.run(None, b)[0] for b in batches])
    b = np.concatenate([second.run(None, b)[0] for b in batches])
    a, b = a[:, :decide], b[:, :decide]
    same = (a > 0) == (b > 0) if decide == 1 else a.argmax(1) == b.argmax(1)
    return {
        "n": len(a),
        "mean": float(np.abs(a - b).mean()),
        "largest": float(np.abs(a - b).max()),
        "same": float(same.mean()),
    }


def main() -> None:
    """Write every network as ONNX (int8) with its float twin beside it, and the shared table."""
    ask = argparse.ArgumentParser()
    ask.add_argument("trained", type=Path, help="folder of the .npz files that training left")
    ask.add_argument("out", type=Path)
    ask.add_argument("--only", nargs="*", default=["injection", "nli", "embed", "reader"])
    told = ask.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    for name in told.only:
        network, outputs = build(name, load_small(told.trained / f"{name}.npz"))
        export(network, told.out / f"{name}.float.onnx", outputs)
        quantise(told.out / f"{name}.float.onnx", told.out / f"{name}.onnx", "/tags/")  # heads were trained in float
        print(name, (told.out / f"{name}.onnx").stat().st_size, flush=True)
    kept = np.load(told.trained / "table-int8.npz")
    np.save(told.out / "table.npy", kept["q"])
    np.save(told.out / "scales.npy", kept["s"].astype(np.float32))


if __name__ == "__main__":
    main()
