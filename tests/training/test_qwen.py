"""The quantised blocks of the GGUF file unfold as its format says: compared with a slow reading, number by number."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("torch")

import numpy as np
import torch
from training.qwen import four_bits, six_bits


def half(raw: bytes) -> float:
    return float(np.frombuffer(raw, np.float16)[0])


def slow_four(block: bytes) -> list[float]:
    scale, least, packed, quants = half(block[0:2]), half(block[2:4]), block[4:16], block[16:]
    found = []
    for part in range(8):
        if part < 4:
            factor, offset = packed[part] & 63, packed[part + 4] & 63
        else:
            factor = (packed[part + 4] & 15) | ((packed[part - 4] >> 6) << 4)
            offset = (packed[part + 4] >> 4) | ((packed[part] >> 6) << 4)
        for i in range(32):
            byte = quants[part // 2 * 32 + i]
            number = byte & 15 if part % 2 == 0 else byte >> 4
            found.append(scale * factor * number - least * offset)
    return found


def slow_six(block: bytes) -> list[float]:
    low, high, scale = block[:128], block[128:192], half(block[208:210])
    factors = np.frombuffer(block[192:208], np.int8).tolist()
    found = [0.0] * 256
    for side in range(2):
        for i in range(32):
            for quarter in range(4):
                byte = low[side * 64 + i + (32 if quarter % 2 else 0)]
                nibble = byte & 15 if quarter < 2 else byte >> 4
                number = (nibble | ((high[side * 32 + i] >> (2 * quarter) & 3) << 4)) - 32
                factor = factors[side * 8 + quarter * 2 + i // 16]
                found[side * 128 + quarter * 32 + i] = scale * factor * number
    return found


def blocks(size: int, scales: tuple[int, ...]) -> Any:
    made = np.random.default_rng(8).integers(0, 256, (3, size), dtype=np.uint8)
    for row, value in enumerate((0.01, -0.5, 1.25)):  # random bytes would make scales that are not numbers
        for at in scales:
            made[row, at : at + 2] = np.frombuffer(np.float16(value).tobytes(), np.uint8)
    return made


def test_four_bits() -> None:
    made = blocks(144, (0, 2))
    expected = [x for row in made for x in slow_four(row.tobytes())]
    np.testing.assert_allclose(four_bits(torch.from_numpy(made.reshape(-1))).numpy(), expected, rtol=1e-5, atol=1e-5)


def test_six_bits() -> None:
    made = blocks(210, (208,))
    expected = [x for row in made for x in slow_six(row.tobytes())]
    np.testing.assert_allclose(six_bits(torch.from_numpy(made.reshape(-1))).numpy(), expected, rtol=1e-5, atol=1e-5)
