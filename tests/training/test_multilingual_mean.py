"""The mean of two multilingual networks."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from training.multilingual_mean import mean
from training.qwen_network import ACTS_AT, Network


def test_weights_are_averaged_and_later_outputs_are_of_the_second() -> None:
    torch.manual_seed(4)
    one, other = (Network(50, 16, 1, 64) for _ in range(2))
    first = {name: value.clone() for name, value in one.state_dict().items()}
    second = {name: value.clone() for name, value in other.state_dict().items()}
    found = mean(one, other, 0.25).state_dict()
    assert torch.allclose(
        found["layers.0.q.weight"], 0.75 * first["layers.0.q.weight"] + 0.25 * second["layers.0.q.weight"]
    )
    assert torch.allclose(
        found["head.bias"][:ACTS_AT], 0.75 * first["head.bias"][:ACTS_AT] + 0.25 * second["head.bias"][:ACTS_AT]
    )
    assert torch.equal(found["head.weight"][ACTS_AT:], second["head.weight"][ACTS_AT:])
