"""The weights of two networks that read the same pair."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np
from training.second_entailment import family, fitted, left_out, softmax


def test_the_weights_of_two_networks_are_recovered() -> None:
    dice = np.random.default_rng(3)
    sets = []
    for _ in range(2):
        features = dice.normal(0, 3, (8000, 3, 2))
        chances = softmax(features @ np.array([0.3, 0.5]))
        labels = (chances.cumsum(1) < dice.random((8000, 1))).sum(1)
        sets.append((features, labels))
    assert np.allclose(fitted(sets), [0.3, 0.5], atol=0.03)


def test_a_network_that_says_nothing_has_no_weight() -> None:
    dice = np.random.default_rng(4)
    told = np.stack([dice.normal(0, 2, 6000), dice.normal(0, 2, 6000), np.ones(6000)], -1)
    features = np.stack([np.zeros_like(told), told], 1)
    labels = (dice.random(6000) < 1 / (1 + np.exp(-told[:, 0]))).astype(int)
    first, second, offset = fitted([(features, labels)])
    assert first == pytest.approx(1.0, abs=0.1)
    assert second == pytest.approx(0.0, abs=0.1)
    assert offset == pytest.approx(0.0, abs=0.1)


def test_a_set_is_measured_without_any_of_its_languages() -> None:
    names = ["snli", "xnli|de", "xnli|fr"]
    assert family("xnli|de") == "xnli"
    assert left_out("xnli|de", names) == ["snli"]
    assert left_out("snli", names) == ["xnli|de", "xnli|fr"]
