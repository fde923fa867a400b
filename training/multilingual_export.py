"""Writes the multilingual network as it ships: a graph without its large matrices, and these in four bits a weight.

``multilingual.onnx`` holds the graph, the small vectors and the head; ``multilingual.npz`` the matrices (two weights a
byte, a scale for each block of a row, and the scale of each column in eight bits) and the table. The tokenizer is
copied.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from training.export import quantise
from training.qwen_network import ACTS_AT, BLOCK, GROUPS, HEADS, SIZE, THETA, WIDTH, Network, network_of

__all__ = ["Graph", "matrices", "rounded_network", "shipped_network"]

TABLE_LEVELS = 31  # the table keeps six bits of its eight


def rounded_network(folder: Path) -> tuple[Network, dict[str, np.ndarray]]:
    """The network of the files ``rounded-*.npz``, and these files' contents."""
    kept: dict[str, np.ndarray] = {}
    for file in sorted(folder.glob("rounded-*.npz")):
        with np.load(file) as found:
            kept |= {name: found[name] for name in found.files}
    state: dict[str, torch.Tensor] = {}
    for name, value in kept.items():
        if "|4|" in name:
            short, _, shape = name.split("|")
            codes = _codes(value, shape)
            scales = np.repeat(kept[f"{short}|scale"].astype(np.float32), BLOCK, 1)[:, : codes.shape[1]]
            state[short] = torch.from_numpy(codes * scales)
        elif "|" not in name:
            state[name] = torch.from_numpy(value)
    table, scales = _table(kept)
    state["table.weight"] = torch.from_numpy(table.astype(np.float32) * scales[:, None])
    return network_of(state).eval(), kept


def shipped_network(folder: Path) -> Network:
    """The network as it ships (``multilingual.npz``, ``multilingual.onnx``), to go on from; it looks back."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(folder / "multilingual.onnx"), load_external_data=False).graph
    small = {i.name: numpy_helper.to_array(i) for i in graph.initializer if not i.external_data}
    state = {n.removeprefix("network."): torch.tensor(v) for n, v in small.items() if n.startswith("network.")}
    whole = {n: v for n, v in small.items() if n.endswith("_quantized")}
    for name, value in whole.items():
        start = name.removesuffix("_quantized")
        matrix = torch.from_numpy(value.astype(np.float32) * small[f"{start}_scale"]).T.contiguous()
        state["head.weight" if "head" in name else "entry.weight"] = matrix
    state = {n: v for n, v in state.items() if not n.startswith("head.weight_")}
    with np.load(folder / "multilingual.npz") as kept:
        state["table.weight"] = torch.from_numpy(kept["table"].astype(np.float32) * kept["table|scales"][:, None])
        for name in (n.removesuffix("|codes") for n in kept.files if n.endswith("|codes")):
            codes = _codes(kept[f"{name}|codes"], "x".join(map(str, kept[f"{name}|shape"].tolist())))
            scales = np.repeat(kept[f"{name}|scales"].astype(np.float32), BLOCK, 1)[:, : codes.shape[1]]
            state[name] = torch.from_numpy(codes * scales)
    return network_of(state).eval()


def _codes(packed: np.ndarray, shape: str) -> np.ndarray:
    rows, columns = map(int, shape.split("x"))
    flat = np.empty(rows * columns, np.float32)
    flat[0::2], flat[1::2] = packed & 15, packed >> 4
    return (flat - 8).reshape(rows, columns)


def _table(kept: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    whole = kept["table|8"].astype(np.float32) * kept["table|scale"].astype(np.float32)[:, None]
    scales = (np.abs(whole).max(1) / TABLE_LEVELS).clip(1e-8).astype(np.float32)
    return np.rint(whole / scales[:, None]).astype(np.int8), scales


class Graph(nn.Module):
    """The network as plain operations over rows of the table, one line at a time."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, pieces: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The outputs of a line, and what the head reads: the last state and the mean."""
        net, length = self.network, pieces.size(1)
        assert net.entry is not None
        x = net.entry(pieces)
        place = torch.arange(length)
        angle = place[:, None] * (THETA ** -(torch.arange(0, SIZE, 2) / SIZE))
        cos, sin = angle.cos().repeat(1, 2)[:, None], angle.sin().repeat(1, 2)[:, None]
        back = torch.where(place[None, :] <= place[:, None], 0.0, -1e9)
        for layer in net.layers:
            h = _norm(x, layer.before)
            q = _turned(layer.q(h).view(1, length, HEADS, SIZE), cos, sin).transpose(1, 2)
            q = q.reshape(1, GROUPS, HEADS // GROUPS, length, SIZE)
            k = _turned(layer.k(h).view(1, length, GROUPS, SIZE), cos, sin).transpose(1, 2)[:, :, None]
            v = layer.v(h).view(1, length, GROUPS, SIZE).transpose(1, 2)[:, :, None]
            near = q @ k.transpose(-1, -2) * SIZE**-0.5
            seen = (near if net.looks_on else near + back).softmax(-1) @ v
            x = x + layer.o(seen.reshape(1, HEADS, length, SIZE).transpose(1, 2).reshape(1, length, WIDTH))
            h = _norm(x, layer.between)
            x = x + layer.down(F.silu(layer.gate(h)) * layer.up(h))
        x = _norm(x, net.norm)
        state = torch.cat([x[:, -1], x.mean(1)], -1)
        return net.head(state), state


def _norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight


def _turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    one, two = x.chunk(2, -1)
    return x * cos + torch.cat([-two, one], -1) * sin


def matrices(graph: Path, network: Network, target: Path) -> dict[str, np.ndarray]:
    """Write the graph without its matrices, each named as in the network; return the scale of each column."""
    import onnx
    from onnx import TensorProto, numpy_helper

    model = onnx.load(str(graph))
    large = [i for i in model.graph.initializer if i.data_type == TensorProto.INT8 and len(i.dims) == 2]
    scales = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer if i.name.endswith("_scale")}
    left = {n: v.T.numpy() for n, v in network.state_dict().items() if v.ndim == 2 and n.startswith("layers.")}
    columns: dict[str, np.ndarray] = {}
    renamed: dict[str, str] = {}
    for each in large:
        whole = numpy_helper.to_array(each)
        scale = scales[each.name.removesuffix("_quantized") + "_scale"]
        near = [
            n
            for n, v in left.items()
            if v.shape == whole.shape and np.array_equal(np.rint(v / scale).astype(np.int8), whole)
        ]
        if not near:
            continue  # the entry, which is small
        (name,) = near[:1]
        del left[name]
        columns[name], renamed[each.name] = scale.astype(np.float32), name
        each.ClearField("raw_data")
        each.name, each.data_location = name, TensorProto.EXTERNAL
        where = each.external_data.add()
        where.key, where.value = "location", "multilingual.npz"
    if left:
        raise ValueError(f"matrices that are not in the graph: {sorted(left)}")
    for node in model.graph.node:
        for at, name in enumerate(node.input):
            if name in renamed:
                node.input[at] = renamed[name]
    onnx.save(model, str(target))
    return columns


