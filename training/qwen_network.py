"""The network of ``multilingual.py``: layers of a language model, whole or cut down, and how it is kept."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from training.plan import planned
from training.qwen_layers import layers_of
from training.token_lines import Lines

__all__ = [
    "ACTS_AT",
    "FAULT_AT",
    "OUTPUTS",
    "ROLES",
    "Layer",
    "Network",
    "Shape",
    "cut_from",
    "four_bit",
    "keep_rounded",
    "keep_whole",
    "kept_network",
    "network_of",
    "whole_of",
]

WIDTH, HEADS, GROUPS, SIZE, THETA = 896, 14, 2, 64, 1e6
ROLES = {
    "agent": (
        "done", "will_do", "proposes", "asks", "informs", "refuses", "way_forward", "hands_over", "deflects_person",
        "closes", "empty",
    ),
    "customer": (
        "wants_person", "agrees", "declines", "asks", "asks_again", "corrects", "gives", "thanks", "still_open",
    ),
}  # fmt: skip
ACTS_AT = 11  # before: entailment, neutral, contradiction, supported; grants; attack; no danger and the four dangers
FAULT_AT = ACTS_AT + sum(map(len, ROLES.values()))  # that an act of the agent is at fault; then the ten faults
OUTPUTS = FAULT_AT + 1 + 10
BLOCK = 64  # weights that share a scale


@dataclass(frozen=True, slots=True)
class Shape:
    """How wide the states are, and the heads of attention: how many, how many groups share keys, the size of one."""

    width: int = WIDTH
    heads: int = HEADS
    groups: int = GROUPS
    size: int = SIZE


SMALL = Shape()
SHAPES = {each.width: each for each in (SMALL, Shape(1536, 12, 2, 128))}  # Qwen2.5 with 0.5 B and 1.5 B weights


def four_bit(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Whole numbers from -7 to 7 and a scale for each block of a row (its last block may be short)."""
    rows, width = weight.shape
    wide = F.pad(weight, (0, -width % BLOCK)).view(rows, -1, BLOCK)
    scale = (wide.abs().amax(-1, keepdim=True) / 7).clamp(min=1e-6).half().float()  # in half precision 1e-8 is 0
    return (wide / scale).round().clamp(-7, 7).view(rows, -1)[:, :width], scale[:, :, 0]


def _rounded(weight: torch.Tensor) -> torch.Tensor:
    """Rounding that lets the gradient through."""
    with torch.no_grad():
        whole, scale = four_bit(weight)
        near = whole * scale.repeat_interleave(BLOCK, 1)[:, : weight.shape[1]]
    return weight + (near - weight).detach()


class Product(nn.Linear):
    """A matrix that can be rounded to 4 bits, and its input to 8."""

    rounding = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.rounding:
            return super().forward(x)
        with torch.no_grad():
            low, high = x.amin().clamp(max=0), x.amax().clamp(min=0)
            scale = ((high - low) / 255).clamp(min=1e-8)
            zero = (-low / scale).round()
            near = (((x / scale).round() + zero).clamp(0, 255) - zero) * scale
        return F.linear(x + (near - x).detach(), _rounded(self.weight), self.bias)


