"""Averages the multilingual network that ships with one that was taught further: both know what the other forgot.

``python -m training.multilingual_mean SHIPPED FOLDER OUT [--share .5]``; OUT gets ``rounded-*.npz`` for
``multilingual_export.py``. Weights are averaged as they ship, in four bits, and rounded again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from training.multilingual_export import rounded_network, shipped_network
from training.qwen_network import ACTS_AT, Network, keep_rounded

__all__ = ["mean"]


@torch.no_grad()
def mean(one: Network, other: Network, share: float) -> Network:
    """The mean of two networks of one shape; ``share`` is the part of the other.

    Outputs that do not ship are those of the other.
    """
    first, second = one.state_dict(), other.state_dict()
    for name, value in second.items():
        mixed = (1 - share) * first[name] + share * value
        if name.startswith("head."):
            mixed[ACTS_AT:] = value[ACTS_AT:]
        value.copy_(mixed)
    other.load_state_dict(second)
    return other


def main() -> None:
    """Read both, and write the mean."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("shipped", type=Path, help="the folder of multilingual.npz")
    ask.add_argument("folder", type=Path, help="the folder of rounded-*.npz")
    ask.add_argument("out", type=Path)
    ask.add_argument("--share", type=float, default=0.5)
    told = ask.parse_args()
    keep_rounded(mean(shipped_network(told.shipped), rounded_network(told.folder)[0], told.share), told.out)


if __name__ == "__main__":
    main()
