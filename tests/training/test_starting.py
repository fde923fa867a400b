"""Starting weights keep their values, and the entry map carries one table into the other."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np
from training.starting import entry_map, small


def test_matrices_are_kept_within_half_a_step() -> None:
    wide = np.random.default_rng(3).normal(size=(40, 384)).astype(np.float32)
    kept = small({"wide": wide, "narrow": wide[0]})
    assert set(kept) == {"wide", "wide|s", "narrow"}
    assert (np.abs(kept["wide"] * kept["wide|s"] - wide) <= kept["wide|s"] * 0.5001).all()
    assert kept["narrow"].dtype == np.float16


def test_the_entry_map_finds_a_known_map() -> None:
    dice = np.random.default_rng(4)
    ours, turn = dice.normal(size=(2000, 24)), dice.normal(size=(24, 24))
    np.testing.assert_allclose(entry_map(ours, ours @ turn), turn, atol=1e-2)
