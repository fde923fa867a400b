"""The network: one frozen or trained table of piece vectors, transformer bodies over it, and small heads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

__all__ = [
    "Body",
    "Headed",
    "Linear",
    "Reader",
    "joined",
    "load_body",
    "load_table",
    "mean_pool",
    "quantised_rows",
    "rounded",
]

WIDTH, HEADS, INNER, PLACES = 384, 12, 1536, 512


class Linear(nn.Linear):
    """A product that can be trained as it will run: weights in seven bits a column, inputs in eight bits a batch."""

    rounded = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Multiply; rounded as the int8 network rounds when ``rounded`` is set."""
        if not self.rounded:
            return super().forward(x)
        with torch.autocast(x.device.type, enabled=False):
            weight = self.weight
            step = weight.detach().abs().amax(1, keepdim=True) / 64 + 1e-12
            weight = weight + (torch.round(weight / step) * step - weight).detach()
            wide = x.float()
            low, high = wide.detach().amin().clamp(max=0), wide.detach().amax().clamp(min=0)
            unit = (high - low) / 255 + 1e-12
            zero = torch.round(-low / unit)
            kept = (torch.clamp(torch.round(wide / unit) + zero, 0, 255) - zero) * unit
            wide = wide + (kept - wide).detach()
        return F.linear(wide.to(x.dtype), weight.to(x.dtype), self.bias.to(x.dtype))


def rounded(network: nn.Module, on: bool = True) -> None:
    """Train (or judge) every product of the network as int8 will run it."""
    for part in network.modules():
        if isinstance(part, Linear):
            part.rounded = on


class Layer(nn.Module):
    """One transformer layer, post-norm, as BERT has it."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = Linear(WIDTH, 3 * WIDTH)
        self.out = Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = Linear(WIDTH, INNER)
        self.down = Linear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Attend over the unmasked places, then transform each place."""
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        if torch.onnx.is_in_onnx_export():
            scores = q @ k.transpose(-1, -2) / math.sqrt(WIDTH // HEADS) + mask
            mixed = scores.softmax(-1) @ v
        else:
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))
        x = self.norm1(x + self.drop(self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x)))))


class Body(nn.Module):
    """Piece vectors in, context vectors out."""

    def __init__(self, depth: int = 6, *, entry: bool = False) -> None:
        super().__init__()
        # a body that grew up with other piece vectors reads ours through a map
        self.entry = Linear(WIDTH, WIDTH) if entry else None
        self.places = nn.Embedding(PLACES, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(depth))
        self.drop = nn.Dropout(0.1)

    def forward(self, pieces: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """``pieces`` [batch, length, width]; ``mask`` 1 for real pieces; ``types`` 0 or 1 for the parts of a pair."""
        if self.entry is not None:
            pieces = self.entry(pieces)
        places = self.places.weight[: pieces.shape[1]]
        x = self.drop(self.norm(pieces + places + self.types(types)))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -1e4
        for layer in self.layers:
            x = layer(x, bias)
        return x


class Headed(nn.Module):
    """A body with a linear head over [first, mean, largest]."""

    def __init__(self, depth: int, outputs: int, *, entry: bool = False) -> None:
        super().__init__()
        self.body = Body(depth, entry=entry)
        self.head = nn.Linear(3 * WIDTH, outputs)  # small enough to stay in float
        self.drop = nn.Dropout(0.1)

    def forward(self, pieces: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """Logits, one row a text."""
        return self.read(self.body(pieces, mask, types), mask)

    def read(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Logits from context vectors."""
        return self.head(self.drop(joined(hidden, mask)))


class Reader(nn.Module):
    """A body with a head for whole texts and a head for every piece."""

    def __init__(self, depth: int, outputs: int, tags: int) -> None:
        super().__init__()
        self.whole = Headed(depth, outputs)
        self.tags = nn.Linear(WIDTH, tags)

    def forward(
        self, pieces: torch.Tensor, mask: torch.Tensor, types: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of the text, and logits of each piece."""
        hidden = self.whole.body(pieces, mask, types)
        return self.whole.read(hidden, mask), self.tags(self.whole.drop(hidden))


def joined(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """What a head sees of a line: the first of its vectors, their mean and the largest of each number."""
    kept = mask[:, :, None].to(hidden.dtype)
    largest = (hidden + (kept - 1.0) * 1e4).amax(1)
    return torch.cat([hidden[:, 0], mean_pool(hidden, mask), largest], -1)


def mean_pool(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The mean of the real places."""
    kept = mask[:, :, None].to(hidden.dtype)
    return (hidden * kept).sum(1) / kept.sum(1).clamp(min=1.0)


def load_body(weights: Mapping[str, np.ndarray], keep: Sequence[int]) -> Body:
    """A body from BERT weights by their usual names, with the layers named in ``keep``."""

    def take(name: str) -> torch.Tensor:
        return torch.from_numpy(np.asarray(weights[name], np.float32))

    body = Body(len(keep), entry="entry" in weights)
    with torch.no_grad():
        if body.entry is not None:
            body.entry.weight.copy_(take("entry").T)
            body.entry.bias.zero_()
        body.places.weight.copy_(take("embeddings.position_embeddings.weight"))
        body.types.weight.copy_(take("embeddings.token_type_embeddings.weight"))
        _norm(body.norm, take, "embeddings.LayerNorm")
        for layer, number in zip(body.layers, keep, strict=True):
            assert isinstance(layer, Layer)
            at = f"encoder.layer.{number}."
            for kind in ("weight", "bias"):
                three = [take(f"{at}attention.self.{part}.{kind}") for part in ("query", "key", "value")]
                getattr(layer.qkv, kind).copy_(torch.cat(three))
                getattr(layer.out, kind).copy_(take(f"{at}attention.output.dense.{kind}"))
                getattr(layer.up, kind).copy_(take(f"{at}intermediate.dense.{kind}"))
                getattr(layer.down, kind).copy_(take(f"{at}output.dense.{kind}"))
            _norm(layer.norm1, take, f"{at}attention.output.LayerNorm")
            _norm(layer.norm2, take, f"{at}output.LayerNorm")
    return body


def _norm(norm: nn.LayerNorm, take: object, name: str) -> None:
    norm.weight.copy_(take(f"{name}.weight"))  # type: ignore[operator]
    norm.bias.copy_(take(f"{name}.bias"))  # type: ignore[operator]


def quantised_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The table as int8 with one scale a row."""
    scale = np.abs(table).max(1, keepdims=True) / 127 + 1e-12
    return np.round(table / scale).astype(np.int8), scale.astype(np.float32)


def load_table(path: str) -> np.ndarray:
    """A table kept as int8 rows and scales, in float32."""
    kept = np.load(path)
    return kept["q"].astype(np.float32) * kept["s"]
