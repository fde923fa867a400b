"""Every row is read once a pass, within the budget, and padding is never read as text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy")

import numpy as np
from training.plan import planned


@given(st.lists(st.integers(1, 300), min_size=1, max_size=80), st.integers(16, 4096), st.none() | st.integers(0, 99))
def test_groups_cover_every_row_once_within_the_budget(lengths: list[int], budget: int, seed: int | None) -> None:
    groups = list(planned(lengths, budget, None if seed is None else random.Random(seed)))
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    for group in groups:
        padded = -(-max(lengths[i] for i in group) // 8) * 8
        # the noise that mixes lengths lets a longer row lead a group: at most six places, one step of padding
        assert len(group) == 1 or (padded - (8 if seed is not None else 0)) * (len(group) - 1) <= budget


def test_the_same_dice_give_the_same_plan() -> None:
    lengths = [random.Random(1).randrange(5, 90) for _ in range(200)]
    assert list(planned(lengths, 512, random.Random(3))) == list(planned(lengths, 512, random.Random(3)))
    assert list(planned(lengths, 512, random.Random(3))) != list(planned(lengths, 512, random.Random(4)))


def test_a_batch_is_padded_on_the_right() -> None:
    torch = pytest.importorskip("torch")
    from training.batches import PAD, Lines

    rows = [np.arange(10, 10 + n, dtype=np.int32) for n in (3, 9, 5)]
    lines = Lines(rows, [2, 4, 10**6], "cpu")
    ids, mask, types = lines.batch([1, 0, 2])
    assert ids.shape == mask.shape == types.shape == (3, 16)
    for place, row in enumerate((1, 0, 2)):
        size = len(rows[row])
        assert ids[place, :size].tolist() == rows[row].tolist()
        assert set(ids[place, size:].tolist()) == {PAD}
        assert mask[place].tolist() == [1.0] * size + [0.0] * (16 - size)
    assert types[0].tolist() == [0] * 4 + [1] * 5 + [0] * 7
    assert types[1].tolist() == [0] * 2 + [1] + [0] * 13
    assert not types[2].any()
    again = lines.batch(torch.tensor([1, 0, 2]), 9)
    assert all(torch.equal(a, b) for a, b in zip((ids, mask, types), again, strict=True))


def test_types_of_their_own_are_kept() -> None:
    pytest.importorskip("torch")
    from training.batches import Lines

    rows = [np.array([4, 5, 6], np.int32), np.array([7, 8], np.int32)]
    kinds = [np.array([0, 1, 0], np.int64), np.array([1, 1], np.int64)]
    _, _, types = Lines(rows, None, "cpu", kinds).batch([1, 0])
    assert types.tolist() == [[1, 1] + [0] * 6, [0, 1] + [0] * 6]


def test_a_pair_too_long_gives_way_in_its_first_part() -> None:
    pytest.importorskip("torch")
    from training.batches import END, START, encode_pairs

    class Letters:
        def encode_batch_fast(self, texts: list[str], add_special_tokens: bool) -> list[object]:
            assert not add_special_tokens
            return [type("Line", (), {"ids": [ord(c) for c in text]})() for text in texts]

    lines = encode_pairs(Letters(), [("a" * 100, "b" * 6), ("c", "d" * 100)], 32, "cpu")  # type: ignore[arg-type]
    ids, mask, types = lines.batch([0, 1])
    assert mask.sum(1).tolist() == [32, 3 + 16]
    first = ids[0][types[0] == 1].tolist()
    assert first == [ord("b")] * 6 + [END]
    assert ids[1][types[1] == 1].tolist() == [ord("d")] * 15 + [END]
    assert ids[:, 0].tolist() == [START, START]


def test_one_pass_on_the_device_is_the_plan() -> None:
    pytest.importorskip("torch")
    from training.batches import Lines, shuffled

    lines = Lines([np.full(n, 5, np.int32) for n in (3, 9, 5, 30, 2, 8)], None, "cpu")
    seen = [(group.tolist(), longest) for group, longest in shuffled(lines, 64, random.Random(2))]
    assert [group for group, _ in seen] == list(planned(lines.lengths, 64, random.Random(2)))
    assert all(longest == max(lines.lengths[i] for i in group) for group, longest in seen)
