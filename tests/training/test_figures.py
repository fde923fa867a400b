"""Figures and calibration on cases whose answer is known."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np
from training.figures import auroc, recall_at, wilson


def test_figures() -> None:
    assert auroc([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.2]) == 1.0
    assert auroc([0, 1], [0.5, 0.5]) == 0.5
    benign = np.arange(100.0)
    assert recall_at(benign, np.array([98.5, 99.5, 120.0]), 0.01) == (1.0, 98.0)
    low, high = wilson(5, 10)
    assert low < 0.5 < high
    assert wilson(0, 0) == (0.0, 1.0)


def test_calibration_recovers_a_known_slope() -> None:
    pytest.importorskip("torch")  # calibrate reads packed files by way of a module that needs it
    from training.calibrate import platt, threshold

    dice = np.random.default_rng(2)
    logits = dice.normal(0, 3, 20000)
    labels = (dice.random(20000) < 1 / (1 + np.exp(-(0.5 * logits - 1)))).astype(float)
    slope, offset = platt(logits, labels, np.ones(20000))
    assert abs(slope - 0.5) < 0.05
    assert abs(offset + 1) < 0.1
    assert threshold(np.arange(100.0), 0.05) == 94.0
