"""A weights file that is missing or changed is named with the hint, and never becomes a score."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from proctor.core.errors import StoreError
from proctor.models.local import weights as shipped
from proctor.models.local.weights import open_weights
from tests.tables import table


def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.bin").write_bytes(b"right")
    files = {"a.bin": hashlib.sha256(b"right").hexdigest(), "gone.bin": "0" * 64}
    (tmp_path / "manifest.json").write_text(json.dumps({"files": files, "settings": {}}))
    return tmp_path


def test_a_whole_file_is_found(tmp_path: Path) -> None:
    assert open_weights(folder(tmp_path)).path("a.bin").read_bytes() == b"right"


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    weights = open_weights(folder(tmp_path))
    (tmp_path / "a.bin").write_bytes(b"wrong")
    with pytest.raises(StoreError, match="not the one") as seen:
        weights.path("a.bin")
    assert seen.value.file is not None
    assert seen.value.file.endswith("a.bin")
    assert seen.value.hint


@pytest.mark.parametrize(("name", "words"), [("gone.bin", "missing"), ("unknown.bin", "does not list")])
def test_a_missing_file_is_named(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(StoreError, match=words) as seen:
        open_weights(folder(tmp_path)).path(name)
    assert name in str(seen.value)


@table("content", [None, "", "{", "[]", '{"files": {}}', '{"files": 3, "settings": {}}'])
def test_a_broken_manifest_is_named(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(StoreError, match="manifest"):
        open_weights(tmp_path)


def test_what_ships_is_what_was_measured_and_has_its_cards() -> None:
    weights = open_weights()
    for name in weights.files:
        assert weights.path(name).stat().st_size > 0
    # the wheel, in which they are compressed, must stay under 100 MB: with 111.9 MB of weights it has 99.0
    assert sum(weights.path(name).stat().st_size for name in weights.files) < 112_000_000
    assert weights.files["large.npz"] in (weights.folder / "large.md").read_text(encoding="utf-8")
    for model in ("injection", "nli", "embed", "reader", "fluency", "multilingual"):
        card = (weights.folder / f"{model}.md").read_text(encoding="utf-8")
        assert weights.files[f"{model}.onnx"] in card


def test_a_corrupt_network_is_refused(tmp_path: Path) -> None:
    from proctor.models.local.nli import LocalEntailer

    copy = tmp_path / "weights"
    shutil.copytree(Path(shipped.__file__).parent / "weights", copy)
    whole = (copy / "nli.onnx").read_bytes()
    (copy / "nli.onnx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match=r"nli\.onnx"):
        LocalEntailer(folder=copy).readings([("a", "b")])
