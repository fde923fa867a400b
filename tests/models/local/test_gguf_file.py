"""Tensors of a GGUF file are read as what their packed numbers stand for."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from proctor.core.errors import StoreError
from proctor.models.local.gguf_file import GgufFile
from tests.models.local.tiny_large import TOKENS, Tensor, four_bits, single, six_bits, write_base

RANDOM = np.random.default_rng(4)
TENSORS = {
    "other": Tensor(2, b"\0" * 18, np.zeros(32, np.float32)),
    "plain": single(RANDOM.normal(size=7)),
    "four": four_bits((3, 512), 1.0, RANDOM),
    "six": six_bits((4, 256), 1.0, RANDOM),
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fields = {"list": [1, 2, 70_000], "real": 0.5, "text": "größer"}
    return write_base(tmp_path_factory.mktemp("gguf") / "base.gguf", TENSORS, fields)


@pytest.mark.parametrize("name", ["plain", "four", "six"])
def test_a_tensor_has_its_numbers(base: Path, name: str) -> None:
    with GgufFile(base) as file:
        found = file.tensor(name)
        assert file.shape(name) == found.shape == TENSORS[name].value.shape
    assert found.dtype == np.float32
    assert np.allclose(found, TENSORS[name].value, rtol=1e-6, atol=1e-7)
    assert found.std() > 0.01


def test_rows_come_in_the_order_asked_for(base: Path) -> None:
    with GgufFile(base) as file:
        assert np.array_equal(file.rows("six", [3, 0, 3]), file.tensor("six")[[3, 0, 3]])
        for wrong in ([4], [-1]):
            with pytest.raises(StoreError, match="has 4 rows"):
                file.rows("six", wrong)


def test_fields_of_every_kind_are_read(base: Path) -> None:
    with GgufFile(base) as file:
        assert (file.fields["list"], file.fields["real"], file.fields["text"]) == ([1, 2, 70_000], 0.5, "größer")
        assert file.fields["tokenizer.ggml.tokens"][-1] == TOKENS[0]


def test_what_cannot_be_read_is_named(base: Path) -> None:
    with GgufFile(base) as file:
        with pytest.raises(StoreError, match="no tensor nothing"):
            file.tensor("nothing")
        with pytest.raises(StoreError, match="other is packed in form 2"):
            file.tensor("other")
        with pytest.raises(StoreError, match="plain is no matrix"):
            file.rows("plain", [0])


def _read_all(path: Path) -> None:
    with GgufFile(path) as file:
        for name in ("plain", "four", "six"):
            file.tensor(name)


def test_every_cut_of_the_file_is_an_error_that_names_it(base: Path, tmp_path: Path) -> None:
    whole, cut = base.read_bytes(), tmp_path / "cut.gguf"
    _read_all(base)
    for size in [0, 3, 4, 20, *range(24, len(whole), 97), len(whole) - 1]:
        cut.write_bytes(whole[:size])
        with pytest.raises(StoreError) as caught:
            _read_all(cut)
        assert str(cut) in str(caught.value.file)


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "some.gguf"
    for content, what in (
        (b"PK\3\4" + b"\0" * 99, "does not begin with GGUF"),
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "version 9"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 1, 0, 1 << 60), "beyond the end"),
        (b"GGUF" + struct.pack("<IQQQ1sII", 3, 1, 0, 1, b"a", 99, 0), "99 dimensions"),
        (b"GGUF" + struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"a", 9, 4, 1 << 61), "beyond the end"),
        (b"GGUF" + struct.pack("<IQQQ1sI", 3, 0, 1, 1, b"a", 77), "cannot be read"),
    ):
        file.write_bytes(content)
        with pytest.raises(StoreError, match=what):
            GgufFile(file)
    with pytest.raises(StoreError, match="cannot be read"):
        GgufFile(tmp_path / "missing.gguf")
