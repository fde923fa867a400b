"""Writes the networks as ONNX with int8 weights, and checks that int8 and float agree."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn

from training.network import Body, Headed, mean_pool

__all__ = ["Vectors", "agreement", "export", "quantise"]


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


def export(network: nn.Module, path: Path, outputs: list[str]) -> None:
    """One ONNX file; batch and length stay open."""
    network.eval()
    pieces, mask = torch.randn(2, 8, 384), torch.ones(2, 8)
    types = torch.zeros(2, 8, dtype=torch.long)
    axes = {name: {0: "batch", 1: "length"} for name in ("pieces", "mask", "types", "tokens")}
    torch.onnx.export(
        network,
        (pieces, mask, types),
        str(path),
        input_names=["pieces", "mask", "types"],
        output_names=outputs,
        dynamic_axes={**axes, **{o: {0: "batch"} for o in outputs if o != "tokens"}},
        opset_version=17,
        dynamo=False,
    )


def quantise(source: Path, target: Path, whole: str = "") -> None:
    """Int8 weights for the matrix products, one scale a column; activations are scaled as they come.

    Products whose name holds ``whole`` stay in float: the second product of each layer reads values of very uneven
    size, and entailment loses most there.
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
        op_types_to_quantize=["MatMul"],
        nodes_to_exclude=[n for n in products if whole and whole in n],
    )
    ready.unlink()


def agreement(whole: Path, small: Path, batches: list[dict[str, np.ndarray]]) -> dict[str, float]:
    """How far int8 is from float over the batches: largest and mean difference, share of equal first choices."""
    import onnxruntime as ort

    first, second = (ort.InferenceSession(str(p), providers=["CPUExecutionProvider"]) for p in (whole, small))
    a = np.concatenate([first.run(None, b)[0] for b in batches])
    b = np.concatenate([second.run(None, b)[0] for b in batches])
    return {
        "n": len(a),
        "mean": float(np.abs(a - b).mean()),
        "largest": float(np.abs(a - b).max()),
        "same": float((a.argmax(1) == b.argmax(1)).mean()),
    }


def _state(path: Path) -> dict[str, torch.Tensor]:
    return {k: v.float() for k, v in torch.load(path, weights_only=True).items()}


def main() -> None:
    """Write ``injection.onnx``, ``nli.onnx`` and ``embed.onnx`` (int8) and their float twins beside them."""
    ask = argparse.ArgumentParser()
    ask.add_argument("trained", type=Path)
    ask.add_argument("out", type=Path)
    told = ask.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    injection, nli, body = Headed(3, 7), Headed(6, 3), Body(6)
    injection.load_state_dict(_state(told.trained / "c_injection3.pt"))
    nli.load_state_dict(_state(told.trained / "c_nli.pt"))
    body.load_state_dict(_state(told.trained / "b_body.pt"))
    for name, network, outputs in (
        ("injection", injection, ["logits"]),
        ("nli", nli, ["logits"]),
        ("embed", Vectors(body), ["vector", "tokens"]),
    ):
        export(network, told.out / f"{name}.float.onnx", outputs)
        quantise(told.out / f"{name}.float.onnx", told.out / f"{name}.onnx", "down" if name == "nli" else "")
        print(name, (told.out / f"{name}.onnx").stat().st_size)


if __name__ == "__main__":
    main()