def _first_outputs(head: nn.Linear) -> nn.Linear:
    """The outputs that this network is asked for: those of turns and of faults are for the large one."""
    small = nn.Linear(head.in_features, ACTS_AT)
    small.load_state_dict({"weight": head.weight[:ACTS_AT], "bias": head.bias[:ACTS_AT]})
    return small


def main() -> None:
    """Read ``rounded-*.npz`` and write the three files that ship."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("folder", type=Path, help="the folder with rounded-*.npz")
    ask.add_argument("tokenizer", type=Path)
    ask.add_argument("out", type=Path)
    told = ask.parse_args()
    network, kept = rounded_network(told.folder)
    network.head = _first_outputs(network.head)
    rows = network.table(torch.tensor([[5, 6, 7, 8, 9]]))
    with tempfile.TemporaryDirectory() as folder:
        whole, small = Path(folder) / "whole.onnx", Path(folder) / "small.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the newer exporter needs another package
            torch.onnx.export(
                Graph(network).eval(),
                (rows,),
                str(whole),
                input_names=["pieces"],
                output_names=["outputs", "state"],
                dynamic_axes={"pieces": {1: "length"}},
                opset_version=17,
                dynamo=False,
            )
        quantise(whole, small, "/network/head")
        columns = matrices(small, network, told.out / "multilingual.onnx")
    table, scales = _table(kept)
    found: dict[str, np.ndarray] = {"table": table, "table|scales": scales}
    for name, value in kept.items():
        if "|4|" in name:
            short, _, shape = name.split("|")
            found |= {f"{short}|codes": value, f"{short}|shape": np.array(list(map(int, shape.split("x"))))}
            found |= {f"{short}|scales": kept[f"{short}|scale"], f"{short}|columns": columns[short]}
    np.savez_compressed(told.out / "multilingual.npz", **found)
    shutil.copyfile(told.tokenizer, told.out / "multilingual.tokenizer.json")


if __name__ == "__main__":
    main()
