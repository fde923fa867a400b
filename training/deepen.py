"""Makes a network deeper without changing what it says: layers that pass everything on are put between its own.

A new layer begins as a copy of the one below it whose two products that write to the stream are zero, and whose norms
put back the mean and the spread that the stream has there. It learns from there.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from training.halve import body_of
from training.network import Layer

__all__ = ["deepened"]


def deepened(
    network: nn.Module, lines: Sequence[tuple[torch.Tensor, torch.Tensor, torch.Tensor]], after: set[int]
) -> None:
    """Put a new layer after each of the layers named, in place; ``lines`` are batches to measure the stream with."""
    body = body_of(network)
    levels = _levels(network, lines)
    found = nn.ModuleList()
    for number, layer in enumerate(body.layers):
        found.append(layer)
        if number in after:
            assert isinstance(layer, Layer)
            found.append(_passing(layer, *levels[number]))
    body.layers = found


def _passing(below: Layer, mean: float, spread: float) -> Layer:
    layer = Layer().to(below.out.weight.device)
    layer.load_state_dict(below.state_dict())
    with torch.no_grad():
        for product in (layer.out, layer.down):
            product.weight.zero_()
            product.bias.zero_()
        for norm in (layer.norm1, layer.norm2):
            norm.weight.fill_(spread)
            norm.bias.fill_(mean)
    return layer


@torch.no_grad()
def _levels(
    network: nn.Module, lines: Sequence[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
) -> list[tuple[float, float]]:
    """Mean and spread over the width, after each layer, averaged over the pieces."""
    network.eval()
    seen: list[list[tuple[float, float]]] = [[] for _ in body_of(network).layers]
    for pieces, mask, types in lines:
        outputs = _outputs(network, pieces, mask, types)
        real = mask.bool()
        for number, output in enumerate(outputs):
            kept = output[real].float()
            seen[number].append((float(kept.mean(-1).mean()), float(kept.std(-1, unbiased=False).mean())))
    return [(sum(m for m, _ in some) / len(some), sum(s for _, s in some) / len(some)) for some in seen]


def _outputs(network: nn.Module, pieces: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> list[torch.Tensor]:
    """What each layer gives on."""
    outputs = list[torch.Tensor]()
    hooks = [x.register_forward_hook(lambda _m, _i, out: outputs.append(out)) for x in body_of(network).layers]
    try:
        network(pieces, mask, types)
    finally:
        for hook in hooks:
            hook.remove()
    return outputs
