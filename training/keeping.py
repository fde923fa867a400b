"""Keeps trained networks: whole between stages, and small (int8 products) to take home."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from torch import nn

from training.network import Linear

__all__ = ["depth_of", "keep", "keep_small", "load_kept", "load_small"]


def depth_of(names: Iterable[str]) -> int:
    """How many layers a network has, by the names of its weights."""
    return 1 + max(int(n) for name in names for n in re.findall(r"(?:^|\.)layers\.(\d+)\.", name))


def keep(path: Path, part: nn.Module) -> None:
    """The state of a network, in float32."""
    torch.save({k: v.detach().float().cpu() for k, v in part.state_dict().items()}, path)


def load_kept(path: Path) -> dict[str, torch.Tensor]:
    """What ``keep`` wrote."""
    return dict(torch.load(path, weights_only=True))


def keep_small(path: Path, network: nn.Module) -> None:
    """The state of a network trained with rounding: its products as seven-bit rows with a scale each."""
    products = {f"{name}.weight" for name, part in network.named_modules() if isinstance(part, Linear)}
    found: dict[str, np.ndarray] = {}
    for name, value in network.state_dict().items():
        if name in products:
            step = value.abs().amax(1, keepdim=True).float() / 64 + 1e-12
            found[name] = torch.round(value.float() / step).to(torch.int8).cpu().numpy()
            found[name + "|s"] = step.cpu().numpy()
        else:
            found[name] = value.half().cpu().numpy()
    np.savez_compressed(path, **found)


def load_small(path: Path) -> dict[str, torch.Tensor]:
    """What ``keep_small`` wrote, in float32."""
    kept = np.load(path)
    return {
        name: torch.from_numpy(
            kept[name].astype(np.float32) * (kept[name + "|s"] if name + "|s" in kept.files else 1.0)
        )
        for name in kept.files
        if not name.endswith("|s")
    }
