"""Weights of two networks, and probabilities of faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from training.large_calibrate import FAULT_AT, fit_binary, fit_fault


def test_the_weights_that_made_the_labels_are_found() -> None:
    dice = np.random.default_rng(5)
    first, second = dice.normal(0, 3, (2, 20_000))
    label = (dice.random(20_000) < 1 / (1 + np.exp(-(0.3 * first + 0.7 * second - 1)))).astype(int)
    sets = np.array(["a", "b"]).repeat(10_000)
    assert np.allclose(fit_binary(first, second, label, sets), [0.3, 0.7, -1], atol=0.08)


def test_a_large_set_counts_no_more_than_a_small_one() -> None:
    first, second = np.zeros(1100), np.zeros(1100)
    label = np.array([0] * 1000 + [1] * 100)
    sets = np.array(["many"] * 1000 + ["few"] * 100)
    assert abs(fit_binary(first, second, label, sets)[2]) < 0.01


def test_acts_beside_a_fault_do_not_count(tmp_path: Path) -> None:
    dice = np.random.default_rng(6)
    fault = dice.integers(-1, 2, 9_000)
    said = np.zeros((9_000, FAULT_AT + 11), np.float32)
    said[:, FAULT_AT] = np.where(fault < 0, 50, dice.normal(0, 1, 9_000) + fault * 2)
    np.savez(tmp_path / "talks-said.npz", said=said, marks=np.stack([fault] * 6, 1))
    found = fit_fault(tmp_path / "talks-said.npz")
    assert abs(found["slope"] - 2) < 0.15
    assert abs(found["offset"] + 2) < 0.15
