"""The acts of turns: the rows name known acts, and a family of languages is left out of the model that judges it."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import chain

import numpy as np
import pytest
from training.data import written
from training.turns import ACTS, FAMILIES, held_out

pytestmark = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")


def test_every_row_has_known_acts_of_its_role() -> None:
    for row in written("turns"):
        assert set(row["acts"]) <= set(ACTS[row["role"]]), row
        assert row["text"].strip()


def test_each_language_is_in_one_family_or_only_trained_on() -> None:
    named = list(chain(*FAMILIES))
    assert len(named) == len(set(named))
    assert {row["lang"] for row in written("turns")} <= set(named)


def test_the_rows_of_a_family_are_judged_by_a_model_of_the_others() -> None:
    rng = np.random.default_rng(1)
    langs = ["de"] * 40 + ["fr"] * 40
    y = np.arange(80) % 2 == 0
    x = rng.normal(size=(80, 3))
    x[:, 0] += 8 * y  # in both languages
    x[:40, 1] += 8 * y[:40]  # in one of them
    logits = held_out(x, y, langs)
    assert logits[y].min() > logits[~y].max()
    assert held_out(x[:40], y[:40], langs[:40]).max() == 0.0  # nothing is left to learn from
