"""The multilingual network that ships, as one to train beside: its matrices as they ship, the rest from its graph.

``python -m training.small_base OUT`` writes ``small.npz``: what a machine without onnx needs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from training.qwen_network import BLOCK, Network, network_of

__all__ = ["main", "numbers_of_graph", "small_network"]

WEIGHTS = Path(__file__).resolve().parents[1] / "src" / "proctor" / "models" / "local" / "weights"
ENTRY = "entry.weight"


def numbers_of_graph(file: Path) -> dict[str, np.ndarray]:
    """Norms, biases, the entry and the head, as the graph has them."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(file), load_external_data=False).graph
    kept = {i.name: i for i in graph.initializer}
    found = {
        name.removeprefix("network."): numpy_helper.to_array(each)
        for name, each in kept.items()
        if name.startswith("network.") and not name.endswith(("_scale", "_zero_point", "_quantized"))
    }
    for name in kept:
        if name.endswith("_quantized"):
            whole, scale = (
                numpy_helper.to_array(kept[name.removesuffix("quantized") + x]) for x in ("quantized", "scale")
            )
            target = "head.weight" if "head" in name else ENTRY
            found[target] = (whole.astype(np.float32) * scale).T
    return found


def small_network(packed: Path, numbers: dict[str, np.ndarray], device: str) -> Network:
    """The network in float, with a fresh head for the outputs that what ships does not have."""
    state = {name: torch.from_numpy(np.array(value)) for name, value in numbers.items()}
    with np.load(packed) as kept:
        state["table.weight"] = torch.from_numpy(kept["table"].astype(np.float32) * kept["table|scales"][:, None])
        for name in kept.files:
            if name.endswith("|codes"):
                short = name.removesuffix("|codes")
                rows, columns = kept[f"{short}|shape"].tolist()
                codes = np.empty(rows * columns, np.float32)
                codes[0::2], codes[1::2] = kept[name] & 15, kept[name] >> 4
                scales = np.repeat(kept[f"{short}|scales"].astype(np.float32), BLOCK, 1)[:, :columns]
                state[short] = torch.from_numpy((codes.reshape(rows, columns) - 8) * scales)
    network = network_of(state)
    with torch.no_grad():
        new = network.head.weight.abs().sum(1) == 0
        network.head.weight[new] = torch.randn(int(new.sum()), network.head.in_features) * 0.01
    return network.to(device)


def main() -> None:
    """Write what the graph holds besides the matrices."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("out", type=Path)
    told = ask.parse_args()
    np.savez_compressed(told.out / "small.npz", **numbers_of_graph(WEIGHTS / "multilingual.onnx"))


if __name__ == "__main__":
    main()
