"""Qwen2.5-Coder-1.5B as a fast writer: many lines at a time, greedily, on one GPU.

What all lines begin with is read once and shared; the beginning of each line is read at once; every further step of
the whole batch is one recorded graph, so that a second gives tens of thousands of tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F

__all__ = ["Writer"]


class Writer:
    """The language model as a batch writes with it: what all lines share is read once, a step is one recorded graph."""

    def __init__(self, model: Any, batch: int, longest: int) -> None:
        self.body, self.config = model.model, model.config
        self.device = self.body.embed_tokens.weight.device
        self.kind = self.body.embed_tokens.weight.dtype
        self.batch, self.longest = batch, longest
        self.groups = self.config.num_key_value_heads
        self.heads = self.config.num_attention_heads
        self.size = self.config.hidden_size // self.heads
        shape = (len(self.body.layers), batch, self.groups, longest, self.size)
        self.keys = torch.zeros(shape, dtype=self.kind, device=self.device)
        self.values = torch.zeros(shape, dtype=self.kind, device=self.device)
        self.tokens = torch.zeros(batch, dtype=torch.long, device=self.device)
        self.at = torch.zeros(1, dtype=torch.long, device=self.device)  # own tokens so far
        theta = float(self.config.rope_parameters["rope_theta"])
        half = torch.arange(0, self.size, 2, device=self.device, dtype=torch.float32) / self.size
        self.turn = theta**-half
        self.first: tuple[torch.Tensor, torch.Tensor] | None = None
        self.graph: Any = None

    def _norm(self, x: torch.Tensor, norm: Any) -> torch.Tensor:
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + norm.variance_epsilon)
        return wide.to(x.dtype) * norm.weight

    def _turned(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        angle = place.float()[:, None] * self.turn[None]
        cos, sin = angle.cos().repeat(1, 2).to(x.dtype), angle.sin().repeat(1, 2).to(x.dtype)
        one, two = x.chunk(2, -1)
        return x * cos[:, None] + torch.cat([-two, one], -1) * sin[:, None]

    @torch.no_grad()
    def begin(self, ids: Sequence[int]) -> None:
        """Read the examples once; a recorded step of another language is forgotten."""
        line = torch.tensor(list(ids), device=self.device)
        x, place = self.body.embed_tokens(line), torch.arange(len(ids), device=self.device)
        keys, values = [], []
        for layer in self.body.layers:
            h, own = self._norm(x, layer.input_layernorm), layer.self_attn
            q = self._turned(own.q_proj(h).view(-1, self.heads, self.size), place)
            k = self._turned(own.k_proj(h).view(-1, self.groups, self.size), place)
            v = own.v_proj(h).view(-1, self.groups, self.size)
            keys.append(k.transpose(0, 1))
            values.append(v.transpose(0, 1))
            wide = (y.repeat_interleave(self.heads // self.groups, 1).transpose(0, 1)[None] for y in (k, v))
            seen = F.scaled_dot_product_attention(q.transpose(0, 1)[None], *wide, is_causal=True)[0]
            x = x + own.o_proj(seen.transpose(0, 1).reshape(len(ids), -1))
            x = x + layer.mlp(self._norm(x, layer.post_attention_layernorm))
        self.first = torch.stack(keys), torch.stack(values)  # [layers, groups, length, size]
        self.graph = None

    def logits(self) -> torch.Tensor:
        """Read the tokens at their place, and give the logits of the next."""
        assert self.first is not None
        before = self.first[0].shape[2]
        x = self.body.embed_tokens(self.tokens)
        place = (self.at + before).expand(self.batch)
        unseen = (torch.arange(self.longest, device=self.device) > self.at)[None, None, None]
        for number, layer in enumerate(self.body.layers):
            h, own = self._norm(x, layer.input_layernorm), layer.self_attn
            q = self._turned(own.q_proj(h).view(self.batch, self.heads, self.size), place)
            k = self._turned(own.k_proj(h).view(self.batch, self.groups, self.size), place)
            keys, values = self.keys[number], self.values[number]
            keys.index_copy_(2, self.at, k[:, :, None])
            values.index_copy_(2, self.at, own.v_proj(h).view(self.batch, self.groups, 1, self.size))
            q = q.view(self.batch, self.groups, -1, self.size) * self.size**-0.5
            # the examples are the same for all lines: one product for the whole batch
            flat = q.transpose(0, 1).reshape(self.groups, -1, self.size)
            shared = flat @ self.first[0][number].transpose(-1, -2)
            mine = (q @ keys.transpose(-1, -2)).masked_fill(unseen, -1e4)
            shared = shared.view(self.groups, self.batch, -1, before).transpose(0, 1)
            weight = torch.cat([shared, mine], -1).float().softmax(-1).to(self.kind)
            far = weight[..., :before].transpose(0, 1).reshape(self.groups, -1, before) @ self.first[1][number]
            far = far.view(self.groups, self.batch, -1, self.size).transpose(0, 1)
            seen = far + weight[..., before:] @ values
            x = x + own.o_proj(seen.reshape(self.batch, -1))
            x = x + layer.mlp(self._norm(x, layer.post_attention_layernorm))
        return F.linear(self._norm(x, self.body.norm), self.body.embed_tokens.weight)

    @torch.no_grad()
    def feed(self, given: torch.Tensor) -> None:
        """Read the beginnings of all lines at once, behind what they share."""
        assert self.first is not None
        before, length = self.first[0].shape[2], given.shape[1]
        x = self.body.embed_tokens(given)
        place = torch.arange(length, device=self.device) + before
        unseen = torch.ones(length, length, dtype=torch.bool, device=self.device).triu(1)
        for number, layer in enumerate(self.body.layers):
            h, own = self._norm(x, layer.input_layernorm), layer.self_attn
            q = self._along(own.q_proj(h).view(self.batch, length, self.heads, self.size), place)
            k = self._along(own.k_proj(h).view(self.batch, length, self.groups, self.size), place)
            v = own.v_proj(h).view(self.batch, length, self.groups, self.size)
            self.keys[number][:, :, :length] = k.transpose(1, 2)
            self.values[number][:, :, :length] = v.transpose(1, 2)
            q = q.view(self.batch, length, self.groups, -1, self.size) * self.size**-0.5
            flat = q.permute(2, 0, 1, 3, 4).reshape(self.groups, -1, self.size)
            shared = (flat @ self.first[0][number].transpose(-1, -2)).view(self.groups, self.batch, length, -1, before)
            mine = torch.einsum("bqgpd,bkgd->gbqpk", q, k)
            mine = mine.masked_fill(unseen[None, None, :, None, :], -1e4)
            weight = torch.cat([shared, mine], -1).float().softmax(-1).to(self.kind)
            far = weight[..., :before].reshape(self.groups, -1, before) @ self.first[1][number]
            far = far.view(self.groups, self.batch, length, -1, self.size)
            seen = far + torch.einsum("gbqpk,bkgd->gbqpd", weight[..., before:], v)
            x = x + own.o_proj(seen.permute(1, 2, 0, 3, 4).reshape(self.batch, length, -1))
            x = x + layer.mlp(self._norm(x, layer.post_attention_layernorm))

    def _along(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        angle = place.float()[:, None] * self.turn[None]
        cos, sin = angle.cos().repeat(1, 2).to(x.dtype), angle.sin().repeat(1, 2).to(x.dtype)
        one, two = x.chunk(2, -1)
        return x * cos[None, :, None] + torch.cat([-two, one], -1) * sin[None, :, None]

    def _step(self) -> torch.Tensor:
        return self.logits().argmax(-1)

    @torch.no_grad()
    def step(self) -> torch.Tensor:
        """The next token of each line; on a GPU the work is recorded once and repeated."""
        if self.device.type != "cuda":
            return self._step()
        if self.graph is None:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(2):
                    self._step()
            torch.cuda.current_stream().wait_stream(side)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.out = self._step()
        self.graph.replay()
        return self.out

    @torch.no_grad()
    def write(self, starts: Sequence[Sequence[int]], ends: set[int], most: int) -> list[list[int]]:
        """What follows each start (all of one length), up to an end or so many tokens."""
        given = torch.tensor([list(s) for s in starts], device=self.device)
        stop = torch.tensor(sorted(ends), device=self.device)
        done = torch.zeros(self.batch, dtype=torch.bool, device=self.device)
        length, found = given.shape[1], list[torch.Tensor]()
        if length > 1:
            self.feed(given[:, :-1])
        self.at.fill_(length - 1)
        self.tokens.copy_(given[:, -1])
        for _ in range(min(most, self.longest - length)):
            chosen = self.step()
            self.at += 1
            self.tokens.copy_(chosen)
            found.append(chosen.clone())
            done |= torch.isin(chosen, stop)
            if len(found) % 6 == 0 and float(done.float().mean()) > 0.98:
                break
        return [_until(line, ends) for line in torch.stack(found, 1).tolist()]


def _until(line: list[int], ends: set[int]) -> list[int]:
    for at, token in enumerate(line):
        if token in ends:
            return line[: at + 1]
    return line
