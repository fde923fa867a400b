"""Asks the large network, as it ships, about the lines that the multilingual network learns from.

``start WEIGHTS OUT`` writes the adapter that ships as ``low_rank.py`` reads it. ``ask`` needs it, the layers of the
base, and ``lines.npz``; it writes ``said-*.npy``, which ``multilingual.py cut --teacher`` learns from.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from training.low_rank import PARTS, adapted, started
from training.multilingual import asked_answers, compiled
from training.multilingual_tasks import Wanted
from training.qwen_network import Network, whole_of

__all__ = ["merged", "shipped_adapter"]


def shipped_adapter(file: Path) -> dict[str, np.ndarray]:
    """The adapter that ships, as ``low_rank.started`` takes it."""
    from proctor.models.local.large_adapter import open_adapter

    adapter = open_adapter(file)
    head, bias = adapter.head
    found = {"norm": adapter.norm, "head.weight": head, "head.bias": bias}
    for name in (n.removesuffix("|codes") for n in adapter.numbers if n.endswith("|codes")):
        side = adapter._unpacked(name)
        found[name] = (side.T if name.endswith(".b") else side).astype(np.float16)
    return found


@torch.no_grad()
def merged(network: Network, kind: torch.dtype) -> Network:
    """The network with its products of low rank added to the matrices, all in one precision."""
    for layer in network.layers:
        for name in PARTS:
            part = getattr(layer, name)
            a, b = part.sides()
            whole = nn.Linear(a.shape[1], b.shape[0], bias=part.bias is not None, device=a.device, dtype=kind)
            whole.weight.copy_(part.base.float() + b.float() @ a.float())
            if part.bias is not None:
                whole.bias.copy_(part.bias)
            setattr(layer, name, whole)
        layer.to(kind)
    network.table.to(kind)
    return network.requires_grad_(requires_grad=False)


def main() -> None:
    """Write the adapter, or ask."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="what", required=True)
    one = parts.add_parser("start")
    one.add_argument("weights", type=Path)
    one.add_argument("out", type=Path)
    other = parts.add_parser("ask")
    for name in ("data", "qwen", "adapter", "out"):
        other.add_argument(f"--{name}", type=Path, required=True)
    other.add_argument("--layers", type=int, default=18)
    other.add_argument("--budget", type=int, default=65536, help="tokens at once")
    other.add_argument("--seconds", type=float, default=10**6)
    other.add_argument("--compile", action="store_true")
    told = parser.parse_args()
    if told.what == "start":
        np.savez(told.out, **shipped_adapter(told.weights))
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    with np.load(told.adapter) as kept:
        network = merged(started(adapted(whole_of(told.qwen, device, told.layers), kind), dict(kept)), kind)
    compiled(network, told.compile)
    wanted = Wanted(told.data, Tokenizer.from_file(str(told.qwen / "tokenizer.json")), device, None)
    told.out.mkdir(parents=True, exist_ok=True)
    asked_answers(network, wanted, told.out, told.budget, time.time() + told.seconds)


if __name__ == "__main__":
    main()