class Layer(nn.Module):
    """One layer of the language model; its attention looks back, as it was trained, or where ``seen`` allows it."""

    def __init__(self, inner: int, shape: Shape = SMALL) -> None:
        super().__init__()
        width, wide = shape.width, shape.heads * shape.size
        self.shape = shape
        self.before, self.between = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))
        self.q = Product(width, wide)
        self.k, self.v = (Product(width, shape.groups * shape.size) for _ in range(2))
        self.o = Product(wide, width, bias=False)
        self.gate, self.up = Product(width, inner, bias=False), Product(width, inner, bias=False)
        self.down = Product(inner, width, bias=False)
        self.seen: torch.Tensor | None = None  # how much each inner number is used, when asked

    def forward(
        self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor], shown: torch.Tensor | None = None
    ) -> torch.Tensor:
        """The states after this layer; ``shown`` is added where any token is looked at: far below 0 for padding."""
        rows, length, width = x.shape
        own = self.shape
        h = F.rms_norm(x, (width,), self.before.to(x.dtype), 1e-6)
        q = _turned(self.q(h).view(rows, length, own.heads, own.size), turn).transpose(1, 2)
        k = _turned(self.k(h).view(rows, length, own.groups, own.size), turn).transpose(1, 2)
        v = self.v(h).view(rows, length, own.groups, own.size).transpose(1, 2)
        k, v = (y.repeat_interleave(own.heads // own.groups, 1) for y in (k, v))
        if shown is None:
            seen = F.scaled_dot_product_attention(q, k, v.to(q.dtype), is_causal=True)
        else:  # written out: the fused product with a mask gave no numbers on the GPU
            near = (q @ k.transpose(-1, -2)).float() * own.size**-0.5 + shown
            seen = near.softmax(-1).to(v.dtype) @ v
        x = x + self.o(seen.transpose(1, 2).reshape(rows, length, -1))
        h = F.rms_norm(x, (width,), self.between.to(x.dtype), 1e-6)
        inner = F.silu(self.gate(h)) * self.up(h)
        if self.seen is not None:
            self.seen += inner.detach().float().abs().sum((0, 1))
        return x + self.down(inner)


def _turned(x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    cos, sin = turn
    one, two = x.chunk(2, -1)
    return x * cos.to(x.dtype) + torch.cat([-two, one], -1) * sin.to(x.dtype)


class Network(nn.Module):
    """Rows of the table, an entry where they are narrow, the layers, and a head over the last state and the mean.

    ``both`` is 1 where attention looks in both directions, 0 where it looks back only; it is kept with the weights.
    """

    def __init__(
        self, tokens: int, narrow: int, layers: int, inner: int, shape: Shape = SMALL, *, both: bool = False
    ) -> None:
        super().__init__()
        self.shape, self.looks_on = shape, both
        self.table = nn.Embedding(tokens, narrow or shape.width)
        self.entry = nn.Linear(narrow, shape.width, bias=False) if narrow else None
        self.layers = nn.ModuleList(Layer(inner, shape) for _ in range(layers))
        self.norm = nn.Parameter(torch.ones(shape.width))
        self.head = nn.Linear(2 * shape.width, OUTPUTS)
        self.rounded_table = False
        self.register_buffer("both", torch.tensor([float(both)]))

    def forward(self, ids: torch.Tensor, sizes: torch.Tensor, states: list[torch.Tensor] | None = None) -> torch.Tensor:
        """The outputs of each line; ``states`` receives what each layer leaves."""
        x, real = self.body(ids, sizes, states)
        last = x[torch.arange(len(ids), device=ids.device), sizes - 1]
        mean = (x * real[:, :, None]).sum(1) / sizes[:, None]
        return self.head(torch.cat([last, mean], -1).float())

    def read_at(self, ids: torch.Tensor, sizes: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        """The outputs at places within lines, as if each line ended there; ``marks`` has pairs of row and place."""
        x, real = self.body(ids, sizes)
        total = (x * real[:, :, None]).cumsum(1)
        last, mean = x[marks[:, 0], marks[:, 1]], total[marks[:, 0], marks[:, 1]] / (marks[:, 1:] + 1)
        return self.head(torch.cat([last, mean], -1).float())

    def body(
        self, ids: torch.Tensor, sizes: torch.Tensor, states: list[torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The last states, and which tokens are real."""
        length, size = ids.shape[1], self.shape.size
        rows = self.table(ids)
        if self.rounded_table:
            scale = rows.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
            rows = rows + ((rows / scale).round() * scale - rows).detach()
        x = rows if self.entry is None else self.entry(rows)
        place = torch.arange(length, device=ids.device)
        angle = place[:, None] * THETA ** -(torch.arange(0, size, 2, device=ids.device) / size)
        turn = angle.cos().repeat(1, 2)[:, None], angle.sin().repeat(1, 2)[:, None]
        real = place[None] < sizes[:, None]
        shown = torch.where(real, 0.0, -1e9)[:, None, None] if self.looks_on else None
        for layer in self.layers:
            x = layer(x, turn, shown)
            if states is not None:
                states.append(x)
        return F.rms_norm(x.float(), (self.shape.width,), self.norm, 1e-6), real

    def look_on(self) -> None:
        """From now on attention looks in both directions."""
        self.looks_on = True
        self.both.fill_(1.0)

    def round(self) -> None:
        """From now on run as it will ship."""
        self.rounded_table = True
        for part in self.modules():
            if isinstance(part, Product):
                part.rounding = True


def whole_of(folder: Path, device: str, layers: int) -> Network:
    """The layers as they are, with the table of the kept tokens."""
    found, table, _ = layers_of(folder, device)
    inner = found["blk.0.ffn_gate.weight"].shape[0]
    network = Network(len(table), 0, layers, inner, SHAPES[table.shape[1]]).to(device)
    with torch.no_grad():
        network.table.weight.copy_(table)
        for at, layer in enumerate(network.layers):
            own = {n.removeprefix(f"blk.{at}."): v for n, v in found.items() if n.startswith(f"blk.{at}.")}
            layer.before.copy_(own["attn_norm.weight"])
            layer.between.copy_(own["ffn_norm.weight"])
            for short, part in (("q", layer.q), ("k", layer.k), ("v", layer.v)):
                part.weight.copy_(own[f"attn_{short}.weight"])
                part.bias.copy_(own[f"attn_{short}.bias"])
            layer.o.weight.copy_(own["attn_output.weight"])
            for short, part in (("gate", layer.gate), ("up", layer.up), ("down", layer.down)):
                part.weight.copy_(own[f"ffn_{short}.weight"])
    nn.init.normal_(network.head.weight, std=0.01)
    nn.init.zeros_(network.head.bias)
    return network


def kept_network(file: Path, device: str) -> Network:
    """A network of any shape from its state."""
    return network_of(torch.load(file, map_location=device)).to(device)


def network_of(state: dict[str, torch.Tensor]) -> Network:
    """A network of any shape from its numbers; those written before attention could look on look back."""
    layers = 1 + max(int(n.split(".")[1]) for n in state if n.startswith("layers."))
    tokens, narrow = state["table.weight"].shape
    inner, width = state["layers.0.gate.weight"].shape
    entry = narrow if "entry.weight" in state else 0
    state = {"both": torch.zeros(1)} | state
    for name in ("head.weight", "head.bias"):  # what was written before turns were read has fewer outputs
        more = OUTPUTS - len(state[name])
        state[name] = torch.cat([state[name], state[name].new_zeros(more, *state[name].shape[1:])])
    network = Network(tokens, entry, layers, inner, SHAPES[width], both=bool(state["both"].item()))
    network.load_state_dict(state)
    return network


@torch.no_grad()
def cut_from(
    teacher: Network, samples: Sequence[Lines], counts: np.ndarray, *, layers: int, inner: int, narrow: int
) -> tuple[Network, list[int]]:
    """The layers that are missed the most, in each the inner numbers that are used the most, and a narrower table.

    Also, for each layer kept, the layer of the teacher whose state it should leave behind.
    """
    deep, device = len(teacher.layers), samples[0].device
    for layer in teacher.layers:
        layer.seen = torch.zeros(layer.gate.weight.shape[0], device=device)
    teacher.eval()
    batches = [
        lines.batch(group)[:2]
        for lines in samples
        for group in list(planned(lines.lengths, 16384, random.Random(9)))[:3]
    ]
    for ids, sizes in batches:
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            teacher(ids, sizes)
    used = [layer.seen for layer in teacher.layers]
    for layer in teacher.layers:
        layer.seen = None
    kept = _layers_needed(teacher, batches, layers)
    print("kept layers", kept, flush=True)
    student = Network(len(counts), narrow, layers, inner).to(device)
    for mine, at in zip(student.layers, kept, strict=True):
        theirs = teacher.layers[at]
        use = used[at] * theirs.down.weight.norm(dim=0)
        top = use.topk(inner).indices.sort().values
        for name in ("before", "between"):
            getattr(mine, name).copy_(getattr(theirs, name))
        for name in ("q", "k", "v"):
            getattr(mine, name).load_state_dict(getattr(theirs, name).state_dict())
        mine.o.weight.copy_(theirs.o.weight)
        mine.gate.weight.copy_(theirs.gate.weight[top])
        mine.up.weight.copy_(theirs.up.weight[top])
        mine.down.weight.copy_(theirs.down.weight[:, top])
    table = teacher.table.weight.float()
    worth = torch.from_numpy(np.sqrt(counts + 1.0)).float().to(device)[:, None]
    _, _, axes = torch.linalg.svd(table * worth, full_matrices=False)
    axes = axes[:narrow]
    spread = (table @ axes.T).std()
    student.table.weight.copy_(table @ axes.T / spread)
    student.entry.weight.copy_(axes.T * spread)
    student.norm.copy_(teacher.norm)
    student.head.load_state_dict(teacher.head.state_dict())
    return student, [*(at - 1 for at in kept[1:]), deep - 1]


@torch.no_grad()
def _layers_needed(teacher: Network, batches: Sequence[tuple[torch.Tensor, torch.Tensor]], most: int) -> list[int]:
    """Leave out one layer after another, each time the one without which the answers change the least."""
    whole, device = list(teacher.layers), batches[0][0].device.type

    def said(chosen: Sequence[int]) -> list[torch.Tensor]:
        teacher.layers = nn.ModuleList(whole[at] for at in chosen)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            return [teacher(ids, sizes).float() for ids, sizes in batches]

    kept = list(range(len(whole)))
    wanted = said(kept)
    while len(kept) > most:
        lost = {}
        for at in kept[1:]:
            now = said([x for x in kept if x != at])
            lost[at] = sum(float((a - b).abs().mean()) for a, b in zip(now, wanted, strict=True)) / len(wanted)
        gone = min(lost, key=lambda at: lost[at])
        print("without", gone, round(lost[gone], 3), flush=True)
        kept.remove(gone)
    teacher.layers = nn.ModuleList(whole)
    return kept


def keep_rounded(network: Network, folder: Path, size: int = 15_000_000) -> None:
    """Write the network as it will run: 4 bits a weight in bytes of two, the table in 8, in files of ``size``."""
    found: dict[str, np.ndarray] = {}
    for name, value in network.state_dict().items():
        if value.ndim == 2 and name.startswith("layers."):
            whole, scale = four_bit(value.float())
            flat = (whole + 8).to(torch.uint8).cpu().numpy().reshape(-1)
            found[f"{name}|4|{'x'.join(map(str, value.shape))}"] = flat[0::2] | (flat[1::2] << 4)
            found[f"{name}|scale"] = scale.half().cpu().numpy()
        elif name == "table.weight":
            scale = value.float().abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
            found["table|8"] = (value.float() / scale).round().to(torch.int8).cpu().numpy()
            found["table|scale"] = scale[:, 0].cpu().numpy()
        else:
            found[name] = value.float().cpu().numpy()
    _write(found, folder, "rounded", size)


def keep_whole(network: Network, folder: Path, size: int = 15_000_000) -> None:
    """Write the weights in 8 bits a row, to go on from later."""
    found: dict[str, np.ndarray] = {}
    for name, value in network.state_dict().items():
        if value.ndim == 2:
            scale = value.float().abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
            found[f"{name}|8"] = (value.float() / scale).round().to(torch.int8).cpu().numpy()
            found[f"{name}|scale"] = scale[:, 0].half().cpu().numpy()
        else:
            found[name] = value.float().cpu().numpy()
    _write(found, folder, "whole", size)


def _write(found: dict[str, np.ndarray], folder: Path, name: str, size: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    part: dict[str, np.ndarray] = {}
    held = count = 0
    for key, value in found.items():
        if held + value.nbytes > size and part:
            np.savez(folder / f"{name}-{count}.npz", **part)
            part, held, count = {}, 0, count + 1
        part[key] = value
        held += value.nbytes
    np.savez(folder / f"{name}-{count}.npz", **part)
